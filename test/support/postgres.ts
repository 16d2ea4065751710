/**
 * A real PostgreSQL in a temporary folder, on a port of its own. PostgreSQL refuses to run as root, so root (in CI) starts it as an unprivileged
 * user; anyone else runs it as themselves.
 */
import { test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closedPort } from './ports.ts'

export type Postgres = {
  port: number
  /** The address of a database; the role `postgres` is the superuser. Every login is trusted. */
  url(database: string, role?: string): string
  /** Creates an empty database and returns its name. */
  newDatabase(): Promise<string>
  /** Ends it as a power failure would: all processes at once. */
  kill(): Promise<void>
  /** Starts it again, on the same port with the same data. */
  start(): Promise<void>
  /** Stops it and removes its folder. */
  remove(): Promise<void>
}

const MISSING = 'PostgreSQL is not installed; on Debian: apt-get install postgresql'

/** `test` if PostgreSQL is installed, otherwise a `test` that skips and says why. In CI a missing PostgreSQL is an error. */
export function postgresOrSkip() {
  if (findPrograms()) return test
  if (process.env.CI) throw new Error(MISSING)
  console.warn(`${MISSING}. The tests of the hub are skipped.`)
  return test.skip
}

/** The folder with the newest installed PostgreSQL. */
export function findPrograms(): string | null {
  try {
    const versions = readdirSync('/usr/lib/postgresql').sort((a, b) => Number(b) - Number(a))
    const found = versions.map((version) => `/usr/lib/postgresql/${version}/bin`)[0]
    if (found) return found
  } catch {
    // Not Debian.
  }
  const path = Bun.which('initdb')
  return path ? join(path, '..') : null
}

/** `options` are settings of the server, such as `max_connections=200`. */
export async function startPostgres(options: string[] = []): Promise<Postgres> {
  const programs = findPrograms()
  if (!programs) throw new Error(MISSING)
  const folder = mkdtempSync(join(tmpdir(), 'recollect-pg-'))
  const port = closedPort()
  const data = join(folder, 'data')
  if (process.getuid?.() === 0) await run(['chown', unprivilegedUser(), folder])
  await asUser([`${programs}/initdb`, '-D', data, '-U', 'postgres', '--auth=trust', '-E', 'UTF8', '--no-sync', '--no-locale'])
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'fsync=off',
    'log_min_messages=fatal',
    ...options,
  ]
  const start = async () => {
    const flags = settings.flatMap((setting) => ['-c', setting]).join(' ')
    await asUser([`${programs}/pg_ctl`, '-D', data, '-o', flags, '-l', join(folder, 'log'), '-w', '-t', '60', 'start'])
  }
  const stop = (mode: string) => asUser([`${programs}/pg_ctl`, '-D', data, '-m', mode, '-w', 'stop'])
  await start()
  let databases = 0
  const url = (database: string, role = 'postgres') => `postgres://${role}@127.0.0.1:${port}/${database}`
  return {
    port,
    url,
    newDatabase: async () => {
      const name = `team_${process.pid}_${databases++}`
      await asUser([`${programs}/createdb`, '-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', name])
      return name
    },
    kill: () => stop('immediate'),
    start,
    remove: async () => {
      await stop('immediate').catch(() => {})
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function unprivilegedUser(): string {
  return Bun.spawnSync(['id', 'postgres']).exitCode === 0 ? 'postgres' : 'nobody'
}

/** Runs a program as a user that PostgreSQL accepts. */
const asUser = (command: string[]) => run(process.getuid?.() === 0 ? ['runuser', '-u', unprivilegedUser(), '--', ...command] : command)

async function run(command: string[]): Promise<void> {
  // The server inherits the pipes of pg_ctl, so output goes to a file and not to a pipe that would never close.
  const output = join(mkdtempSync(join(tmpdir(), 'recollect-out-')), 'out')
  const child = Bun.spawn(command, { cwd: '/', stdin: 'ignore', stdout: Bun.file(output), stderr: Bun.file(output) })
  const code = await child.exited
  const text = await Bun.file(output).text()
  rmSync(join(output, '..'), { recursive: true, force: true })
  if (code !== 0) throw new Error(`${command.slice(0, 8).join(' ')} failed: ${text.slice(-500)}`)
}
