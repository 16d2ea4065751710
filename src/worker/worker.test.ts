import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAtRest } from '../../test/support/at-rest.ts'
import { environment, temporaryFolder } from '../../test/support/builders.ts'
import { transcript } from '../../test/support/transcript.ts'
import { openWorkerDatabase } from '../../test/support/worker-database.ts'
import { readJsonIfThere } from '../platform/files.ts'
import { homePaths } from '../platform/paths.ts'
import { isRunning } from '../platform/processes.ts'
import type { WorkerStatus } from '../wire/contract/status.ts'
import { askWorker, type WorkerRequest } from '../wire/socket.ts'
import { spoolSize } from '../wire/spool.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

test('of two workers started at the same time one remains', async () => {
  await using at = aHome()
  const started = [at.start(), at.start()]
  await at.answers()
  const codes = await Promise.all(started.filter((child) => child.pid !== at.worker().pid).map((child) => child.exited))
  expect(codes).toEqual([0])
  expect(isRunning(at.worker().pid)).toBe(true)
})

test('only the owner can read the files that the worker writes', async () => {
  await using at = aHome()
  at.start()
  await at.answers()
  await at.hook({ hook_event_name: 'UserPromptSubmit', prompt: 'go' })
  const modes = (paths: string[]) => paths.map((path) => [path.slice(at.home.folder.length), statSync(path).mode & 0o777])
  const { folder, run, spool, logs, database, token, socket, workerFile } = at.home
  for (const [path, mode] of modes([folder, run, spool, logs])) expect([path, mode]).toEqual([path, 0o700])
  const files = [database, `${database}-wal`, token, socket, workerFile, ...readdirSync(logs).map((name) => join(logs, name))]
  for (const [path, mode] of modes(files)) expect([path, mode]).toEqual([path, 0o600])
})

test('a database from before there were links gets them in the background', async () => {
  await using at = aHome()
  at.start()
  await at.answers()
  await at.hook({ hook_event_name: 'UserPromptSubmit', prompt: 'fix src/pelican.ts', prompt_id: 'p1' })
  await at.hook({ hook_event_name: 'Stop', last_assistant_message: 'Fixed src/pelican.ts', prompt_id: 'p1' })
  await at.settled()
  await askWorker(at.home, '/api/shutdown', { method: 'POST', timeoutMs: 5000 })
  while (existsSync(at.home.workerFile)) await Bun.sleep(5)
  const names = () => {
    using db = openWorkerDatabase(at.home.database)
    return db.query("SELECT name FROM entities WHERE name LIKE '%pelican%'").values().flat()
  }
  const [before] = names()
  expect(before).toContain('pelican')
  {
    using db = openWorkerDatabase(at.home.database)
    db.run("DELETE FROM links; DELETE FROM mentions; DELETE FROM marks WHERE name LIKE 'older turns%'")
  }
  expect(names()).toEqual([])
  at.start()
  await at.answers()
  await at.settled()
  expect(names()).toContain(before ?? '')
})

test('a worker that is stopped exits cleanly and leaves no files in run', async () => {
  await using at = aHome()
  const child = at.start()
  await at.answers()
  await at.hook({ hook_event_name: 'UserPromptSubmit', prompt: 'go' })
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  expect([existsSync(at.home.workerFile), existsSync(at.home.socket)]).toEqual([false, false])
  at.start()
  await at.answers()
  expect(await at.ask('/api/export?kind=prompts')).toMatchObject({ text: 'go' })
})

test('after a killed worker the next one replaces its socket and file, and loses nothing', async () => {
  await using at = aHome()
  const child = at.start()
  await at.answers()
  await at.hook({ hook_event_name: 'UserPromptSubmit', prompt: 'Choose a database for the notes.', prompt_id: 'p1' })
  await at.hook({
    hook_event_name: 'Stop',
    last_assistant_message: 'We use SQLite, because one file is easy to keep.',
    prompt_id: 'p1',
  })
  child.kill('SIGKILL')
  await child.exited
  expect([existsSync(at.home.workerFile), existsSync(at.home.socket)]).toEqual([true, true])
  at.start()
  await at.answers()
  expect(at.worker().pid).not.toBe(child.pid)
  expect(await at.ask('/api/export?kind=prompts')).toMatchObject({ answer: expect.stringContaining('SQLite') })
  await at.settled()
  expect(await at.ask('/api/export?kind=summaries')).toMatchObject({ source: 'turn', promptNumber: 1 })
})

