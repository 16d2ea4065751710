import { expect, test } from 'bun:test'
import { addObservations, observation, openSession, temporaryStore } from '../../test/support/builders.ts'
import type { Observation, OpenFailure, PassedTestRun, Prompt } from '../core/memory.ts'
import type { Store } from '../store/store.ts'
import { repairsOf } from './repairs.ts'

const failure: OpenFailure = {
  command: 'bun test src/login.test.ts',
  names: ['login.test.ts > refuses an old token'],
  error: '',
  at: 2000,
  promptNumber: 1,
}

const addTurn = async (store: Store, name: string) => {
  const session = await openSession(store, name)
  const given = { key: 'k1', promptId: null, uuid: null, origin: 'person' as const, text: 'Go on', at: 1500 }
  return (await store.prompts.add(session, given)) as Prompt
}

/** Whether a session that saw this run pass has repaired the failure. */
async function isRepaired(pass: Partial<PassedTestRun>, of = failure): Promise<boolean> {
  using t = await temporaryStore()
  const turn = await addTurn(t.store, 'own')
  const passes = [{ command: 'bun test', isWhole: false, at: 3000, ...pass }]
  await t.store.prompts.setActivity(turn, '', { names: [], errors: [], passes })
  return (await repairsOf(t.store, new Set([turn.sessionId]))).include(of)
}

test('a failure is repaired once all tests of its program, the same command, or its file passed later', async () => {
  expect(await isRepaired({ isWhole: true })).toBe(true)
  expect(await isRepaired({ command: failure.command })).toBe(true)
  expect(await isRepaired({ command: "bun test './login.test.ts'" })).toBe(true)
})

test('a run before the failure, of other tests, or of another program repairs nothing', async () => {
  expect(await isRepaired({ isWhole: true, at: 1000 })).toBe(false)
  expect(await isRepaired({ command: failure.command, at: 1000 })).toBe(false)
  expect(await isRepaired({ command: 'bun test src/ledger.test.ts' })).toBe(false)
  expect(await isRepaired({ command: 'pytest', isWhole: true })).toBe(false)
})

test('short words and options of a command name no test', async () => {
  expect(await isRepaired({ command: 'bun test old' })).toBe(false)
  expect(await isRepaired({ command: 'bun test --login.test.ts' })).toBe(false)
})

test('only the observation that reported a repaired failure is known, not the work beside it', async () => {
  using t = await temporaryStore()
  const [own, other] = [await addTurn(t.store, 'own'), await addTurn(t.store, 'other')]
  await t.store.prompts.setOpenFailures(other.sessionId, 1, [failure])
  const passes = [{ command: 'bun test', isWhole: true, at: 3000 }]
  await t.store.prompts.setActivity(own, '', { names: [], errors: [], passes })
  const report = { sessionId: other.sessionId, promptNumber: 1, title: `Failed: ${failure.command}` }
  const reported = [
    observation({ id: 1, ...report }),
    observation({ id: 2, ...report, title: 'The login fails', facts: [`Ran ${failure.command}`] }),
    observation({ id: 3, ...report, title: 'Read the login' }),
    observation({ id: 4, ...report, promptNumber: 2 }),
    observation({ id: 5, ...report, filesModified: ['src/login.ts'] }),
    observation({ id: 6, ...report, sessionId: own.sessionId }),
  ]
  const among = async (sessionId: number) => (await repairsOf(t.store, new Set([sessionId]))).among(reported)
  expect([...(await among(own.sessionId))]).toEqual([1, 2])
  expect([...(await among(other.sessionId))]).toEqual([])
})

test('an observation is repaired once the session’s own work is linked to it as the fix', async () => {
  using t = await temporaryStore()
  const other = await addObservations(t.store, [observation({ title: 'The login fails' })], 'other')
  const own = await addObservations(t.store, [observation({ title: 'Read the right clock' })], 'own')
  const [failed, fix] = (await Promise.all([other, own].map(({ id }) => t.store.observations.ofTurn(id, 1)))).flat() as [
    Observation,
    Observation,
  ]
  const among = async () => [...(await (await repairsOf(t.store, new Set([own.id]))).among([failed, fix]))]
  expect(await among()).toEqual([])
  const [from, to] = [failed, fix].map(({ id }) => ({ kind: 'observation' as const, ref: String(id) }))
  if (from && to) await t.store.links.add([{ from, to, relation: 'failed-then-fixed', origin: 'bun test', at: 3000 }])
  expect(await among()).toEqual([failed.id])
})
