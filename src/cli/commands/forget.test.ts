import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', '..', 'bin', 'recollect')

test('memories of every kind are deleted, listed, restored and erased from the command line', async () => {
  using folder = temporaryFolder()
  const recollect = async (...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
    const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, stdout, stderr }
  }
  await recollect('demo')
  const { note } = JSON.parse((await recollect('capture', 'Tides are in UTC.', '--json')).stdout) as { note: { id: string } }
  expect((await recollect('forget', '#1', '99999')).stderr).toContain('no observation has the id #99999')
  expect((await recollect('get', '1')).code).toBe(0)
  expect((await recollect('forget', '1', `N${note.id}`, '--dry-run')).stdout).toMatch(/^Would delete:\n {2}#1 .+\n {2}N/)
  expect(JSON.parse((await recollect('forget', '1', `N${note.id}`, '--json')).stdout)).toMatchObject({
    hard: false,
    counts: { observations: 1, notes: 1 },
    items: [{ id: '#1' }, { id: `N${note.id}` }],
  })
  expect((await recollect('get', '1')).stderr).toContain('no memory has the id 1')
  expect((await recollect('restore')).stdout).toMatch(/^N\w+ .*\n#1 |^#1 .*\nN/m)
  expect((await recollect('restore', '1', `N${note.id}`)).stdout).toMatch(/^Restored: #1 .+\nRestored: N/)
  expect((await recollect('restore', 'S1')).stdout).toContain('Not deleted, so not changed: S1')
  expect((await recollect('timeline', 'S1')).stdout).toMatch(/^► +S1 /m)
  expect((await recollect('forget', 'P1', 'S2')).stdout).toMatch(/^Deleted:\n {2}P1 /)
  expect((await recollect('forget', 'P2', '--hard')).stderr).toContain('Pass --yes to continue')
  expect((await recollect('forget', '--project', 'tidepool')).stderr).toContain('Pass --yes to continue')
  expect((await recollect('forget', 'P2', '--project', 'tidepool')).stderr).toContain('either ids or filters')
  expect((await recollect('forget')).stderr).toContain('delete what?')
  expect((await recollect('forget', 'P2', '--hard', '--yes')).stdout).toContain('No byte of it is left')
  expect((await recollect('restore', 'P2')).stderr).toContain('P2 was not deleted, or')
  expect((await recollect('forget', '--query', 'xyzzyplugh', '--yes')).stdout).toContain('Nothing matches')
  expect((await recollect('forget', '--project', 'tidepool', '--yes')).stdout).toMatch(/In all: \d+ sessions?, /)
  expect((await recollect('edit', '1', '--title', 'x')).stderr).toContain('"1" is not the id of a note')
  const audit = JSON.parse((await recollect('audit', '--json', '--since', '1d')).stdout) as { action: string; subject: string }[]
  expect(audit.map(({ action }) => action)).toEqual(expect.arrayContaining(['capture', 'import', 'forget', 'restore', 'erase']))
  expect(JSON.stringify(audit)).not.toContain('Tides')
  expect((await recollect('audit', '--limit', '1')).stdout.trim().split('\n')).toHaveLength(1)
  await recollect('stop')
}, 300_000)
