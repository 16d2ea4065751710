import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { aModelServer } from '../../support/model-server.ts'
import { until } from '../../support/until.ts'
import { aHome, type FaultyHome } from '../home.ts'
import { aClient, type Turn } from './client.ts'
import { expectJournalIsTranscript, processesOf } from './recovery.ts'

const longTurn = (n: number): Turn => ({
  prompt: `Change table ${n}`,
  commands: Array.from({ length: 6 }, (_, i) => `npm test -- table-${n}-${i} ${'--verbose '.repeat(60)}`),
  answer: Array.from({ length: 30 }, (_, i) => `Column ${i} of table ${n} is changed, and its tests pass.`).join(' '),
})

function homeWithModel(server: ReturnType<typeof aModelServer>): FaultyHome {
  const at = aHome({
    RECOLLECT_GIT_HISTORY: 'false',
    RECOLLECT_MODEL_PROVIDER: 'anthropic',
    RECOLLECT_MODEL_NAME: 'a-model',
    RECOLLECT_MODEL_BASE_URL: server.anthropic,
    RECOLLECT_MODEL_API_KEY: server.key,
  })
  mkdirSync(join(at.folder, 'project'))
  return at
}

test('a model that never answers: turns are distilled by rules, no hook waits, and the worker stops at once', async () => {
  const never = Promise.withResolvers<never>()
  using server = aModelServer(() => ({ response: () => never.promise }))
  await using at = homeWithModel(server)
  const client = aClient(at, 'stalled')
  await client.start()
  for (const n of [1, 2]) await client.turn(longTurn(n))
  for (const until = Date.now() + 60_000; Date.now() < until && server.asked.length === 0; ) await Bun.sleep(50)
  if (server.asked.length === 0) throw new Error(`the model was not asked:\n${(await at.run('', 'status')).stdout}${at.log()}`)
  await client.end()
  await until(async () => (await at.rows('summaries')).length === 2)
  await expectJournalIsTranscript(at, [client])
  const { jobs } = await at.status()
  expect(jobs.dead).toBe(0)
  const started = performance.now()
  await at.run('', 'stop')
  expect(performance.now() - started).toBeLessThan(20_000)
  expect(await processesOf(at)).toEqual([])
}, 300_000)

test('a model that refuses: turns are distilled by rules, and doctor says why', async () => {
  using server = aModelServer(() => ({ status: 401, type: 'authentication_error', message: 'who are you?' }))
  await using at = homeWithModel(server)
  const client = aClient(at, 'refused')
  await client.start()
  await client.turn(longTurn(1))
  await client.end()
  const finding = async () => (await at.doctor()).findings.find(({ what }) => what === 'Text model')
  await until(async () => (await finding())?.state === 'warning')
  expect((await finding())?.says).toMatch(/who are you\?.*turns are distilled by rules/)
  await expectJournalIsTranscript(at, [client])
}, 300_000)
