import { fingerprint } from '../core/hash.ts'
import { homeEnvironment } from './environment.ts'

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
  /** Locked by the running worker; the kernel releases it when the worker dies. */
  lock: string
  /** The settings files that `init` has changed. */
  installs: string
  /** The marker files that the person trusts. */
  confirmedMarkers: string
  /** The person's privacy rules, as the last worker read them. */
  privacyRules: string
  /** The browsers that the viewer knows, as hashes. */
  visitors: string
  /** Written by a worker that found the database damaged: the next worker sets the database aside. */
  damage: string
  /** The sessions that ran with `RECOLLECT=off`, one id per line. */
  offSessions: string
  /** Called by the agents' hooks; runs the program, wherever it is installed. */
  launcher: string
  /** Exists after `recollect stop`: hooks do not start the worker again until the next session. */
  stopped: string
  /** Written by a hook that got no answer in time; its age says when. */
  late: string
  /** A restored backup that is being put in place, together with what it replaces. */
  incoming: string
}

/** Folders of the home with what a restore has replaced begin with this. */
export const REPLACED_PREFIX = 'replaced-'

export function homePaths(environment: ReturnType<typeof homeEnvironment> = homeEnvironment()): Home {
  const folder = environment.home
  const run = `${folder}/run`
  return {
    folder,
    config: `${folder}/config.toml`,
    database: `${folder}/recollect.db`,
    spool: `${folder}/spool`,
    spoolSetAside: `${folder}/spool/set-aside`,
    run,
    logs: `${folder}/logs`,
    models: `${folder}/models`,
    packages: `${folder}/packages`,
    thinking: `${folder}/thinking`,
    socket: socketPath(folder, environment),
    workerFile: `${run}/worker.json`,
    token: `${run}/token`,
    lock: `${run}/worker.lock`,
    installs: `${run}/installs.json`,
    confirmedMarkers: `${run}/markers.json`,
    privacyRules: `${run}/privacy.json`,
    visitors: `${run}/visitors.json`,
    damage: `${run}/damage`,
    offSessions: `${folder}/off-sessions`,
    launcher: `${folder}/bin/recollect-hook`,
    stopped: `${run}/stopped`,
    late: `${run}/late`,
    incoming: `${folder}/incoming`,
  }
}

/** The kernel limits a socket's path to about a hundred bytes. For a longer home, the socket is in a folder with a short path. */
const SOCKET_PATH_LIMIT = 100

function socketPath(folder: string, environment: ReturnType<typeof homeEnvironment>): string {
  const wanted = `${folder}/run/worker.sock`
  if (Buffer.byteLength(wanted) <= SOCKET_PATH_LIMIT) return wanted
  return `${environment.runtimeFolder ?? environment.temporaryFolder}/recollect-${environment.uid}/${fingerprint(folder)}.sock`
}
