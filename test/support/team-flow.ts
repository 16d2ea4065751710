import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aPerson, type Person } from './person.ts'
import { closedPort } from './ports.ts'
import { type Postgres, startPostgres } from './postgres.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

/** A hub that an operator runs with the command line, on a PostgreSQL of its own. */
export async function runningHub() {
  const postgres: Postgres = await startPostgres()
  const home = mkdtempSync(join(tmpdir(), 'recollect-hub-'))
  const database = postgres.url(await postgres.newDatabase())
  const port = closedPort()
  const env = { PATH: process.env.PATH ?? '', HOME: home, RECOLLECT_HUB_DATABASE: database }
  const hub = async (...args: string[]): Promise<string> => {
    const child = Bun.spawn([RECOLLECT, 'hub', ...args], { env, stdout: 'pipe', stderr: 'pipe' })
    const [code, out, error] = await Promise.all([child.exited, child.stdout.text(), child.stderr.text()])
    if (code !== 0) throw new Error(`recollect hub ${args.join(' ')} ended with ${code}: ${error || out}`)
    return out
  }
  const url = `http://127.0.0.1:${port}`
  let server: ReturnType<typeof Bun.spawn> | null = null
  const start = async () => {
    const { RECOLLECT_HUB_DATABASE: _, ...rest } = env
    server = Bun.spawn([RECOLLECT, 'hub', 'start', '--port', String(port)], { env: rest, stdout: 'ignore', stderr: 'ignore' })
    for (let tries = 0; ; tries++) {
      const answers = await fetch(`${url}/v1/projects`).then(
        () => true,
        () => false,
      )
      if (answers) return
      if (tries > 200) throw new Error('the hub does not start')
      await Bun.sleep(100)
    }
  }
  await hub('init')
  await start()
  return {
    url,
    port,
    postgres,
    database,
    /** Runs `recollect hub …` as its operator. */
    hub,
    /** A code for a new member, with rights such as `shop=write`. */
    invite: async (name: string, ...grants: string[]): Promise<string> => {
      const out = await hub('invite', name, ...grants.flatMap((grant) => ['--grant', grant]), '--json')
      return (JSON.parse(out) as { code: string }).code
    },
    inviteDevice: async (name: string): Promise<string> =>
      (JSON.parse(await hub('invite', '--device-of', name, '--json')) as { code: string }).code,
    start,
    /** Ends the server as a crash would. */
    kill: async () => {
      const running = server
      server = null
      if (running) await endProcesses(running)
    },
    async [Symbol.asyncDispose]() {
      await this.kill()
      await postgres.remove()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

export type RunningHub = Awaited<ReturnType<typeof runningHub>>

/** A person whose worker does not stop by itself and who has joined the team. */
export async function aMember(hub: RunningHub, name: string, code: string, options: Parameters<typeof aPerson>[0] = {}): Promise<Person> {
  const person = await aPerson({ init: null, ...options })
  await person.recollect('team', 'join', hub.url, code, '--device', `${name}-laptop`)
  return person
}

/** Ends a program and what it started, as a crash would. */
export async function endProcesses(running: ReturnType<typeof Bun.spawn>): Promise<void> {
  // The launcher runs the program as its child.
  for (const pid of [...childrenOf(running.pid), running.pid]) signal(pid, 'SIGKILL')
  await running.exited
}

/** Kills the worker of a home without warning. */
export async function killWorker(person: Person): Promise<void> {
  const file = join(person.home, '.recollect', 'run', 'worker.json')
  let pid: number
  try {
    pid = (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid
  } catch {
    return
  }
  signal(pid, 'SIGKILL')
  for (let tries = 0; tries < 100 && isRunning(pid); tries++) await Bun.sleep(20)
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const childrenOf = (pid: number): number[] =>
  Bun.spawnSync(['pgrep', '-P', String(pid)])
    .stdout.toString()
    .split('\n')
    .filter(Boolean)
    .map(Number)
    .flatMap((child) => [...childrenOf(child), child])

/** The files below a folder that contain a text, whatever they are. */
export function filesWith(folder: string, text: string): string[] {
  const wanted = Buffer.from(text)
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() && readFileSync(path).includes(wanted))
}
