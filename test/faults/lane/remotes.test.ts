import { expect, test } from 'bun:test'
import { mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { runGit } from '../../support/machines.ts'
import { until } from '../../support/until.ts'
import { aHome, type FaultyHome } from '../home.ts'
import { aClient } from './client.ts'
import { expectHealthy, expectJournalIsTranscript, processesOf, recover } from './recovery.ts'

const turn = { prompt: 'Which berth is free?', commands: ['ls'], answer: 'Berth 7 is free until noon.' }

test('a remote that accepts connections and never answers holds up no session, and no git is left when the worker stops', async () => {
  using remote = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data: () => {} } })
  await using at = aHome({ RECOLLECT_SYNC_REMOTE: `http://127.0.0.1:${remote.port}/notes.git`, RECOLLECT_GIT_HISTORY: 'false' })
  mkdirSync(join(at.folder, 'project'))
  const client = aClient(at, 'patient')
  await client.start()
  await until(() => gitRuns(at))
  await client.turn(turn)
  await client.end()
  expect((await at.run('', 'status')).code).toBe(0)
  // Only the sync itself is left.
  await until(async () => {
    const { jobs, spooled } = await at.status()
    return jobs.waiting + jobs.running + spooled <= 2
  })
  await expectJournalIsTranscript(at, [client])
  await at.run('', 'stop')
  expect(await processesOf(at)).toEqual([])
}, 300_000)

const LIES: [string, (request: Request) => Response][] = [
  ['with a page for people', () => new Response('<html>Please sign in</html>', { headers: { 'content-type': 'text/html' } })],
  [
    'with half a protocol',
    () =>
      new Response('001e# service=git-upload-pack\n0000ffff', {
        headers: { 'content-type': 'application/x-git-upload-pack-advertisement' },
      }),
  ],
  ['with an error', () => new Response('no', { status: 500 })],
  ['with a redirect in circles', (request) => Response.redirect(request.url, 302)],
]

test.each(LIES)(
  'a remote that answers %s is reported, and the notes wait',
  async (_, lie) => {
    using remote = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: lie })
    await using at = aHome({ RECOLLECT_SYNC_REMOTE: `http://127.0.0.1:${remote.port}/notes.git`, RECOLLECT_GIT_HISTORY: 'false' })
    await at.run('', 'capture', 'Berth 7 is 40 metres long', '--project', 'harbour')
    const report = JSON.parse((await at.run('', 'sync', '--json')).stdout) as { outcome: string; reason: string | null }
    expect([report.outcome === 'synced' && report.reason === null, report.reason === '']).toEqual([false, false])
    expect((await at.rows('notes')).map(({ body }) => body)).toEqual(['Berth 7 is 40 metres long'])
    expect(await syncProblem(at)).toContain(`the last sync failed: ${report.reason}`)
    await recover(at)
    await expectHealthy(at)
  },
  300_000,
)

test('a remote that vanishes and comes back receives what was noted meanwhile', async () => {
  await using at = aHome({ RECOLLECT_GIT_HISTORY: 'false' })
  const remote = join(at.folder, 'notes.git')
  runGit(at.folder, 'init', '--quiet', '--bare', '-b', 'main', remote)
  await at.run('', 'config', 'set', 'sync.remote', remote)
  const sync = async () => JSON.parse((await at.run('', 'sync', '--json')).stdout) as { outcome: string }
  await at.run('', 'capture', 'Berth 1 is short', '--project', 'harbour')
  expect((await sync()).outcome).toBe('synced')
  renameSync(remote, `${remote}.away`)
  await at.run('', 'capture', 'Berth 2 is long', '--project', 'harbour')
  expect((await sync()).outcome).not.toBe('synced')
  expect(await syncProblem(at)).toContain('the last sync failed')
  renameSync(`${remote}.away`, remote)
  expect((await sync()).outcome).toBe('synced')
  expect(await syncProblem(at)).toBeUndefined()
  expect(
    runGit(remote, 'grep', '-h', '-o', 'Berth . is [a-z]*', 'main')
      .split('\n')
      .filter((line) => !line.includes('title')).length,
  ).toBeGreaterThan(1)
  await recover(at)
  await expectHealthy(at)
}, 300_000)

/** What doctor says about a sync that does not work. */
async function syncProblem(at: FaultyHome): Promise<string | undefined> {
  return (await at.doctor()).findings.find(({ what, state }) => what === 'Sync' && state !== 'ok')?.says
}

async function gitRuns(at: FaultyHome): Promise<boolean> {
  return (await processesOf(at, 0)).some((line) => /git.*(fetch|ls-remote|remote-http)/.test(line))
}
