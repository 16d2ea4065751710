import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { aModelServer } from '../../support/model-server.ts'
import { aHome } from '../home.ts'
import { aClient } from './client.ts'
import { expectJournalIsTranscript, processesOf } from './recovery.ts'

test('a model that never answers: turns are distilled by rules, no hook waits, and the worker stops at once', async () => {
  const never = Promise.withResolvers<never>()
  using server = aModelServer(() => ({ response: () => never.promise }))
  await using at = aHome({
    RECOLLECT_GIT_HISTORY: 'false',
    RECOLLECT_MODEL_PROVIDER: 'anthropic',
    RECOLLECT_MODEL_NAME: 'a-model',
    RECOLLECT_MODEL_BASE_URL: server.anthropic,
    RECOLLECT_MODEL_API_KEY: server.key,
  })
  mkdirSync(join(at.folder, 'project'))
  const client = aClient(at, 'stalled')
  await client.start()
  for (const n of [1, 2])
    await client.turn({
      prompt: `Change table ${n}`,
      commands: Array.from({ length: 6 }, (_, i) => `npm test -- table-${n}-${i} ${'--verbose '.repeat(60)}`),
      answer: Array.from({ length: 30 }, (_, i) => `Column ${i} of table ${n} is changed, and its tests pass.`).join(' '),
    })
  for (const until = Date.now() + 60_000; Date.now() < until && server.asked.length === 0; ) await Bun.sleep(50)
  if (server.asked.length === 0) throw new Error(`the model was not asked:\n${(await at.run('', 'status')).stdout}${at.log()}`)
  await client.end()
  for (const until = Date.now() + 60_000; Date.now() < until && (await at.rows('summaries')).length < 2; ) await Bun.sleep(100)
  await expectJournalIsTranscript(at, [client])
  const { jobs } = await at.status()
  expect(jobs.dead).toBe(0)
  const started = performance.now()
  await at.run('', 'stop')
  expect(performance.now() - started).toBeLessThan(20_000)
  expect(await processesOf(at)).toEqual([])
}, 300_000)
