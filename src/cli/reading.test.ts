import { expect, test } from 'bun:test'
import { readdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

test('what only reads works where no worker can be started, and leaves nothing behind', async () => {
  await using at = await aHomeWithoutWorker()
  const before = at.files()
  const found = await at.recollect('search', 'tide table cache', '--all', '--json')
  const { hits } = JSON.parse(found.said) as { hits: { id: string; kind: string }[] }
  expect([found.code, hits.length > 0, found.complained]).toEqual([0, true, expect.stringContaining('read from the disk')])
  expect((await at.recollect('get', '1')).said).toContain('#1 ')
  expect((await at.recollect('get', 'P1')).said).toMatch(/^P1 Low tide is shown an hour late .* tidepool-\w+\n\nAnswered:/)
  expect((await at.recollect('timeline', 'tide', '--project', 'tidepool')).said).toContain('►')
  const brief = (await at.recollect('inject', '--project', 'tidepool', '--explain')).said
  expect(brief).toMatch(/Last session[\s\S]+\+ +\d+ files: \d+ of \d+ by amount and recency: .+ \d\.\d/)
  const [, tokens] = /\n(\d+) tokens, \d+ memories told/.exec(brief) ?? []
  expect([...brief.matchAll(/^\+ +(\d+) /gm)].reduce((sum, [, cost]) => sum + Number(cost), 0)).toBe(Number(tokens))
  const recalled = await at.recollect('inject', '--project', 'tidepool', '--prompt', 'the tide table cache', '--explain')
  expect(recalled.said).toMatch(/memory_get[\s\S]+\+ +\d+ [#SP]\d+: it contains \d+ %/)
  const chore = await at.recollect('inject', '--project', 'tidepool', '--prompt', 'commit this', '--explain')
  expect(chore.said).toContain('nothing would be told: it is a chore: everyday words alone ask nothing of memory.\n')
  expect((await at.recollect('notes', '--all', '--json')).code).toBe(0)
  expect((await at.recollect('graph', '1')).code).toBe(0)
  expect((await at.recollect('export', '--json', '--kind', 'prompts')).said.trim().split('\n')).toHaveLength(5)
  expect((await at.recollect('status')).said).toMatch(/Worker +does not run/)
  expect(at.files()).toEqual(before)
}, 60_000)

test('what would change something says that it needs the worker', async () => {
  await using at = await aHomeWithoutWorker()
  const kept = await at.recollect('capture', 'something', '--json')
  expect([kept.code, JSON.parse(kept.complained)]).toEqual([1, { error: expect.stringContaining('does not start'), code: 'error' }])
  expect((await at.recollect('get', 'nonsense')).code).toBe(4)
  const started = await at.recollect('start')
  expect([started.code, started.said, started.complained]).toEqual([1, '', expect.stringContaining('does not start')])
}, 60_000)

const canMount = Bun.spawnSync(['unshare', '-rm', 'true']).success
test.skipIf(!canMount)(
  'a home on a disk that is mounted read-only can be read',
  async () => {
    await using at = await aHomeWithoutWorker({ spoiled: false })
    const mount = `mount --bind ${at.home} ${at.home} && mount -o remount,ro,bind ${at.home}`
    const found = await at.run(['unshare', '-rm', 'sh', '-c', `${mount} && ${RECOLLECT} search tide --all`])
    expect([found.code, found.complained]).toEqual([0, expect.stringContaining('read from the disk')])
    expect(found.said).toContain('tide')
  },
  60_000,
)

// Root may write anywhere, so it hands the home to somebody else and becomes them.
const isRoot = process.getuid?.() === 0
const SOMEBODY = '65534'
const asSomebody = isRoot ? ['setpriv', `--reuid=${SOMEBODY}`, `--regid=${SOMEBODY}`, '--clear-groups'] : []
test.skipIf(isRoot && !Bun.spawnSync([...asSomebody, RECOLLECT, '--version']).success)(
  'a home that its owner made read-only can be read',
  async () => {
    await using at = await aHomeWithoutWorker({ spoiled: false })
    if (isRoot) Bun.spawnSync(['chown', '-R', SOMEBODY, join(at.home, '..')])
    Bun.spawnSync(['chmod', '-R', 'a-w', at.home])
    const reading = [
      ['search', 'tide', '--all'],
      ['get', '1'],
      ['timeline', 'tide', '--project', 'tidepool'],
      ['notes', '--all'],
    ]
    reading.push(['graph', '1'], ['inject', '--project', 'tidepool'], ['status'], ['export', '--json', '--kind', 'prompts'])
    for (const args of reading) {
      const read = await at.run([...asSomebody, RECOLLECT, ...args])
      expect([args[0], read.code, read.complained]).toEqual([args[0], 0, expect.stringContaining('read from the disk')])
    }
    Bun.spawnSync(['chmod', '-R', 'u+w', at.home])
  },
  120_000,
)

/** The sample history in a home; spoiled, a file stands where the worker's folder should be. */
async function aHomeWithoutWorker({ spoiled = true } = {}) {
  const folder = temporaryFolder()
  const home = join(folder.path, '.recollect')
  const run = async (command: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
    const child = Bun.spawn(command, { env, cwd: folder.path, stdout: 'pipe', stderr: 'pipe' })
    const [said, complained, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, said, complained }
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
