import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { distillTable, scoreDistill, sessionSets } from '../../eval/distill.ts'
import type { ModelAnswer, TextModel } from '../../src/providers/text.ts'
import { temporaryFolder } from '../support/builders.ts'
import { codeMode } from '../support/modes.ts'

const answered = (text: string): ModelAnswer => ({
  kind: 'answered',
  text,
  usage: { input: 10, output: 1, cached: 0 },
  stop: 'end',
})
const failing = (reason: 'rate' | 'auth'): ModelAnswer => ({ kind: 'failed', reason, message: `trouble of ${reason}`, retryAfterMs: 1 })
/** Says one answer after the other, and the last one for ever. */
const teller = (...answers: ModelAnswer[]) => {
  const model: TextModel = { name: 'm-1', ask: async () => (answers.length > 1 ? answers.shift() : answers[0]) ?? failing('rate') }
  return { model, mode: codeMode() }
}
const one = (facts: string) => `<observation><type>discovery</type><title>Found</title><facts><fact>${facts}</fact></facts></observation>`

const recorded = sessionSets()[0] ?? { name: '', folder: '', lists: {} }
const SESSION = 'test/fixtures/recorded/explore-retries.jsonl'
const list = recorded.lists[SESSION] ?? { said: [], unsaid: [] }
const retries = { ...recorded, lists: { [SESSION]: list } }

test('plain rules keep most of what the checklists ask for, and little else', async () => {
  const plain = await scoreDistill(null, recorded)
  expect(plain.facts).toBeGreaterThanOrEqual(30)
  expect(plain.kept).toBeGreaterThan(0.7)
  expect(plain.noise).toBeLessThan(0.3)
})

test('a model that says the facts keeps them; one that says something else makes noise', async () => {
  const right = answered(`${one('4xx ECONNRESET errors.mjs')}<summary><learned>5xx is permanent</learned></summary>`)
  const good = await scoreDistill(teller(right), retries)
  expect([good.kept, good.noise, good.fellBack]).toEqual([3 / 6, 0, 0])
  expect(good.missed).toContain(`${SESSION}: said 6 attempts|six attempts`)
  const bad = await scoreDistill(teller(answered(`${one('The weather is fine.')}<summary><notes>Sunny.</notes></summary>`)), retries)
  expect([bad.kept, bad.noise, bad.noisy[0]]).toEqual([0, 1, `${SESSION}: Found`])
})

test('an answer that cannot be read falls back to the plain rules, and that is counted', async () => {
  const plain = await scoreDistill(null, retries)
  const silent = await scoreDistill(teller(answered('Hm.')), retries)
  expect([silent.kept, silent.fellBack]).toEqual([plain.kept, 2])
  expect(distillTable([silent])).toContain('| m-1 |')
})

test('a model that is busy for a moment is asked again; one that needs a person is not scored', async () => {
  const said: string[] = []
  const patient = await scoreDistill(teller(failing('rate'), answered(one('4xx ECONNRESET'))), retries, (line) => said.push(line))
  expect([patient.fellBack, said]).toEqual([0, expect.arrayContaining(['trouble of rate'])])
  await expect(scoreDistill(teller(failing('auth')), retries)).rejects.toThrow('trouble of auth')
})

test('only the turns that a checklist names are told and scored, of a packed transcript too', async () => {
  using folder = temporaryFolder()
  await Bun.write(join(folder.path, 'packed.jsonl.gz'), Bun.gzipSync(await Bun.file(join(recorded.folder, SESSION)).bytes()))
  const packed = (turns?: number[]) => ({ folder: folder.path, lists: { 'packed.jsonl.gz': { ...list, ...(turns ? { turns } : {}) } } })
  const whole = await scoreDistill(null, packed())
  expect(whole.kept).toBe((await scoreDistill(null, retries)).kept)
  const second = await scoreDistill(null, packed([1]))
  expect([second.facts, second.kept < whole.kept]).toEqual([whole.facts, true])
  await expect(scoreDistill(null, packed([7]))).rejects.toThrow('names turn 7')
})
