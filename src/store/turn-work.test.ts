import { expect, test } from 'bun:test'
import { openSession, temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import type { KnownFix, Prompt, Traces } from '../core/memory.ts'
import type { WorkStep } from '../core/work.ts'
import type { Store } from './store.ts'

const app = asProjectKey('app')
const edit: WorkStep = { kind: 'edit', path: 'src/a.ts', lines: [['x', 1]] }
const fix = (signature: string, at: number): KnownFix => ({
  signatures: [signature],
  command: 'bun test',
  files: ['src/a.ts'],
  changes: [],
  commands: [],
  failedAt: at,
  at,
})

async function turn(store: Store, name: string, at: number, traces: Partial<Traces> = {}): Promise<Prompt> {
  const session = await openSession(store, name, at)
  const given = { key: `${name}${at}`, promptId: null, uuid: null, origin: 'person' as const, text: 'Go on', at }
  const prompt = (await store.prompts.add(session, given)) as Prompt
  await store.prompts.setActivity(prompt, '', { names: [], errors: [], ...traces })
  return prompt
}

test('the turns around a time that changed files come in order, with their steps and the mark of undone work', async () => {
  using t = await temporaryStore()
  const work = await t.store.turnWork()
  for (const at of [1000, 2000, 3000, 4000]) await turn(t.store, 's1', at, { work: [edit] })
  await turn(t.store, 's1', 2500)
  await work.markTurn((await work.around(app, 2000, { before: 1, after: 1 }))[0]?.id ?? 0, 'P9')
  const around = await work.around(app, 2000, { before: 2, after: 2 })
  expect(around.map(({ at, undoneBy }) => [at, undoneBy ?? null])).toEqual([
    [1000, null],
    [2000, 'P9'],
    [3000, null],
    [4000, null],
  ])
  expect(around[0]).toMatchObject({ folder: '/home/dev/app', steps: [edit] })
  expect((await work.around(app, 2000, { before: 1, after: 1 })).map(({ at }) => at)).toEqual([2000, 3000])
  expect(await work.around(asProjectKey('other'), 2000, { before: 2, after: 2 })).toEqual([])
})

test('the mark of undone work can be taken off', async () => {
  using t = await temporaryStore()
  const work = await t.store.turnWork()
  const { id, sessionId } = await turn(t.store, 's1', 1000, { work: [edit] })
  await work.markTurn(id, 'P9')
  expect([...(await work.undoneTurns(sessionId))]).toEqual([[1, 'P9']])
  await work.markTurn(id, null)
  expect((await work.undoneTurns(sessionId)).size).toBe(0)
})

test('the newest fix of a failure by another session is found by one of its signatures', async () => {
  using t = await temporaryStore()
  const work = await t.store.turnWork()
  expect(await work.hasFixes(app)).toBe(false)
  const own = await turn(t.store, 'own', 5000, { fixes: [fix('clock', 5000)] })
  await turn(t.store, 'older', 1000, { fixes: [fix('clock', 1000)] })
  const newer = await turn(t.store, 'newer', 2000, { fixes: [fix('other', 2000), fix('clock', 2001)] })
  expect(await work.fixOf(app, ['unknown', 'clock'], own.sessionId)).toEqual({
    sessionId: newer.sessionId,
    number: 1,
    fix: fix('clock', 2001),
  })
  expect(await work.fixOf(app, ['clock'], newer.sessionId)).toMatchObject({ sessionId: own.sessionId })
  expect(await work.fixOf(app, ['unknown'], own.sessionId)).toBeNull()
  expect(await work.fixOf(asProjectKey('other'), ['clock'], own.sessionId)).toBeNull()
  expect(await work.hasFixes(app)).toBe(true)
})

test('a later turn of the same project that replaced a value is found, newest first, until its values are set anew', async () => {
  using t = await temporaryStore()
  const [first, second, third] = [await turn(t.store, 's1', 1000), await turn(t.store, 's2', 2000), await turn(t.store, 's3', 3000)]
  await t.store.changedValues.set(second.id, ['10 s', '250 ms'])
  await t.store.changedValues.set(third.id, ['10 s'])
  const after = (of: Prompt, values: string[], limit = 9) => t.store.changedValues.after(of.id, values, limit)
  expect(await after(first, ['10 s', '250 ms'])).toEqual([third.id, second.id])
  expect(await after(first, ['10 s'], 1)).toEqual([third.id])
  expect([await after(second, ['250 ms']), await after(third, ['10 s']), await after(first, ['5 s'])]).toEqual([[], [], []])
  await t.store.changedValues.set(third.id, [])
  expect(await after(first, ['10 s'])).toEqual([second.id])
})
