import { expect, test } from 'bun:test'
import { distillTable, scoreDistill } from '../../eval/distill.ts'
import type { TextModel } from '../../src/providers/text.ts'
import { codeMode } from '../support/modes.ts'

const saying = (text: string): TextModel => ({
  name: 'm-1',
  ask: async () => ({ kind: 'answered', text, usage: { input: 10, output: 1, cached: 0 }, stop: 'end' }),
})
const one = (facts: string) => `<observation><type>discovery</type><title>Found</title><facts><fact>${facts}</fact></facts></observation>`

test('plain rules keep most of what the checklists ask for, and little else', async () => {
  const plain = await scoreDistill(null)
  expect(plain.facts).toBeGreaterThanOrEqual(30)
  expect(plain.kept).toBeGreaterThan(0.7)
  expect(plain.noise).toBeLessThan(0.3)
})

test('a model that says the facts keeps them; one that says something else makes noise', async () => {
  const right = saying(`${one('4xx ECONNRESET errors.mjs')}<summary><learned>5xx is permanent</learned></summary>`)
  const good = await scoreDistill({ model: right, mode: codeMode() }, ['explore-retries'])
  expect([good.kept, good.noise, good.fellBack]).toEqual([3 / 6, 0, 0])
  const bad = await scoreDistill(
    { model: saying(`${one('The weather is fine.')}<summary><notes>Sunny.</notes></summary>`), mode: codeMode() },
    ['explore-retries'],
  )
  expect([bad.kept, bad.noise]).toEqual([0, 1])
})

test('an answer that cannot be read falls back to the plain rules, and that is counted', async () => {
  const plain = await scoreDistill(null, ['explore-retries'])
  const silent = await scoreDistill({ model: saying('Hm.'), mode: codeMode() }, ['explore-retries'])
  expect([silent.kept, silent.fellBack]).toEqual([plain.kept, 2])
  expect(distillTable([silent])).toContain('| m-1 |')
})
