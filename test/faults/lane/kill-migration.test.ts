import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { makeOlderHome, OLDER_TEXTS } from '../../support/older-home.ts'
import { aHome, type FaultyHome } from '../home.ts'
import { expectHealthy, replaceTraced } from './recovery.ts'
import { chooseSteps, MANY_TRIES_MS, tryAt } from './seed.ts'
import { lacksStrace, startTracedWorker } from './traced.ts'

test.skipIf(lacksStrace)(
  'a worker that is killed at any step of an upgrade leaves a home that the next one upgrades',
  async () => {
    await using at = aHome({ RECOLLECT_GIT_HISTORY: 'false', RECOLLECT_RETENTION_TOOL_USES_DAYS: '36500' })
    const steps = (await upgrade(at, 0)).steps()
    expect(steps).toBeGreaterThan(100)
    let kills = 0
    const chosen = chooseSteps(steps, 8, 'migration')
    for (const step of chosen)
      await tryAt('when the worker was killed at step', step, async () => {
        kills += Number((await upgrade(at, step)).wasKilled())
      })
    expect(kills).toBeGreaterThan(chosen.length / 2)
  },
  MANY_TRIES_MS,
)

/** Opens a home of the first version with a worker that is killed, and then with another one. */
async function upgrade(at: FaultyHome, killAt: number) {
  rmSync(at.home.folder, { recursive: true, force: true })
  makeOlderHome(at.home.folder, 1)
  const worker = await startTracedWorker(at, killAt ? { kind: 'kill', at: killAt } : { kind: 'none' })
  await replaceTraced(at, worker)
  expect((await at.rows('prompts')).map(({ text }) => text)).toEqual(OLDER_TEXTS.prompts)
  expect((await at.rows('tool-uses')).map(({ toolUseId }) => toolUseId)).toEqual(['t1', 't2'])
  expect((await at.rows('notes')).filter(({ body }) => body === OLDER_TEXTS.note)).toHaveLength(1)
  await expectHealthy(at)
  return worker
}
