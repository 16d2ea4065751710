import { expect, test } from 'bun:test'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from '../../support/machines.ts'
import { aHome, type FaultyHome } from '../home.ts'
import { expectHealthy, recover, replaceTraced } from './recovery.ts'
import { chooseSteps, MANY_TRIES_MS, tryAt } from './seed.ts'
import { lacksStrace, startTracedWorker } from './traced.ts'

const NOTES = Array.from({ length: 6 }, (_, i) => `Berth ${i} is ${i * 10} metres long`)

test.skipIf(lacksStrace)(
  'a worker or a git that is killed at any step of a sync loses no note and leaves no lock',
  async () => {
    await using at = aHome({ RECOLLECT_GIT_HISTORY: 'false' })
    await using other = aHome({ RECOLLECT_GIT_HISTORY: 'false' })
    await prepare(at, other)
    const steps = (await sync(at, 0)).steps()
    expect(steps).toBeGreaterThan(20)
    for (const step of chooseSteps(steps, 6, 'sync'))
      await tryAt('when a process was killed at step', step, async () => void (await sync(at, step)))
  },
  MANY_TRIES_MS,
)

/** Notes of another machine at the remote, and notes here that were never synced. */
async function prepare(at: FaultyHome, other: FaultyHome): Promise<void> {
  const remote = join(at.folder, 'remote.git')
  runGit(at.folder, 'init', '--quiet', '--bare', '-b', 'main', remote)
  for (const [machine, notes] of [
    [other, NOTES.slice(0, 3)],
    [at, NOTES.slice(3)],
  ] as const) {
    for (const note of notes) await machine.run('', 'capture', note, '--project', 'harbour')
    if (machine === other) {
      expect((await machine.run('', 'config', 'set', 'sync.remote', remote)).code).toBe(0)
      expect((await machine.run('', 'sync')).code).toBe(0)
    }
    await machine.settled()
    await machine.run('', 'stop')
  }
  for (const path of [at.home.folder, remote]) cpSync(path, `${path}.prepared`, { recursive: true })
}

async function sync(at: FaultyHome, killAt: number) {
  for (const path of [at.home.folder, join(at.folder, 'remote.git')]) {
    rmSync(path, { recursive: true, force: true })
    cpSync(`${path}.prepared`, path, { recursive: true })
  }
  await at.run('', 'config', 'set', 'sync.remote', join(at.folder, 'remote.git'))
  await at.run('', 'stop')
  const worker = await startTracedWorker(at, killAt ? { kind: 'kill', at: killAt } : { kind: 'none' })
  await at.run('', 'sync')
  await replaceTraced(at, worker)
  expect(JSON.parse((await at.run('', 'sync', '--json')).stdout)).toMatchObject({ outcome: 'synced', reason: null })
  await recover(at)
  const bodies = (await at.rows<{ body: string }>('notes')).map(({ body }) => body)
  expect(bodies.sort()).toEqual([...NOTES])
  const sent = runGit(join(at.folder, 'remote.git'), 'grep', '-h', 'Berth', 'main', '--', '*.md')
  for (const note of NOTES) expect(sent.split(note).length - 1).toBeGreaterThan(0)
  await expectHealthy(at)
  return worker
}
