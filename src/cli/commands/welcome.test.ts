import { expect, test } from 'bun:test'
import { dirname, join } from 'node:path'
import { temporaryFolder } from '../../../test/support/builders.ts'

const ROOT = join(import.meta.dir, '..', '..', '..')

test('a newcomer reads three lines, and each command in them works as printed', async () => {
  using folder = temporaryFolder()
  const env = { PATH: `${dirname(process.execPath)}:/usr/bin:/bin`, HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
  const run = async (command: string) => {
    const child = Bun.spawn(['sh', '-c', command], { env, cwd: ROOT, stdout: 'pipe', stderr: 'pipe' })
    return { out: await child.stdout.text(), code: await child.exited }
  }
  const lines = async (command: string) => (await run(command)).out.trimEnd().split('\n')

  const empty = await lines('bin/recollect welcome')
  expect(empty).toEqual([
    `Recollect is running. Everything stays on this machine, in ${folder.path}/.recollect.`,
    'No agent history was found here yet. To look around in a sample: bin/recollect demo',
    'Next, connect Claude Code: bin/recollect init',
  ])

  const [, found = '', next = ''] = await lines('bin/recollect welcome --demo')
  const [, search = ''] = /^Found \d+ sessions in 1 project\. Try: (.+)$/.exec(found) ?? []
  const hits = await run(search)
  expect([hits.code, hits.out]).toEqual([0, expect.stringMatching(/^[#PSNC]\w*\d? +\d/m)])
  expect(await lines('bin/recollect doctor')).toContain('         bin/recollect init')
  const connected = await run(`${next.split(': ')[1]} --yes --no-mcp`)
  expect([connected.code, connected.out]).toEqual([
    0,
    expect.stringContaining('bin/recollect doctor. To remove it: bin/recollect uninstall.'),
  ])
  expect((await lines('bin/recollect welcome')).at(-1)).toBe('Claude Code is connected. To browse what it remembers: bin/recollect view')
  await run('bin/recollect stop')
}, 300_000)