test('a damaged database is set aside, and a new one is filled from the transcripts', async () => {
  await using at = aHome()
  mkdirSync(at.home.folder, { recursive: true })
  writeFileSync(at.home.database, 'this is not a database. '.repeat(1000))
  const history = join(at.folder, '.claude', 'projects', 'app')
  mkdirSync(history, { recursive: true })
  writeFileSync(join(history, 's1.jsonl'), transcript('s1', [{ prompt: 'remembered', answer: 'yes' }]))
  at.start()
  await at.answers()
  await at.settled()
  const aside = readdirSync(at.home.folder).filter((name) => name.startsWith('recollect.db.damaged-'))
  expect(aside.map((name) => statSync(join(at.home.folder, name)).size)).toEqual([24_000])
  expect(await at.ask('/api/export?kind=prompts')).toMatchObject({ text: 'remembered' })
})

test('a database of a newer version is rejected with a clear message and left unchanged', async () => {
  await using at = aHome()
  mkdirSync(at.home.folder, { recursive: true })
  const db = new Database(at.home.database)
  db.run('PRAGMA journal_mode = WAL')
  db.run('PRAGMA user_version = 999')
  db.close()
  const before = readFileSync(at.home.database)
  const child = at.start()
  expect([await child.exited, await child.stderr.text()]).toEqual([3, expect.stringContaining('newer Recollect')])
  expect(readFileSync(at.home.database)).toEqual(before)
})

test('over TCP the worker listens on the port in its file, and requires its token', async () => {
  await using at = aHome()
  at.start()
  await at.answers()
  const status = (token: string) =>
    fetch(`http://127.0.0.1:${at.worker().port}/api/status`, { headers: { authorization: `Bearer ${token.trim()}` } })
  expect((await status(readFileSync(at.home.token, 'utf8'))).status).toBe(200)
  expect((await status('guess')).status).toBe(401)
})

test('a private prompt that was spooled still keeps its turn from being stored', async () => {
  await using at = aHome()
  const payload = { session_id: 's1', cwd: '/p', prompt_id: 'p1' }
  const child = Bun.spawn([RECOLLECT, 'hook', 'claude-code'], {
    env: at.env,
    stdin: new Blob([JSON.stringify({ ...payload, hook_event_name: 'UserPromptSubmit', prompt: '<private>the merger</private>' })]),
    stdout: 'pipe',
  })
  expect(await child.stdout.text()).toBe('{}')
  await at.answers() // the hook started the worker
  await at.settled()
  await at.hook({
    ...payload,
    hook_event_name: 'PostToolUse',
    tool_name: 'Bash',
    tool_use_id: 't1',
    tool_input: {},
    tool_response: 'merger',
  })
  await at.hook({ ...payload, hook_event_name: 'Stop', last_assistant_message: 'merger' })
  expect(await at.ask('/api/export?kind=tool-uses')).toBeNull()
  expect(readFileSync(join(at.home.logs, 'worker.log'), 'utf8')).not.toContain('merger')
})

test('a hook that gives up on a busy worker spools its payload, which the worker ingests as soon as it can', async () => {
  await using at = aHome()
  const worker = at.start()
  await at.answers()
  await at.settled()
  worker.kill('SIGSTOP')
  const payload = { session_id: 's1', cwd: '/p', hook_event_name: 'UserPromptSubmit', prompt: 'while it was busy' }
  const hook = Bun.spawn([RECOLLECT, 'hook', 'claude-code'], { env: at.env, stdin: new Blob([JSON.stringify(payload)]), stdout: 'pipe' })
  expect([await hook.stdout.text(), await hook.exited]).toEqual(['{}', 0])
  expect(spoolSize(at.home)).toBe(1)
  worker.kill('SIGCONT')
  await at.settled()
  expect(spoolSize(at.home)).toBe(0)
  expect(await at.all('/api/export?kind=prompts')).toMatchObject([{ text: 'while it was busy' }])
}, 300_000)

test('a reply after a hook has given up is not recorded as injected', async () => {
  await using at = aHome()
  const worker = at.start()
  await at.answers()
  await askWorker(at.home, '/api/notes', {
    method: 'POST',
    body: JSON.stringify({ body: 'The billing webhook retries with backoff, ninety seconds at most.', scope: 'global' }),
    headers: { 'content-type': 'application/json' },
    timeoutMs: 5000,
  })
  const start = JSON.stringify({ session_id: 's1', cwd: '/p', hook_event_name: 'SessionStart', source: 'startup' })
  worker.kill('SIGSTOP')
  const hook = Bun.spawn([RECOLLECT, 'hook', 'claude-code'], { env: at.env, stdin: new Blob([start]), stdout: 'pipe' })
  expect(await hook.stdout.text()).toBe('{}')
  worker.kill('SIGCONT')
  await at.settled()
  expect(await at.all('/api/injections')).toEqual([[]])
  const answer = await at.hook({ session_id: 's1', hook_event_name: 'SessionStart', source: 'resume' })
  expect(answer).toMatchObject({ kind: 'answered', body: expect.stringContaining('billing webhook') })
}, 300_000)

