import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { homePaths } from '../../src/platform/paths.ts'
import { holdLock } from '../../src/store/store.ts'
import type { WorkerStatus } from '../../src/wire/contract/status.ts'
import { isAtRest } from '../support/at-rest.ts'
import { environment, temporaryFolder } from '../support/builders.ts'

const RECOLLECT = join(import.meta.dir, '..', '..', 'bin', 'recollect')

export type FaultyHome = ReturnType<typeof aHome>
export type Ran = { code: number; stdout: string; stderr: string }
/** A finding of `recollect doctor --json`. */
export type Finding = { what: string; state: 'ok' | 'warning' | 'broken'; says: string; fix?: string; fixable: boolean }

/** `prefix` is a command that runs the program elsewhere, such as in another mount namespace, `folder` the person's folder there, and `view` where this process sees its files. */
type Place = { prefix?: string[]; folder?: string; view?: string }

/** A home in which the real program runs. */
export function aHome(variables: Record<string, string> = {}, place: Place = {}) {
  const folder = place.folder ? { path: place.folder, [Symbol.dispose]: () => {} } : temporaryFolder()
  const home = homePaths(environment(folder.path, { home: join(folder.path, '.recollect') }))
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder.path,
    RECOLLECT_WORKER_PORT: '0',
    RECOLLECT_EMBEDDER_PROVIDER: 'none',
    ...variables,
  }
  const run = async (stdin: string | Uint8Array<ArrayBuffer>, ...args: string[]): Promise<Ran> => {
    const command = [...(place.prefix ?? []), RECOLLECT, ...args]
    const child = Bun.spawn(command, {
      env,
      cwd: place.prefix ? '/' : folder.path,
      stdin: new Blob([stdin]),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
    return { code, stdout, stderr }
  }
  const seen = (path: string) => (place.view ?? '') + path
  const status = async () => JSON.parse((await run('', 'status', '--json')).stdout) as WorkerStatus
  return {
    folder: folder.path,
    home,
    env,
    /** Runs the command line with this text on stdin. */
    run,
    status,
    /** Resolves when no spooled events and no jobs are left. */
    settled: async () => {
      for (;;) {
        if (isAtRest(await status())) return
        await Bun.sleep(50)
      }
    },
    rows: async <Row = Record<string, unknown>>(kind: 'tool-uses' | 'prompts' | 'sessions' | 'summaries' | 'notes') =>
      Bun.JSONL.parse((await run('', 'export', '--json', '--kind', kind)).stdout) as Row[],
    doctor: async (...args: string[]) => {
      const { code, stdout } = await run('', 'doctor', '--json', ...args)
      return { code, findings: (JSON.parse(stdout) as { findings: Finding[] }).findings }
    },
    log: () => (existsSync(seen(join(home.logs, 'worker.log'))) ? readFileSync(seen(join(home.logs, 'worker.log')), 'utf8') : ''),
    /** The path at which this process sees a file of the home. */
    seen,
    /** While it is held, no worker can start. */
    holdWorkerBack: () => {
      const lock = holdLock(home.lock)
      if (!lock) throw new Error('a worker is running')
      return lock
    },
    [Symbol.asyncDispose]: async () => {
      await run('', 'stop')
      folder[Symbol.dispose]()
    },
  }
}
