import { expect, test } from 'bun:test'
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { aHome, type FaultyHome } from '../home.ts'
import { aClient, type Turn } from './client.ts'
import { expectHealthy, expectJournalIsTranscript, replaceTraced } from './recovery.ts'
import { chooseSteps, MANY_TRIES_MS, tryAt } from './seed.ts'
import { lacksStrace, startTracedWorker } from './traced.ts'

const TURNS: Turn[] = [
  { prompt: '[decision] We store tides in UTC. Change the table.', commands: ['npm test', 'git status'], answer: 'The table uses UTC.' },
  { prompt: 'Why is the ferry late?', commands: ['cat ferry.log'], answer: 'The ferry waits for the tide, see ferry.log.' },
]

test.skipIf(lacksStrace)(
  'a worker that is killed at any step of capturing, distilling and indexing loses and doubles nothing',
  async () => {
    await using at = aHome({ RECOLLECT_GIT_HISTORY: 'false' })
    await prepare(at)
    const clean = await runStory(at, 0)
    const steps = clean.steps()
    expect(steps).toBeGreaterThan(50)
    let kills = 0
    const chosen = chooseSteps(steps, 10, 'capture')
    for (const step of chosen) {
      await tryAt('when the worker was killed at step', step, async () => {
        restorePrepared(at)
        kills += Number((await runStory(at, step)).wasKilled())
      })
    }
    // The last steps may not be reached, because no two runs are quite the same.
    expect(kills).toBeGreaterThan(chosen.length / 2)
  },
  MANY_TRIES_MS,
)

/** An empty home, so that its creation is not among the steps. */
async function prepare(at: FaultyHome): Promise<void> {
  mkdirSync(join(at.folder, 'project'))
  await at.run('', 'start')
  await at.settled()
  await at.run('', 'stop')
  cpSync(at.home.folder, `${at.home.folder}.prepared`, { recursive: true })
}

function restorePrepared(at: FaultyHome): void {
  for (const folder of [at.home.folder, join(at.folder, '.claude')]) rmSync(folder, { recursive: true, force: true })
  cpSync(`${at.home.folder}.prepared`, at.home.folder, { recursive: true })
}

/** A session during which the worker is killed, and all that must be true afterwards. */
async function runStory(at: FaultyHome, killAt: number) {
  const worker = await startTracedWorker(at, killAt ? { kind: 'kill', at: killAt } : { kind: 'none' })
  const client = aClient(at, `session-${killAt}`)
  await client.start()
  for (const turn of TURNS) await client.turn(turn)
  await client.end()
  await replaceTraced(at, worker)
  await expectJournalIsTranscript(at, [client])
  const notes = await at.rows('notes')
  expect(notes.filter(({ type, body }) => type !== 'episodic' && String(body).includes('We store tides in UTC'))).toHaveLength(1)
  expect(notes.filter(({ type }) => type === 'episodic')).toHaveLength(1)
  const found = JSON.parse((await at.run('', 'search', 'ferry late tide', '--json', '--all')).stdout) as { hits: { title: string }[] }
  expect(found.hits.length).toBeGreaterThan(0)
  await expectHealthy(at)
  return worker
}
