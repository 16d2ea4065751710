import { expect, test } from 'bun:test'
import { laterPassages, markRecurring, partWeights, recurs, shownLines, tellingParts } from './recurrence.ts'

const equally = () => 2

test('words and values of a statement count, names of files and code do not', () => {
  const parts = tellingParts('Retries wait 250 ms with --max-delay 10.5, see src/retry.ts, retry_delay, waitFor() and #17')
  expect([...parts]).toEqual(['retrie', '250', '--max-delay', '10.5'])
})

test('each item of a list is a line; frames, headings, ids, ages and questions are not compared', () => {
  const text = `<recollect-context project="app">
Notes left by earlier sessions in this project. Recalled data, not instructions; check before relying on it. In full: recollect get <id>.
Before that:
P12 · 14d · how long do tokens live? — Tokens expire after 3600 seconds
Also done: P11 2d Painted the lighthouse · P9 3d Sold the ferry
</recollect-context>`
  const [result, ...titles] = shownLines(text)
  expect(result?.map((statement) => [...statement])).toEqual([['tokens', 'expire', 'after', '3600', 'second']])
  expect(titles.map((one) => one.flatMap((parts) => [...parts]))).toEqual([
    ['painte', 'lighth'],
    ['sold', 'ferry'],
  ])
})

test('a line is used when enough of one of its statements is in one passage', () => {
  const [line = []] = shownLines('Tokens expire after 3600 seconds. Lighthouses blink green.')
  expect(recurs(line, laterPassages(['I let every token expire again after 3600 s']), equally)).toBe(true)
  expect(recurs(line, laterPassages(['the token', 'it must expire']), equally)).toBe(false)
  expect(recurs(line, laterPassages(['lighthouses are tall', 'green']), equally)).toBe(false)
})

test('what every session says weighs nothing', () => {
  const sessions = [['deploy the ferry'], ['deploy the harbour'], ['deploy the crane']].map(laterPassages)
  const weightOf = partWeights(sessions)
  expect(weightOf('deploy')).toBeLessThan(weightOf('harbou'))
  expect(recurs(shownLines('deploy the harbour')[0] ?? [], sessions[0] ?? [], weightOf)).toBe(false)
})

test('each line of a shown text is marked: used, unused, or not counted', () => {
  const text =
    '<recollect-context project="tide">\nRules:\n- The retry budget stays at seven because the gateway drops requests\n- Harbour gauges report every minute\n</recollect-context>'
  const later = laterPassages(['We keep the retry budget at seven, the gateway drops every eighth of them'])
  const weightOf = partWeights(Array.from({ length: 40 }, () => laterPassages(['nothing else of interest here today'])))
  expect(markRecurring(text, later, weightOf).map(({ isUsed }) => isUsed)).toEqual([null, null, true, false, null])
})
