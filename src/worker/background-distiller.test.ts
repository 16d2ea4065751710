import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { event, loginTurn, nowhere, prompt } from '../../test/support/builders.ts'
import { sharedModelServer } from '../../test/support/model-server.ts'
import { someServices } from '../../test/support/services.ts'
import { take } from '../capture/capture.ts'
import { distillTurn } from '../capture/turns.ts'
import { claudeCode } from '../integrations/agent.ts'
import { readPrices } from '../platform/prices.ts'
import type { RedistillReport } from '../wire/contract/upkeep.ts'
import { loadMode, openBackgroundDistiller, queueDistillingByModel, retryWaitMs } from './background-distiller.ts'
import { redistill } from './redistill.ts'
import type { Services } from './services.ts'
import { openModels } from './text-model.ts'

const MODEL_ANSWER = `<observation><type>bugfix</type><title>Token expiry is compared in milliseconds</title>
<files_modified><file>src/auth.ts</file></files_modified></observation>`
const server = sharedModelServer(MODEL_ANSWER)
const job = { sessionId: 1, number: 1 }

test('a turn is distilled by rules at once and by the model soon after', async () => {
  await using at = await aModelDesk()
  await aTurn(at.desk, 1)
  expect(models(at.desk)).toEqual(['plain'])
  await at.distillNext()
  expect(models(at.desk)).toEqual(['m-1'])
  expect(await at.store.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0 })
  expect(at.announced.map(({ kind }) => kind)).toContain('observation-added')
})

test('without a model no turn is queued for one', async () => {
  await using at = await someServices()
  await aTurn(at.desk, 1)
  expect(await at.store.jobs.counts()).toMatchObject({ waiting: 0 })
})

test.each([
  ['rate', { status: 529, type: 'overloaded_error', message: 'busy' }, 1],
  ['network', { status: 500, type: 'api_error', message: 'oops' }, 1],
  ['auth', { status: 401, type: 'authentication_error', message: 'who?' }, 0],
  ['quota', { status: 402, type: 'billing_error', message: 'empty' }, 0],
] as const)(
  'after a failure of kind %s the rule-based memories stay, and the turn is retried if that can help',
  async (_, says, waiting) => {
    await using at = await aModelDesk()
    await aTurn(at.desk, 1)
    server.setReply(says)
    await at.distillNext()
    expect(models(at.desk)).toEqual(['plain'])
    expect(await at.store.jobs.counts()).toEqual({ waiting, running: 0, dead: 0 })
  },
)

test('the wait doubles up to a quarter of an hour, and is at least as long as the model requests', () => {
  expect([1, 2, 3, 20].map((attempts) => retryWaitMs(attempts, null))).toEqual([15_000, 30_000, 60_000, 900_000])
  expect(retryWaitMs(1, 3_600_000)).toBe(3_600_000)
})

test('a worker that stops keeps the turn in the queue', async () => {
  await using at = await aModelDesk()
  await aTurn(at.desk, 1)
  const stopping = new AbortController()
  at.desk.stopSignal = stopping.signal
  server.setReply({ response: () => Bun.sleep(400).then(() => new Response('{}')) })
  setTimeout(() => stopping.abort(new Error('the worker stops')), 50)
  await at.distillNext()
  expect(await at.store.jobs.counts()).toMatchObject({ running: 1 })
  expect(await at.store.transaction(() => at.store.jobs.returnRunning(Date.now()))).toBe(1)
})

test('when the budget is spent the model is not asked, and the rule-based memories stay', async () => {
  await using at = await aModelDesk({ RECOLLECT_MODEL_DAILY_USD: '0.000001' }, '"m-1" = { input = 1, output = 1 }')
  await aTurn(at.desk, 1)
  await at.distillNext()
  expect([models(at.desk), server.asked.length]).toEqual([['plain'], 0])
})

