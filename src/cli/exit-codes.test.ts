import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')
const USED = '{"session_id":"s1","tool_use_id":"t1","tool_name":"Bash","hook_event_name":"PostToolUse"}'
const POST_TOOL = ['hooks', 'post-tool', '--session-id', 's1', '--tool-name', 'Bash']
const HOOK = ['hook', 'claude-code']
const KEEP = ['memory', 'capture-memory', '--content', 'Tides are in UTC.']

test('a worker that hangs is a timeout for who asks for codes; hooks go on, and reading works', async () => {
  await using at = await aHome()
  process.kill(at.pid(), 'SIGSTOP')
  try {
    const strict = await Promise.all([POST_TOOL, HOOK, KEEP].map((args) => at.recollect(USED, ...args, '--strict-exit')))
    expect(strict.map(({ code, said }) => [code, said])).toEqual([
      [2, '{}'],
      [2, '{}'],
      [2, ''],
    ])
    const lenient = await Promise.all([POST_TOOL, HOOK, KEEP].map((args) => at.recollect(USED, ...args)))
    expect(lenient.map(({ code }) => code)).toEqual([0, 0, 0])
    const [kept, found] = await Promise.all([at.recollect('', 'capture', 'x', '--json'), at.recollect('', 'search', 'tide', '--all')])
    expect([kept.code, JSON.parse(kept.complained)]).toEqual([2, { error: expect.stringContaining('is paused'), code: 'timeout' }])
    expect([found.code, found.complained]).toEqual([0, expect.stringContaining('read from the disk')])
  } finally {
    process.kill(at.pid(), 'SIGCONT')
  }
}, 60_000)

test('a database that breaks under the worker is said so to who asks for codes, and the next worker makes a new one', async () => {
  await using at = await aHome()
  await at.recollect('', 'demo') // when that is told, the worker has nothing more to do by itself
  breakUnderWorker(at.database)
  // The event that may take longest, for a machine that is busy.
  const begun = ['hooks', 'session-start', '--session-id', 's1', '--strict-exit']
  expect(await at.recollect('{}', ...begun)).toMatchObject({ code: 3, said: '{}' })
  expect((await at.recollect(USED, ...POST_TOOL)).code).toBe(0)
  expect((await at.recollect('', 'start')).code).toBe(0)
  expect((await at.recollect('{}', ...begun)).code).toBe(0)
}, 60_000)

test.each([
  ['is garbage', (database: string) => writeFileSync(database, crypto.getRandomValues(new Uint8Array(60_000))), 'is damaged'],
  ['is of a newer version', (database: string) => sql(database, 'PRAGMA user_version = 9999'), 'newer'],
])(
  'where no worker can be started and the database %s, the code says that it is the database',
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
      const { code, complained } = await at.recollect('', ...args)
      expect([args[0], code, JSON.parse(complained)]).toEqual([args[0], 3, { error: expect.stringContaining(reason), code: 'database' }])
    }
    expect((await at.recollect('', 'memory', 'inject-brief')).code).toBe(0)
  },
  60_000,
)

test('what cannot be meant is invalid input, told in one line; to find nothing is no failure', async () => {
  await using at = await aHome()
  const wrong = [
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
  for (const args of wrong) {
    const { code, said, complained } = await at.recollect('', ...args)
    expect([args, code, said, complained]).toEqual([args, 4, '', expect.stringMatching(/^recollect: .+\n$/)])
  }
  expect((await at.recollect('', 'search', 'nothing that anybody said')).code).toBe(0)
}, 60_000)

/** Writes rubbish over all pages but the first, and something new into the log, so that the worker reads them again. */
function breakUnderWorker(database: string): void {
  sql(database, 'PRAGMA wal_checkpoint(TRUNCATE)', 'CREATE TABLE unknown (x)')
  const file = openSync(database, 'r+')
  const rubbish = crypto.getRandomValues(new Uint8Array(4096))
  for (let at = 4096; at < statSync(database).size; at += 4096) writeSync(file, rubbish, 0, 4096, at)
  closeSync(file)
}

function sql(database: string, ...statements: string[]): void {
  const db = new Database(database)
  for (const statement of statements) db.run(statement)
  db.close()
}

/** A home with a worker that runs. */
async function aHome() {
  const folder = temporaryFolder()
  const home = join(folder.path, '.recollect')
  const recollect = async (stdin: string, ...args: string[]) => {
    const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_WORKER_PORT: '0' }
    const child = Bun.spawn([RECOLLECT, ...args], { env, cwd: folder.path, stdin: new Blob([stdin]), stdout: 'pipe', stderr: 'pipe' })
    const [said, complained, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, said, complained }
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
