import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { residue, SENTENCE, WORDS } from '../../privacy/deleting-support.ts'
import { aHome, type FaultyHome } from '../home.ts'
import { aClient } from './client.ts'
import { expectHealthy, recover, replaceTraced } from './recovery.ts'
import { chooseSteps, MANY_TRIES_MS, tryAt } from './seed.ts'
import { lacksStrace, startTracedWorker } from './traced.ts'

test.skipIf(lacksStrace)(
  'a worker that is killed at any step of a hard deletion completes it when it starts again',
  async () => {
    await using at = aHome({ RECOLLECT_GIT_HISTORY: 'false' })
    await prepare(at)
    const steps = (await deleteSession(at, 0)).steps()
    expect(steps).toBeGreaterThan(50)
    let kills = 0
    const chosen = chooseSteps(steps, 6, 'deletion')
    for (const step of chosen)
      await tryAt('when the worker was killed at step', step, async () => {
        kills += Number((await deleteSession(at, step)).wasKilled())
      })
    expect(kills).toBeGreaterThan(chosen.length / 2)
  },
  MANY_TRIES_MS,
)

/** Two sessions, of which one says words that occur nowhere else, in every way a session can. */
async function prepare(at: FaultyHome): Promise<void> {
  mkdirSync(join(at.folder, 'project'))
  await at.run('', 'start')
  for (const [session, words] of [
    ['kept', 'the harbour'],
    ['gone', SENTENCE],
  ] as const) {
    const client = aClient(at, session)
    await client.start()
    await client.turn({ prompt: `[decision] We call it ${words}.`, commands: [`echo ${words}`], answer: `It is called ${words} now.` })
    await client.end()
  }
  await at.settled()
  await at.run('', 'stop')
  rmSync(join(at.folder, '.claude'), { recursive: true })
  cpSync(at.home.folder, `${at.home.folder}.prepared`, { recursive: true })
}

async function deleteSession(at: FaultyHome, killAt: number) {
  rmSync(at.home.folder, { recursive: true, force: true })
  cpSync(`${at.home.folder}.prepared`, at.home.folder, { recursive: true })
  const worker = await startTracedWorker(at, killAt ? { kind: 'kill', at: killAt } : { kind: 'none' })
  const forget = () => at.run('', 'forget', '--query', WORDS[0] ?? '', '--hard', '--yes')
  const first = await forget()
  await replaceTraced(at, worker)
  // If the worker died before it had accepted the deletion, the command has said so, and the person tries again.
  if (first.code !== 0) expect((await forget()).code).toBe(0)
  await recover(at)
  expect((await at.rows('prompts')).map(({ sessionId }) => sessionId)).toEqual(['kept'])
  expect((await at.rows('tool-uses')).map(({ sessionId }) => sessionId)).toEqual(['kept'])
  await expectHealthy(at)
  expect(await residue(at.home.folder)).toEqual([])
  return worker
}
