import { join } from 'node:path'
import { fingerprint } from '../core/hash.ts'
import { type Environment, readEnvironment } from './environment.ts'

/** Where everything lives: one folder, so that a person can look at it, back it up and delete it. */
export type Home = {
  folder: string
  config: string
  database: string
  spool: string
  run: string
  logs: string
  /** Weights of models that were fetched. */
  models: string
  /** Packages that were fetched because somebody wanted them. */
  packages: string
  /** Where our own sessions with a model run. What happens in it never becomes a memory. */
  thinking: string
  /** The worker's Unix socket. */
  socket: string
  /** pid, port and version of the running worker. */
  workerFile: string
  /** The bearer token: may do everything. */
  token: string
  /** The hook token: may report events and receive context, nothing else. It stands in a settings file, so it is worth less. */
  hookToken: string
  /** Held by the running worker; the kernel lets go of it when the worker dies. */
  lock: string
  /** Which settings files `init` has written to. */
  installs: string
  /** What the person wants hidden, as the last worker knew it. */
  privacyRules: string
  /** Which browsers the viewer knows, as hashes. */
  visitors: string
  /** Left by a worker that met damage in the database: the next one sets it aside. */
  damage: string
}

export function homePaths(environment: Environment = readEnvironment()): Home {
  const folder = environment.home
  const run = join(folder, 'run')
  return {
    folder,
    config: join(folder, 'config.toml'),
    database: join(folder, 'recollect.db'),
    spool: join(folder, 'spool'),
    run,
    logs: join(folder, 'logs'),
    models: join(folder, 'models'),
    packages: join(folder, 'packages'),
    thinking: join(folder, 'thinking'),
    socket: socketPath(folder, environment),
    workerFile: join(run, 'worker.json'),
    token: join(run, 'token'),
    hookToken: join(run, 'hook-token'),
    lock: join(run, 'worker.lock'),
    installs: join(run, 'installs.json'),
    privacyRules: join(run, 'privacy.json'),
    visitors: join(run, 'visitors.json'),
    damage: join(run, 'damage'),
  }
}

/** The kernel keeps a socket's address in about a hundred bytes; a deep home gets a short path in a folder of its own. */
const SOCKET_PATH_LIMIT = 100

function socketPath(folder: string, environment: Environment): string {
  const wanted = join(folder, 'run', 'worker.sock')
  if (Buffer.byteLength(wanted) <= SOCKET_PATH_LIMIT) return wanted
  const name = `${fingerprint(folder)}.sock`
  return join(environment.runtimeFolder ?? environment.temporaryFolder, `recollect-${environment.uid}`, name)
}
