import { expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { garbage } from '../../test/support/garbage.ts'
import { openWorkerDatabase } from '../../test/support/worker-database.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')
const USED = '{"session_id":"s1","tool_use_id":"t1","tool_name":"Bash","hook_event_name":"PostToolUse"}'
const POST_TOOL = ['hooks', 'post-tool', '--session-id', 's1', '--tool-name', 'Bash']
const HOOK = ['hook', 'claude-code']
const KEEP = ['memory', 'capture-memory', '--content', 'Tides are in UTC.']

test('a hanging worker means exit code 2 with --strict-exit, hooks still exit with 0, and reading works', async () => {
  await using at = await aHome()
  process.kill(at.pid(), 'SIGSTOP')
  try {
    const strict = await Promise.all([POST_TOOL, HOOK, KEEP].map((args) => at.recollect(USED, ...args, '--strict-exit')))
    expect(strict.map(({ code, stdout }) => [code, stdout])).toEqual([
      [2, '{}'],
      [2, '{}'],
      [2, ''],
    ])
    const lenient = await Promise.all([POST_TOOL, HOOK, KEEP].map((args) => at.recollect(USED, ...args)))
    expect(lenient.map(({ code }) => code)).toEqual([0, 0, 0])
    const [kept, found] = await Promise.all([at.recollect('', 'capture', 'x', '--json'), at.recollect('', 'search', 'tide', '--all')])
    expect([kept.code, JSON.parse(kept.stderr)]).toEqual([2, { error: expect.stringContaining('is paused'), code: 'timeout' }])
    expect([found.code, found.stderr]).toEqual([0, expect.stringContaining('read from the disk')])
  } finally {
    process.kill(at.pid(), 'SIGCONT')
  }
}, 300_000)

test('a database that breaks while the worker runs means exit code 3 with --strict-exit, and the next worker creates a new one', async () => {
  await using at = await aHome()
  await at.recollect('', 'demo') // after this the worker has no jobs left
  breakUnderWorker(at.database)
  // The event with the longest deadline, because the machine may be busy.
  const sessionStart = ['hooks', 'session-start', '--session-id', 's1', '--strict-exit']
  expect(await at.recollect('{}', ...sessionStart)).toMatchObject({ code: 3, stdout: '{}' })
  expect((await at.recollect(USED, ...POST_TOOL)).code).toBe(0)
  expect((await at.recollect('', 'start')).code).toBe(0)
  expect((await at.recollect('{}', ...sessionStart)).code).toBe(0)
}, 300_000)

test.each([
  ['is garbage', (database: string) => writeFileSync(database, garbage(60_000)), 'is damaged'],
  ['has a newer version', (database: string) => sql(database, 'PRAGMA user_version = 9999'), 'newer'],
])(
  'if no worker starts and the database %s, the exit code is 3',
  async (_, spoil, reason) => {
    await using at = await aHome()
    await at.recollect('', 'stop')
    for (const log of ['-wal', '-shm']) rmSync(at.database + log, { force: true })
    spoil(at.database)
    renameSync(join(at.home, 'run'), join(at.home, 'run.away'))
    writeFileSync(join(at.home, 'run'), '')
    const forms = [
      ['search', 'tide', '--json'],
      ['get', '1', '--json'],
      ['eval', '--json'],
      ['memory', 'inject-brief', '--strict-exit', '--json'],
    ]
    for (const args of forms) {
      const { code, stderr } = await at.recollect('', ...args)
      expect([args[0], code, JSON.parse(stderr)]).toEqual([args[0], 3, { error: expect.stringContaining(reason), code: 'database' }])
    }
    expect((await at.recollect('', 'memory', 'inject-brief')).code).toBe(0)
  },
  300_000,
)

test('invalid input means exit code 4 and one line; finding nothing is not an error', async () => {
  await using at = await aHome()
  const invalid = [
    ['serach', 'tide'],
    ['search'],
    ['search', 'tide', '--limit', 'few'],
    ['get', 'nonsense'],
    ['get', '999999'],
    ['edit', 'N01ARZ3NDEKTSV4RRFFQ69G5FAV', '--title', 'x'],
    ['forget', 'x'],
    ['restore', 'x'],
    ['config', 'set', 'no.such', '1'],
    ['import', '/nowhere'],
    ['completion', 'tcsh'],
  ]
  for (const args of invalid) {
    const { code, stdout, stderr } = await at.recollect('', ...args)
    expect([args, code, stdout, stderr]).toEqual([args, 4, '', expect.stringMatching(/^recollect: .+\n$/)])
  }
  expect((await at.recollect('', 'search', 'xylophone glockenspiel')).code).toBe(0)
}, 300_000)

/** Overwrites all pages but the first, and writes to the WAL so that the worker reads them again. */
function breakUnderWorker(database: string): void {
  sql(database, 'PRAGMA wal_checkpoint(TRUNCATE)', 'CREATE TABLE unknown (x)')
  const file = openSync(database, 'r+')
  const page = garbage(4096)
  for (let at = 4096; at < statSync(database).size; at += 4096) writeSync(file, page, 0, 4096, at)
  closeSync(file)
}

function sql(database: string, ...statements: string[]): void {
  const db = openWorkerDatabase(database)
  for (const statement of statements) db.run(statement)
  db.close()
}

/** A home with a running worker. */
async function aHome() {
  const folder = temporaryFolder()
  const home = join(folder.path, '.recollect')
  const recollect = async (stdin: string, ...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0', RECOLLECT_EMBEDDER_PROVIDER: 'none' }
    const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path, stdin: new Blob([stdin]), stdout: 'pipe', stderr: 'pipe' })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, stdout, stderr }
  }
  await recollect('', 'start')
  return {
    home,
    database: join(home, 'recollect.db'),
    recollect,
    pid: () => (JSON.parse(readFileSync(join(home, 'run', 'worker.json'), 'utf8')) as { pid: number }).pid,
    [Symbol.asyncDispose]: async () => {
      await recollect('', 'stop')
      folder[Symbol.dispose]()
    },
  }
}
