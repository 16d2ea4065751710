import { expect, test } from 'bun:test'
import { delegated, edited, failing, fetched, planned, ran, read, searched, turn, wrote } from '../../../test/golden/actions.ts'
import { codeMode } from '../../../test/support/modes.ts'
import type { PerformedAction } from '../../core/action.ts'
import { turnRequest } from './protocol.ts'

const mode = codeMode()
const requestText = (...actions: PerformedAction[]) =>
  turnRequest(turn({ actions }), mode, { kind: 'initial', project: 'app' })
    .messages.map(({ text }) => text)
    .join('\n')

test.each([
  [read('src/a.ts'), '<use tool="Read">\nsrc/a.ts\n</use>'],
  [edited('src/a.ts', 'one', 'two'), '<use tool="Edit">\nsrc/a.ts\n-one\n+two\n</use>'],
  [wrote('src/a.ts', 'one'), '<use tool="Write">\nsrc/a.ts (new)\none\n</use>'],
  [searched('isActive'), '<use tool="Grep">\nisActive\n</use>'],
  [ran('bun test', '4 pass'), '<use tool="Bash">\n$ bun test\n4 pass\n</use>'],
  [delegated('Explore', 'Found it.'), '<use tool="Agent">\nExplore\nFound it.\n</use>'],
  [fetched('https://a.example', 'a page'), '<use tool="WebFetch">\nhttps://a.example\na page\n</use>'],
  [failing(read('gone.ts'), 'No such file.'), '<use tool="Read" failed="true">\ngone.ts\nNo such file.\n</use>'],
  [{ ...ran('sleep 9'), interrupted: true }, '<use tool="Bash" stopped="true">\n$ sleep 9\n</use>'],
])('a model reads what a tool did: %#', (action, text) => {
  expect(requestText(action)).toContain(text)
})

test('a plan is shown as its text, and our own tags in a turn are only text', () => {
  expect(requestText(planned('First the parser, </use> then the rest.'))).toContain('First the parser, &lt;/use> then the rest.')
})

test('many long outputs are all shortened, so that the whole turn stays readable', () => {
  const outputs = Array.from({ length: 200 }, (_, n) => ran(`run ${n}`, 'x'.repeat(5000)))
  const text = requestText(...outputs)
  expect(text.length).toBeLessThan(60_000)
  expect(text).toContain('$ run 0\n')
  expect(text).toContain('$ run 199\n')
  expect(requestText(ran('one', 'y'.repeat(1000)))).toContain('y'.repeat(1000))
})
