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
const failing = (reason: 'rate' | 'auth'): ModelAnswer => ({ kind: 'failed', reason, message: `failed: ${reason}`, retryAfterMs: 1 })
/** Gives one answer after the other, then repeats the last. */
const distillerGiving = (...answers: ModelAnswer[]) => {
  const model: TextModel = { name: 'm-1', ask: async () => (answers.length > 1 ? answers.shift() : answers[0]) ?? failing('rate') }
  return { model, mode: codeMode() }
}
const oneFact = (facts: string) =>
  `<observation><type>discovery</type><title>Found</title><facts><fact>${facts}</fact></facts></observation>`

const recorded = sessionSets()[0] ?? { name: '', folder: '', lists: {} }
const SESSION = 'test/fixtures/recorded/explore-retries.jsonl'
const list = recorded.lists[SESSION] ?? { stated: [], toolOnly: [] }
const retries = { ...recorded, lists: { [SESSION]: list } }

test('the rules keep most facts of the checklists and make little noise', async () => {
  const plain = await scoreDistill(null, recorded)
  expect(plain.statedFacts).toBeGreaterThanOrEqual(30)
  expect(plain.keptStated).toBeGreaterThan(0.7)
  expect(plain.noise).toBeLessThan(0.3)
})

test('facts in the answer of a model are kept, and other observations are noise', async () => {
  const right = answered(`${oneFact('4xx ECONNRESET errors.mjs')}<summary><learned>5xx is permanent</learned></summary>`)
  const good = await scoreDistill(distillerGiving(right), retries)
  expect([good.keptStated, good.noise, good.fellBack]).toEqual([3 / 6, 0, 0])
  expect(good.missed).toContain(`${SESSION}: stated 6 attempts|six attempts`)
  const bad = await scoreDistill(
    distillerGiving(answered(`${oneFact('The weather is fine.')}<summary><notes>Sunny.</notes></summary>`)),
    retries,
  )
  expect([bad.keptStated, bad.noise, bad.noisy[0]]).toEqual([0, 1, `${SESSION}: Found`])
})

test('an unreadable answer falls back to the rules and is counted', async () => {
  const plain = await scoreDistill(null, retries)
  const silent = await scoreDistill(distillerGiving(answered('Hm.')), retries)
  expect([silent.keptStated, silent.fellBack]).toEqual([plain.keptStated, 2])
  expect(distillTable([silent])).toContain('| m-1 |')
})

test('a busy model is retried; a model with an invalid key is not scored', async () => {
  const lines: string[] = []
  const retried = await scoreDistill(distillerGiving(failing('rate'), answered(oneFact('4xx ECONNRESET'))), retries, (line) =>
    lines.push(line),
  )
  expect([retried.fellBack, lines]).toEqual([0, expect.arrayContaining(['failed: rate'])])
  await expect(scoreDistill(distillerGiving(failing('auth')), retries)).rejects.toThrow('failed: auth')
})

test('only the turns that a checklist names are distilled and scored, also in a compressed transcript', async () => {
  using folder = temporaryFolder()
  await Bun.write(join(folder.path, 'packed.jsonl.gz'), Bun.gzipSync(await Bun.file(join(recorded.folder, SESSION)).bytes()))
  const packed = (turns?: number[]) => ({ folder: folder.path, lists: { 'packed.jsonl.gz': { ...list, ...(turns ? { turns } : {}) } } })
  const allTurns = await scoreDistill(null, packed())
  expect(allTurns.keptStated).toBe((await scoreDistill(null, retries)).keptStated)
  const secondTurn = await scoreDistill(null, packed([1]))
  expect([secondTurn.statedFacts, secondTurn.keptStated < allTurns.keptStated]).toEqual([allTurns.statedFacts, true])
  await expect(scoreDistill(null, packed([7]))).rejects.toThrow('names turn 7')
})
