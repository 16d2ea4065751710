import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { event, loginTurn, nowhere, prompt } from '../../test/support/builders.ts'
import { aDesk } from '../../test/support/desk.ts'
import { aModelServerSaying } from '../../test/support/model-server.ts'
import { take } from '../capture/capture.ts'
import { distillTurn } from '../capture/turns.ts'
import { claudeCode } from '../integrations/agent.ts'
import { readPrices } from '../platform/prices.ts'
import type { RedistillReport } from '../wire/api.ts'
import { loadMode, openBackgroundDistiller, queueDistillingByModel, retryWaitMs } from './background-distiller.ts'
import { redistill } from './redistill.ts'
import type { Services } from './services.ts'
import { openModels } from './text-model.ts'

const TOLD = `<observation><type>bugfix</type><title>Token expiry is compared in milliseconds</title>
<files_modified><file>src/auth.ts</file></files_modified></observation>`
const server = aModelServerSaying(TOLD)
const job = { sessionId: 1, number: 1 }

test('a turn is told plainly at once and by the model soon after', async () => {
  await using at = await aModelDesk()
  await aTurn(at.desk, 1)
  expect(models(at.desk)).toEqual(['plain'])
  await at.tell()
  expect(models(at.desk)).toEqual(['m-1'])
  expect(await at.store.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0 })
  expect(at.announced.map(({ kind }) => kind)).toContain('observation-added')
})

test('without a model nothing waits for one', async () => {
  await using at = await aDesk()
  await aTurn(at.desk, 1)
  expect(await at.store.jobs.counts()).toMatchObject({ waiting: 0 })
})

test.each([
  ['rate', { status: 529, type: 'overloaded_error', message: 'busy' }, 1],
  ['network', { status: 500, type: 'api_error', message: 'oops' }, 1],
  ['auth', { status: 401, type: 'authentication_error', message: 'who?' }, 0],
  ['quota', { status: 402, type: 'billing_error', message: 'empty' }, 0],
] as const)('trouble of kind %s leaves the plain memory, and waits on the list when waiting helps', async (_, says, waiting) => {
  await using at = await aModelDesk()
  await aTurn(at.desk, 1)
  server.says(says)
  await at.tell()
  expect(models(at.desk)).toEqual(['plain'])
  expect(await at.store.jobs.counts()).toEqual({ waiting, running: 0, dead: 0 })
})

test('the wait doubles up to a quarter of an hour, and is as long as the model asks for', () => {
  expect([1, 2, 3, 20].map((attempts) => retryWaitMs(attempts, null))).toEqual([15_000, 30_000, 60_000, 900_000])
  expect(retryWaitMs(1, 3_600_000)).toBe(3_600_000)
})

test('a worker that leaves keeps the turn on the list', async () => {
  await using at = await aModelDesk()
  await aTurn(at.desk, 1)
  const stopping = new AbortController()
  at.desk.stopSignal = stopping.signal
  server.says({ response: () => Bun.sleep(400).then(() => new Response('{}')) })
  setTimeout(() => stopping.abort(new Error('the worker stops')), 50)
  await at.tell()
  expect(await at.store.jobs.counts()).toMatchObject({ running: 1 })
  expect(await at.store.transaction(() => at.store.jobs.returnRunning(Date.now()))).toBe(1)
})

test('when the budget is spent the model is not asked, and the plain memory stays', async () => {
  await using at = await aModelDesk({ RECOLLECT_MODEL_DAILY_USD: '0.000001' }, '"m-1" = { input = 1, output = 1 }')
  await aTurn(at.desk, 1)
  await at.tell()
  expect([models(at.desk), server.asked.length]).toEqual([['plain'], 0])
})

test('telling again first says what it would be, then replaces each turn at once and says that ids change', async () => {
  await using at = await aModelDesk({}, '"m-1" = { input = 1, output = 1 }')
  for (const number of [1, 2]) await aTurn(at.desk, number)
  const before = [...at.store.observations.each(null)]
  const dry = await report(at.desk, false)
  expect(dry).toMatchObject({ applied: false, turns: 2, replaced: 0, model: 'm-1' })
  expect([dry.inputTokens > 500, (dry.usd ?? 0) > 0, server.asked.length]).toEqual([true, true, 0])
  expect([...at.store.observations.each(null)]).toEqual(before)
  expect(await report(at.desk, true)).toMatchObject({ applied: true, turns: 2, replaced: before.length, added: 2 })
  expect(models(at.desk)).toEqual(['m-1', 'm-1'])
  expect(await report(at.desk, true)).toMatchObject({ turns: 0 })
})

