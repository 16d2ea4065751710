import { join } from 'node:path'
import type { ProjectKey } from '../core/ids.ts'
import type { Job } from '../core/job.ts'
import { projectKey } from '../core/project.ts'
import type { ProjectMirrorReport, SyncReport } from '../core/sync.ts'
import { defaultAgent } from '../integrations/agent.ts'
import { SYNCED_FOLDER } from '../notes/notes.ts'
import { exists, isFolder } from '../platform/files.ts'
import { findProject } from '../platform/project.ts'
import { loadSettings } from '../platform/settings.ts'
import { type MirrorOptions, mirrorNotes, rememberSync, syncNotes } from '../sync/sync.ts'
import { importNativeMemory } from './import-native-memory.ts'
import type { Services } from './services.ts'

export type BackgroundSync = { start(job: Job<'sync'>): void; stop(): Promise<void> }

/** How long a stopping worker waits for a sync. The next worker finishes one that was cut off. */
const MAX_STOP_WAIT_MS = 1000

/** Syncs beside the queue, so a slow network does not delay other jobs. The job leaves the queue when the sync is over. */
export function openBackgroundSync(services: Services): BackgroundSync {
  let running: Promise<void> | null = null
  const run = async (job: Job<'sync'>) => {
    const { push = true } = job.payload
    if (await hasNotesOrRemote(services)) await syncNow(services, { dryRun: false, patienceMs: 0, push, isBackground: true })
    await services.store.transaction(() => services.store.jobs.complete(job.id))
  }
  return {
    start: (job) => {
      running = (running ?? Promise.resolve())
        .then(() => run(job))
        .catch((cause) => (services.stopSignal.aborted ? undefined : services.queue.takeBack(job, cause)))
    },
    stop: async () => {
      await Promise.race([running, Bun.sleep(MAX_STOP_WAIT_MS)])
    },
  }
}

/** A home without notes and without a remote gets no repository. */
async function hasNotesOrRemote(services: Services): Promise<boolean> {
  const { remote, git_notes } = syncSettings(services)
  if (remote || git_notes || exists(join(services.home.folder, SYNCED_FOLDER, '.git'))) return true
  return (await services.store.notes.counts(Date.now())).all > 0
}

/** Read from the file each time, so `init --remote` needs no restart. */
export const syncSettings = (services: Services) => loadSettings(services.environment).settings.sync

export type SyncNowOptions = {
  dryRun: boolean
  /** How long to wait for another sync that is running. */
  patienceMs: number
  /** False if the occasion does not allow to push; the setting `sync.push` may forbid it too. */
  push?: boolean
  /** A folder whose project is mirrored too, even if no session was there yet. */
  folder?: string
  /** A background sync mirrors only the projects that are being worked on: each costs a connection. */
  isBackground?: boolean
}

/** Syncs now and announces the changes. */
export async function syncNow(services: Services, options: SyncNowOptions): Promise<SyncReport> {
  const { remote, fetch, git_notes, git_notes_sessions, import_native, ...settings } = syncSettings(services)
  const push = settings.push && options.push !== false
  const started = Date.now()
  try {
    // Notes made from the agents' own memory are synced too.
    if (import_native && !options.dryRun) await importNativeMemory(services, defaultAgent, started)
    for (;;) {
      const { report, changes } = await syncNotes(services.notebook, { remote, fetch, push, dryRun: options.dryRun }, Date.now())
      services.announce(changes)
      if (report.outcome === 'busy' && Date.now() - started < options.patienceMs) {
        await Bun.sleep(1000)
        continue
      }
      if (git_notes && !options.dryRun) {
        const since = options.isBackground ? started - RECENT_PROJECT_MS : 0
        report.mirrored = await mirrorProjects(services, { fetch, push, sessions: git_notes_sessions }, since, options.folder)
      }
      reportSync(services, report, options.dryRun)
      return report
    }
  } catch (cause) {
    const reason = (cause as Error).message.slice(0, 300)
    services.log.warn('a sync failed', { reason })
    const report: SyncReport = { ...EMPTY_SYNC_REPORT, outcome: 'refused', reason, at: started }
    if (!options.dryRun) await rememberSync(services.notebook, report)
    return report
  }
}

const RECENT_PROJECT_MS = 3_600_000

/** Mirrors each project's notes into the project's own repository, in the folder of its latest session, and copies those of others from there. */
async function mirrorProjects(services: Services, options: MirrorOptions, since: number, folder?: string): Promise<ProjectMirrorReport[]> {
  const mirrored: ProjectMirrorReport[] = []
  for (const [project, place] of await projectFolders(services, since, folder)) {
    if (!isFolder(place) || services.rules(defaultAgent).isExcludedProject(project, place)) continue
    try {
      const { report, changes } = await mirrorInTurn(() => mirrorNotes(services.notebook, project, place, options, Date.now()))
      services.announce(changes)
      // Most folders have no repository, which is only worth a word if there is something to mirror.
      const [note] = await services.store.notes.list({ project, hidden: true, now: Date.now(), limit: 1 })
      if (report.problem === null || note) mirrored.push(report)
    } catch (cause) {
      mirrored.push({ project, written: 0, copied: 0, pushed: false, problem: (cause as Error).message.slice(0, 300) })
    }
  }
  return mirrored
}

/** The projects to mirror, each with a folder of its repository. */
async function projectFolders({ store }: Services, since: number, folder?: string): Promise<Map<ProjectKey, string>> {
  const folders = new Map<ProjectKey, string>()
  for (const { project } of await store.sessions.projects()) {
    const [session] = await store.sessions.recent(project, 1)
    if (session && session.lastEventAt >= since) folders.set(project, session.folder)
  }
  if (folder) folders.set(await store.projects.currentKey(projectKey(findProject(folder))), folder)
  return folders
}

let lastMirror: Promise<unknown> = Promise.resolve()

/** One at a time: git refuses to change a ref that it is changing. */
function mirrorInTurn<T>(mirror: () => Promise<T>): Promise<T> {
  const next = lastMirror.then(mirror)
  lastMirror = next.catch(() => {})
  return next
}

const EMPTY_SYNC_REPORT = { committed: [], received: [], kept: [], pushed: false, withheld: [], mirrored: [] }

function reportSync(services: Services, report: SyncReport, dryRun: boolean): void {
  if (dryRun) return
  const { outcome, committed, received, kept, pushed, withheld } = report
  const counts = { committed: committed.length, received: received.length, kept: kept.length, withheld: withheld.length }
  services.log.info('synced notes', { outcome, pushed, ...counts, ms: Date.now() - report.at })
  services.stream.publish({ type: 'synced', data: { outcome, pushed, ...counts } })
}