test('redistilling first estimates the cost, then replaces the turns, whose memories get new ids', async () => {
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
  ['a job', (at: ModelDesk) => at.distillNext()],
  ['a second redistill', (at: ModelDesk) => report(at.desk, true)],
])('a turn that %s distills at the same time is paid for once', async (_, meanwhile) => {
  await using at = await aModelDesk()
  await aTurn(at.desk, 1)
  const [requested, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  server.setReply(async () => {
    requested.resolve()
    await answer.promise
    return { text: MODEL_ANSWER }
  })
  const again = report(at.desk, true)
  await requested.promise
  const other = meanwhile(at)
  await Bun.sleep(50) // long enough for a second request
  answer.resolve()
  expect((await again).turns).toBe(1)
  await other
  expect([server.asked.length, models(at.desk)]).toEqual([1, ['m-1']])
})

test('redistilling skips a turn that is not over', async () => {
  await using at = await aModelDesk()
  await aTurn(at.desk, 1, { answer: null })
  expect(await report(at.desk, false)).toMatchObject({ turns: 0, skipped: 1 })
  expect(await report(at.desk, true)).toMatchObject({ turns: 0, skipped: 1 })
  expect(server.asked).toHaveLength(0)
})

test('redistilling stops when a person must act, and continues later', async () => {
  await using at = await aModelDesk()
  for (const number of [1, 2]) await aTurn(at.desk, number)
  let requests = 0
  server.setReply(() => (++requests === 1 ? { text: MODEL_ANSWER } : { status: 401, type: 'authentication_error', message: 'who?' }))
  const stopped = await report(at.desk, true)
  expect([stopped.turns, stopped.messages]).toEqual([1, [expect.stringContaining('stopped')]])
})

test('the person’s own mode is used; a broken or missing one is reported', async () => {
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

test('events of our own sessions with the model are not stored', async () => {
  await using at = await aModelDesk()
  const submitted = event(prompt('Distil this'), { cwd: at.desk.home.thinking })
  const { session } = await take(at.store, submitted, nowhere, at.desk.rules(claudeCode))
  expect([session, [...at.store.sessions.each()]]).toEqual([null, []])
})

type ModelDesk = Awaited<ReturnType<typeof aModelDesk>>

async function aModelDesk(variables: Record<string, string> = {}, prices = '') {
  const at = await someServices({
    RECOLLECT_MODEL_PROVIDER: 'openai',
    RECOLLECT_MODEL_NAME: 'm-1',
    RECOLLECT_MODEL_BASE_URL: server.openai,
    ...variables,
  })
  const { desk, store } = at
  if (prices) writeFileSync(join(desk.home.folder, 'prices.toml'), prices)
  const priced = readPrices(desk.home.folder)
  desk.environment.keys.RECOLLECT_MODEL_API_KEY = server.key
  desk.textModel = await openModels({ ...desk, prices: priced, clean: (text) => text, logInfo: () => {} })
  const distiller = openBackgroundDistiller(desk, async () => {})
  return {
    ...at,
    /** Distills the next waiting turn with the model. */
    distillNext: async () => {
      const next = await store.transaction(() => store.jobs.claim(Date.now() + 10_000))
      if (next?.kind !== 'model-distill') throw new Error('no turn waits for a model')
      distiller.start(next)
      for (let i = 0; i < 4; i++) await distiller.stop()
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
  for (const [ms, turnEvent] of loginTurn(number, given).entries())
    await take(desk.store, event(turnEvent, { at: at + ms }), nowhere, desk.rules(claudeCode))
  const turn = { ...job, number }
  await desk.store.transaction(async () => {
    await distillTurn(desk.store, turn, claudeCode.readAction)
    await queueDistillingByModel(desk, turn, Date.now())
    for (let waiting = await desk.store.jobs.claim(0); waiting; waiting = await desk.store.jobs.claim(0))
      await desk.store.jobs.complete(waiting.id)
  })
}
