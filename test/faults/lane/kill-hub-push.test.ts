import { expect, test } from 'bun:test'
import { postgresOrSkip } from '../../support/postgres.ts'
import { type RunningHub, runningHub } from '../../support/team-flow.ts'
import { aHome, type FaultyHome } from '../home.ts'
import { expectHealthy, recover, replaceTraced } from './recovery.ts'
import { chooseSteps, MANY_TRIES_MS, tryAt } from './seed.ts'
import { lacksStrace, startTracedWorker } from './traced.ts'

const it = lacksStrace ? test.skip : postgresOrSkip()

it(
  'a worker that is killed at any step of sharing a note loses none, doubles none, and takes back what was deleted',
  async () => {
    await using hub = await runningHub()
    await using reader = aHome({ RECOLLECT_GIT_HISTORY: 'false' })
    await ok(reader, 'team', 'join', hub.url, await hub.invite('ben'), '--device', 'ben-laptop')
    const { steps } = await share(hub, reader, 'counted', 0)
    expect(steps).toBeGreaterThan(10)
    let kills = 0
    for (const step of chooseSteps(steps, 6, 'hub push'))
      await tryAt('when the worker was killed at step', step, async () => {
        if ((await share(hub, reader, `killed-at-${step}`, step)).wasKilled) kills++
      })
    expect(kills).toBeGreaterThan(0)
  },
  MANY_TRIES_MS,
)

/** Writes, shares and deletes notes of a new project while the worker may be killed. Afterwards another member has exactly what the author has. */
async function share(hub: RunningHub, reader: FaultyHome, project: string, killAt: number) {
  await using author = aHome({ RECOLLECT_GIT_HISTORY: 'false' })
  await ok(author, 'team', 'join', hub.url, await hub.invite(`author-${project}`), '--device', 'laptop')
  await ok(author, 'capture', `Berth 0 of ${project}`, '--project', project)
  await ok(author, 'team', 'share', project, '--yes')
  await ok(author, 'team', 'grant', project, 'ben', 'read')
  await ok(author, 'stop')

  const worker = await startTracedWorker(author, killAt ? { kind: 'kill', at: killAt } : { kind: 'none' })
  const reported: string[] = []
  for (const berth of [1, 2, 3]) {
    const text = `Berth ${berth} of ${project}`
    if ((await author.run('', 'capture', text, '--project', project)).code === 0) reported.push(text)
  }
  await author.run('', 'team', 'sync')
  const [first] = (await author.rows<Note>('notes')).filter(({ body }) => body.startsWith('Berth 0'))
  const isDeleted = (await author.run('', 'forget', `N${first?.id}`, '--yes')).code === 0
  await author.run('', 'team', 'sync')

  await replaceTraced(author, worker)
  await ok(author, 'team', 'sync')
  await ok(reader, 'team', 'sync')
  await recover(reader)
  const written = await bodiesOf(author, project)
  expect(written).toEqual(expect.arrayContaining(reported))
  expect(new Set(written).size).toBe(written.length)
  if (isDeleted) expect(written).not.toContain(`Berth 0 of ${project}`)
  expect(await bodiesOf(reader, project)).toEqual(written)
  await expectHealthy(author)
  return { steps: worker.steps(), wasKilled: worker.wasKilled() }
}

type Note = { id: string; body: string; project: string }

async function bodiesOf(at: FaultyHome, project: string): Promise<string[]> {
  const { notes } = JSON.parse((await ok(at, 'notes', '--all', '--json')).stdout) as { notes: Note[] }
  return notes
    .filter((note) => note.project === project)
    .map(({ body }) => body)
    .sort()
}

async function ok(at: FaultyHome, ...args: string[]) {
  const ran = await at.run('', ...args)
  if (ran.code !== 0) throw new Error(`recollect ${args.join(' ')} ended with ${ran.code}: ${ran.stderr || ran.stdout}`)
  return ran
}