test('an idle worker stops', async () => {
  await using at = aHome({ RECOLLECT_WORKER_IDLE_MINUTES: '0.002' })
  expect(await at.start().exited).toBe(0)
})

test('a worker whose home was deleted stops and does not recreate it', async () => {
  await using at = aHome()
  const child = at.start()
  await at.answers()
  await at.hook({ hook_event_name: 'UserPromptSubmit', prompt: 'go' })
  rmSync(at.home.folder, { recursive: true })
  expect(await child.exited).toBe(0)
  expect(existsSync(at.home.folder)).toBe(false)
}, 300_000)

test('a worker whose home was recreated by another worker leaves it alone', async () => {
  await using at = aHome()
  const { first, second } = await madeAgain(at)
  expect(await first.exited).toBe(0)
  await at.hook({ hook_event_name: 'UserPromptSubmit', prompt: 'go' })
  expect(at.worker().pid).toBe(second.pid)
  expect(await at.ask('/api/export?kind=prompts')).toMatchObject({ text: 'go' })
  expect(readFileSync(join(at.home.logs, 'worker.log'), 'utf8')).not.toContain(`"pid":${first.pid}`)
}, 300_000)

test('a worker whose home was recreated leaves it alone when it is stopped, too', async () => {
  await using at = aHome()
  const { first, second } = await madeAgain(at)
  first.kill('SIGTERM')
  expect(await first.exited).toBe(0)
  await at.answers()
  expect(at.worker().pid).toBe(second.pid)
}, 300_000)

test('a worker whose database was deleted stops, and the next one starts in the same home', async () => {
  await using at = aHome()
  const child = at.start()
  await at.answers()
  writeFileSync(at.home.config, '[worker]\nidle_minutes = 45\n')
  rmSync(at.home.database)
  expect(await child.exited).toBe(0)
  at.start()
  await at.answers()
  expect(readFileSync(at.home.config, 'utf8')).toContain('45')
}, 300_000)

/** Deletes the home of a running worker and starts another worker in it. */
async function madeAgain(at: ReturnType<typeof aHome>) {
  const first = at.start()
  await at.answers()
  rmSync(at.home.folder, { recursive: true })
  const second = at.start()
  while (!at.worker()) await Bun.sleep(5)
  return { first, second }
}

/** A temporary home with a worker. */
function aHome(variables: Record<string, string> = {}) {
  const folder = temporaryFolder()
  const home = homePaths(environment(folder.path))
  const env = { PATH: process.env.PATH ?? '', HOME: folder.path, RECOLLECT_HOME: home.folder, RECOLLECT_WORKER_PORT: '0', ...variables }
  const worker = () => readJsonIfThere(home.workerFile) as { pid: number; port: number }
  const post = (path: string, body: object): WorkerRequest & { path: string } => ({
    path,
    method: 'POST',
    body: JSON.stringify(body),
    timeoutMs: 5000,
  })
  const all = async (path: string): Promise<unknown[]> => {
    const reply = await askWorker(home, path, { timeoutMs: 5000 })
    if (reply.kind !== 'answered') throw new Error(`${path}: ${JSON.stringify(reply)}`)
    return Bun.JSONL.parse(reply.body)
  }
  /** The first object of a reply, or null. */
  const ask = async (path: string): Promise<unknown> => (await all(path))[0] ?? null
  return {
    folder: folder.path,
    home,
    env,
    worker,
    all,
    ask,
    start: () => Bun.spawn([RECOLLECT, 'worker'], { env, stdout: 'ignore', stderr: 'pipe' }),
    answers: async () => {
      while ((await askWorker(home, '/health', { timeoutMs: 1000 })).kind !== 'answered') await Bun.sleep(5)
    },
    hook: async (payload: object) => {
      const { path, ...question } = post('/hook/claude-code', { session_id: 's1', cwd: '/p', ...payload })
      return askWorker(home, path, question)
    },
    /** Resolves when no job is waiting. */
    settled: async () => {
      for (let quiet = 0; quiet < 2; await Bun.sleep(10)) {
        quiet = isAtRest((await ask('/api/status')) as WorkerStatus) ? quiet + 1 : 0
      }
    },
    [Symbol.asyncDispose]: async () => {
      const { pid } = worker() ?? {}
      if (pid && isRunning(pid)) {
        process.kill(pid, 'SIGTERM')
        // Not by its pid: a process whose parent is gone may stay a zombie for a second.
        while (!readFileSync(join(home.logs, 'worker.log'), 'utf8').includes(`"stopped","pid":${pid}`)) await Bun.sleep(5)
      }
      folder[Symbol.dispose]()
    },
  }
}
