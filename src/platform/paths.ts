import { join } from 'node:path'
import { fingerprint } from '../core/hash.ts'
import { type Environment, readEnvironment } from './environment.ts'

/** The paths of Recollect's files. All are in one folder, so that a person can inspect, back up and delete it. */
export type Home = {
  folder: string
  config: string
  database: string
  spool: string
  /** Files from the spool that could not be used. */
  spoolSetAside: string
  run: string
  logs: string
  /** Downloaded model weights. */
  models: string
  /** Packages installed on demand. */
  packages: string
  /** The folder of our own sessions with a model. They never become memories. */
  thinking: string
  /** The worker's Unix socket. */
  socket: string
  /** The pid, port and version of the running worker. */
  workerFile: string
  /** The bearer token: allows everything. */
  token: string
  /** The hook token: allows only reporting events and receiving context, because settings files contain it. */
  hookToken: string
  /** Locked by the running worker; the kernel releases it when the worker dies. */
  lock: string
  /** The settings files that `init` has changed. */
  installs: string
  /** The person's privacy rules, as the last worker read them. */
  privacyRules: string
  /** The browsers that the viewer knows, as hashes. */
  visitors: string
  /** Written by a worker that found the database damaged: the next worker sets the database aside. */
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
    spoolSetAside: join(folder, 'spool', 'set-aside'),
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

/** The kernel limits a socket's path to about a hundred bytes. For a longer home, the socket is in a folder with a short path. */
const SOCKET_PATH_LIMIT = 100

function socketPath(folder: string, environment: Environment): string {
  const wanted = join(folder, 'run', 'worker.sock')
  if (Buffer.byteLength(wanted) <= SOCKET_PATH_LIMIT) return wanted
  const name = `${fingerprint(folder)}.sock`
  return join(environment.runtimeFolder ?? environment.temporaryFolder, `recollect-${environment.uid}`, name)
}
