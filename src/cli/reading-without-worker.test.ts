import { expect, test } from 'bun:test'
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

test('reading commands work without a worker and leave no files behind', async () => {
  await using at = await aHomeWithoutWorker()
  const before = at.files()
  const found = await at.recollect('search', 'tide table cache', '--all', '--json')
  const { hits } = JSON.parse(found.stdout) as { hits: { id: string; kind: string }[] }
  expect([found.code, hits.length > 0, found.stderr]).toEqual([0, true, expect.stringContaining('read from the disk')])
  expect((await at.recollect('get', '1')).stdout).toContain('#1 ')
  expect((await at.recollect('get', 'P1')).stdout).toMatch(/^P1 Low tide is shown an hour late .* tidepool-\w+\n\nAnswer:/)
  expect((await at.recollect('timeline', 'tide', '--project', 'tidepool')).stdout).toContain('►')
  const brief = (await at.recollect('inject', '--project', 'tidepool', '--explain')).stdout
  expect(brief).toMatch(/Last session[\s\S]+\+ +\d+ S\d+: the last summary/)
  const [, tokens] = /\n(\d+) tokens, \d+ memories shown/.exec(brief) ?? []
  expect([...brief.matchAll(/^\+ +(\d+) /gm)].reduce((sum, [, cost]) => sum + Number(cost), 0)).toBe(Number(tokens))
  const recalled = await at.recollect('inject', '--project', 'tidepool', '--prompt', 'the tide table cache', '--explain')
  expect(recalled.stdout).toMatch(/memory_get[\s\S]+\+ +\d+ [#SP]\d+: .*\d+ %/)
  const smallTalk = await at.recollect('inject', '--project', 'tidepool', '--prompt', 'commit this', '--explain')
  expect(smallTalk.stdout).toMatch(/^This prompt would recall nothing: .+\.\n/)
  expect((await at.recollect('notes', '--all', '--json')).code).toBe(0)
  expect((await at.recollect('graph', '1')).code).toBe(0)
  expect((await at.recollect('export', '--json', '--kind', 'prompts')).stdout.trim().split('\n')).toHaveLength(5)
  expect((await at.recollect('status')).stdout).toMatch(/Worker +not running/)
  expect(at.files()).toEqual(before)
}, 300_000)

test('writing commands fail without a worker, and the error says so', async () => {
  await using at = await aHomeWithoutWorker()
  const kept = await at.recollect('capture', 'something', '--json')
  expect([kept.code, JSON.parse(kept.stderr)]).toEqual([1, { error: expect.stringContaining('does not start'), code: 'error' }])
  expect((await at.recollect('get', 'nonsense')).code).toBe(4)
  const started = await at.recollect('start')
  expect([started.code, started.stdout, started.stderr]).toEqual([1, '', expect.stringContaining('does not start')])
}, 300_000)

const canMount = Bun.spawnSync(['unshare', '-rm', 'true']).success
test.skipIf(!canMount)(
  'reading commands work on a read-only disk',
  async () => {
    await using at = await aHomeWithoutWorker({ spoiled: false })
    const mount = `mount --bind ${at.home} ${at.home} && mount -o remount,ro,bind ${at.home}`
    const found = await at.run(['unshare', '-rm', 'sh', '-c', `${mount} && ${RECOLLECT} search tide --all`])
    expect([found.code, found.stderr]).toEqual([0, expect.stringContaining('read from the disk')])
    expect(found.stdout).toContain('tide')
  },
  300_000,
)

// Root can write anywhere, so the test gives the home to another user and runs as that user.
const isRoot = process.getuid?.() === 0
const OTHER_USER = '65534'
const asOtherUser = isRoot ? ['setpriv', `--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, '--clear-groups'] : []
test.skipIf(isRoot && !Bun.spawnSync([...asOtherUser, RECOLLECT, '--version']).success)(
  'reading commands work in a read-only home',
  async () => {
    await using at = await aHomeWithoutWorker({ spoiled: false })
    if (isRoot) Bun.spawnSync(['chown', '-R', OTHER_USER, join(at.home, '..')])
    Bun.spawnSync(['chmod', '-R', 'a-w', at.home])
    const reading = [
      ['search', 'tide', '--all'],
      ['get', '1'],
      ['timeline', 'tide', '--project', 'tidepool'],
      ['notes', '--all'],
    ]
    reading.push(['graph', '1'], ['inject', '--project', 'tidepool'], ['status'], ['export', '--json', '--kind', 'prompts'])
    for (const args of reading) {
      const read = await at.run([...asOtherUser, RECOLLECT, ...args])
      expect([args[0], read.code, read.stderr]).toEqual([args[0], 0, expect.stringContaining('read from the disk')])
    }
    Bun.spawnSync(['chmod', '-R', 'u+w', at.home])
  },
  300_000,
)

/** A home with the sample history. If it is spoiled, a file takes the place of the worker's folder, so no worker starts. */
async function aHomeWithoutWorker({ spoiled = true } = {}) {
  const folder = temporaryFolder()
  const home = join(folder.path, '.recollect')
  const run = async (command: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
    const child = Bun.spawn(command, { env, cwd: folder.path, stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, stdout, stderr }
  }
  const recollect = (...args: string[]) => run([RECOLLECT, ...args])
  await recollect('demo')
  await recollect('stop')
  if (spoiled) {
    renameSync(join(home, 'run'), join(folder.path, 'run'))
    writeFileSync(join(home, 'run'), '')
  }
  return {
    home,
    run,
    recollect,
    files: () =>
      readdirSync(home, { recursive: true, encoding: 'utf8' })
        .filter((file) => !/-(wal|shm)$/.test(file))
        .sort(),
    [Symbol.asyncDispose]: async () => folder[Symbol.dispose](),
  }
}