test.each([
  ['a job', (at: ModelDesk) => at.tell()],
  ['another who has turns told again', (at: ModelDesk) => report(at.desk, true)],
])('a turn that %s wants told meanwhile is paid for once', async (_, meanwhile) => {
  await using at = await aModelDesk()
  await aTurn(at.desk, 1)
  const [asked, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  server.says(async () => {
    asked.resolve()
    await answer.promise
    return { text: TOLD }
  })
  const again = report(at.desk, true)
  await asked.promise
  const other = meanwhile(at)
  await Bun.sleep(50) // as long as it would take to ask a second time
  answer.resolve()
  expect((await again).turns).toBe(1)
  await other
  expect([server.asked.length, models(at.desk)]).toEqual([1, ['m-1']])
})

test('telling again leaves a turn that is not over', async () => {
  await using at = await aModelDesk()
  await aTurn(at.desk, 1, { answer: null })
  expect(await report(at.desk, false)).toMatchObject({ turns: 0, skipped: 1 })
  expect(await report(at.desk, true)).toMatchObject({ turns: 0, skipped: 1 })
  expect(server.asked).toHaveLength(0)
})

test('telling again stops when a person is needed, and goes on later', async () => {
  await using at = await aModelDesk()
  for (const number of [1, 2]) await aTurn(at.desk, number)
  let asked = 0
  server.says(() => (++asked === 1 ? { text: TOLD } : { status: 401, type: 'authentication_error', message: 'who?' }))
  const stopped = await report(at.desk, true)
  expect([stopped.turns, stopped.messages]).toEqual([1, [expect.stringContaining('stopped')]])
})

test('a mode of the person’s own is used; one that is broken or missing is said', async () => {
  await using at = await aModelDesk()
  const file = join(at.desk.home.folder, 'modes', 'code.en.toml')
  mkdirSync(join(at.desk.home.folder, 'modes'))
  const shipped = readFileSync(join(import.meta.dir, '../../assets/modes/code.en.toml'), 'utf8')
  writeFileSync(file, shipped.replace('You keep the memory', 'Du bewahrst das Gedächtnis'))
  const own = loadMode(at.desk.home, at.desk.settings)
  expect(typeof own === 'object' && own.system).toContain('Du bewahrst')
  writeFileSync(file, 'system = 1')
  expect(loadMode(at.desk.home, at.desk.settings)).toContain('cannot be used')
  const { settings } = at.desk
  expect(loadMode(at.desk.home, { ...settings, model: { ...settings.model, mode: 'poems' } })).toContain('there is no mode poems.en.toml')
})

test('what happens in the folder of our own sessions is not kept', async () => {
  await using at = await aModelDesk()
  const told = event(prompt('Distil this'), { cwd: at.desk.home.thinking })
  const { session } = await take(at.store, told, nowhere, at.desk.rules(claudeCode))
  expect([session, [...at.store.sessions.each()]]).toEqual([null, []])
})

type ModelDesk = Awaited<ReturnType<typeof aModelDesk>>

async function aModelDesk(variables: Record<string, string> = {}, prices = '') {
  const at = await aDesk({
    RECOLLECT_MODEL_PROVIDER: 'openai',
    RECOLLECT_MODEL_NAME: 'm-1',
    RECOLLECT_MODEL_BASE_URL: server.openai,
    ...variables,
  })
  const { desk, store } = at
  if (prices) writeFileSync(join(desk.home.folder, 'prices.toml'), prices)
  const priced = readPrices(desk.home.folder)
  desk.environment.keys.RECOLLECT_MODEL_API_KEY = server.key
  desk.textModel = await openModels({ ...desk, prices: priced, clean: (text) => text, say: () => {} })
  const telling = openBackgroundDistiller(desk, async () => {})
  return {
    ...at,
    /** Has the next waiting turn told. */
    tell: async () => {
      const next = await store.transaction(() => store.jobs.claim(Date.now() + 10_000))
      if (next?.kind !== 'tell') throw new Error('no turn waits for a model')
      telling.start(next)
      for (let i = 0; i < 4; i++) await telling.stop()
    },
  }
}

const models = (desk: Services) => [...desk.store.observations.each(null)].map(({ model }) => model)

async function report(desk: Services, apply: boolean): Promise<RedistillReport> {
  for await (const line of redistill(desk, { since: 0, project: null, apply })) if (line.kind === 'done') return line.report
  throw new Error('it did not end')
}

async function aTurn(desk: Services, number: number, given: Parameters<typeof loginTurn>[1] = {}): Promise<void> {
  const at = Date.now() + number * 10
  for (const [ms, said] of loginTurn(number, given).entries())
    await take(desk.store, event(said, { at: at + ms }), nowhere, desk.rules(claudeCode))
  const turn = { ...job, number }
  await desk.store.transaction(async () => {
    await distillTurn(desk.store, turn, claudeCode.readAction)
    await queueDistillingByModel(desk, turn, Date.now())
    for (let waiting = await desk.store.jobs.claim(0); waiting; waiting = await desk.store.jobs.claim(0))
      await desk.store.jobs.complete(waiting.id)
  })
}
