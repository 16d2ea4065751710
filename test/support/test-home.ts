import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentName } from '../../src/core/agent.ts'
import type { WorkerStatus } from '../../src/wire/contract/status.ts'
import { isAtRest } from './at-rest.ts'
import { runGit } from './machines.ts'
import { openWorkerDatabase } from './worker-database.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

/** A throw-away home with a real worker, whose every byte can be searched afterwards. */
export type TestHome = Awaited<ReturnType<typeof aTestHome>>

export async function aTestHome() {
  // Short, because the path of a socket is limited.
  const folder = mkdtempSync(join(tmpdir(), 'rc-'))
  const home = join(folder, 'r')
  const project = join(folder, 'project')
  mkdirSync(project)
  const env = { PATH: process.env.PATH ?? '', HOME: folder, RECOLLECT_HOME: home, RECOLLECT_WORKER_PORT: '0' }
  const run = async (...args: string[]): Promise<string> => {
    const child = Bun.spawn([RECOLLECT, ...args], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    if (code !== 0) throw new Error(`recollect ${args.join(' ')} ended with ${code}: ${stderr}${stdout}`)
    return stdout
  }
  const socket = join(home, 'run', 'worker.sock')
  const ask = async (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(`http://worker${path}`, {
      method,
      unix: socket,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  return {
    folder,
    home,
    project,
    env,
    run,
    ask,
    /** Sends a payload as a hook does, over the socket. */
    hook: async (payload: object, agent: AgentName = 'claude-code') =>
      void (await (await ask('POST', `/hook/${agent}`, { cwd: project, ...payload })).text()),
    /** Resolves when no job and no spooled payload is left. */
    settled: async () => {
      for (const until = Date.now() + 200_000; Date.now() < until; await Bun.sleep(50)) {
        if (isAtRest((await (await ask('GET', '/api/status')).json()) as WorkerStatus)) return
      }
      throw new Error(`the worker did not finish its jobs:\n${readFileSync(join(home, 'logs', 'worker.log'), 'utf8').slice(-2000)}`)
    },
    [Symbol.asyncDispose]: async () => {
      await run('stop').catch(() => {})
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Which of the given texts occur anywhere in a home, in any case of letters: in the bytes of its files, in the rows and index terms of its
 * database, and in the unpacked objects of its git repository. Call it after the worker has stopped. `without` are paths to leave out.
 */
export async function findInHome(home: string, texts: readonly string[], without: readonly string[] = []): Promise<string[]> {
  const dump = `${home}.dump`
  mkdirSync(dump, { recursive: true })
  const database = join(home, 'recollect.db')
  if (existsSync(database)) await Bun.write(join(dump, 'database'), databaseText(database))
  const repository = join(home, 'memory')
  if (existsSync(join(repository, '.git')))
    await Bun.write(join(dump, 'git'), runGit(repository, 'cat-file', '--batch-all-objects', '--batch', '--unordered'))
  const needles = join(dump, 'needles')
  await Bun.write(needles, `${texts.flatMap((text) => text.split('\n')).join('\n')}\n`)
  const files = [...filesBelow(home).filter((path) => !without.includes(path)), join(dump, 'database'), join(dump, 'git')].filter(
    existsSync,
  )
  const found = new Set<string>()
  for (let from = 0; from < files.length; from += 500) {
    const grep = Bun.spawnSync(['grep', '-haoiFf', needles, '--', ...files.slice(from, from + 500)], { maxBuffer: 64 * 1024 * 1024 })
    for (const line of grep.stdout.toString().split('\n')) if (line) found.add(line.toLowerCase())
  }
  rmSync(dump, { recursive: true })
  return texts.filter((text) => text.split('\n').some((line) => found.has(line.toLowerCase())))
}

/** Every value of every table, and every term of every full-text index: an index stores terms without their common beginnings. */
export function databaseText(path: string): string {
  const db = openWorkerDatabase(path)
  try {
    const tables = db.query<{ name: string; sql: string | null }, []>("SELECT name, sql FROM sqlite_master WHERE type = 'table'").all()
    const parts: string[] = []
    for (const { name, sql } of tables) {
      if (/USING fts5\s*\(/i.test(sql ?? '')) {
        db.run(`CREATE VIRTUAL TABLE temp."v_${name}" USING fts5vocab('main', '${name}', 'row')`)
        parts.push(
          ...db
            .query<{ term: string }, []>(`SELECT term FROM temp."v_${name}"`)
            .all()
            .map(({ term }) => term),
        )
      } else if (!/^CREATE VIRTUAL/i.test(sql ?? ''))
        for (const row of db.query(`SELECT * FROM "${name}"`).values())
          parts.push(row.map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value))).join('\n'))
    }
    return parts.join('\n')
  } finally {
    db.close()
  }
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
