import { join } from 'node:path'
import type { Job } from '../core/job.ts'
import type { ProjectMirrorReport, SyncReport } from '../core/sync.ts'
import { SYNCED_FOLDER } from '../notes/notes.ts'
import { exists, isFolder } from '../platform/files.ts'
import { loadSettings } from '../platform/settings.ts'
import { mirrorNotes, rememberSync, syncNotes } from '../sync/sync.ts'
import { importNativeMemory } from './import-native-memory.ts'
import type { Services } from './services.ts'

export type BackgroundSync = { start(job: Job<'sync'>): void; stop(): Promise<void> }

/** How long a stopping worker waits for a sync. The next worker finishes one that was cut off. */
const MAX_STOP_WAIT_MS = 1000

/** Syncs beside the queue, so a slow network does not delay other jobs. The job leaves the queue when the sync is over. */
export function openBackgroundSync(services: Services): BackgroundSync {
  let running: Promise<void> | null = null
  const run = async (job: Job<'sync'>) => {
    if (await hasNotesOrRemote(services)) await syncNow(services, { dryRun: false, patienceMs: 0 })
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
  if (syncSettings(services).remote || exists(join(services.home.folder, SYNCED_FOLDER, '.git'))) return true
  return (await services.store.notes.counts(Date.now())).all > 0
}

/** Read from the file each time, so `init --remote` needs no restart. */
export const syncSettings = (services: Services) => loadSettings(services.environment).settings.sync

/** Syncs now and announces the changes. If another sync is running, waits for it for up to `patienceMs`. */
export async function syncNow(services: Services, options: { dryRun: boolean; patienceMs: number }): Promise<SyncReport> {
  const { remote, fetch, push, git_notes, import_native } = syncSettings(services)
  const started = Date.now()
  try {
    // Notes made from the agents' own memory are synced too.
    if (import_native && !options.dryRun)
      for (const agent of Object.values(services.agents)) await importNativeMemory(services, agent, started)
    for (;;) {
      const { report, changes } = await syncNotes(services.notebook, { remote, fetch, push, dryRun: options.dryRun }, Date.now())
      services.announce(changes)
      if (report.outcome === 'busy' && Date.now() - started < options.patienceMs) {
        await Bun.sleep(1000)
        continue
      }
      if (git_notes && !options.dryRun) report.mirrored = await mirrorProjects(services, { fetch, push })
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

/** Writes each project's notes into the project's own repository, in the folder of its latest session. */
async function mirrorProjects(services: Services, options: { fetch: boolean; push: boolean }): Promise<ProjectMirrorReport[]> {
  const mirrored: ProjectMirrorReport[] = []
  for (const { project } of await services.store.sessions.projects()) {
    const [session] = await services.store.sessions.recent(project, 1)
    const [note] = await services.store.notes.list({ project, hidden: true, now: Date.now(), limit: 1 })
    if (!session || !note || !isFolder(session.folder)) continue
    try {
      mirrored.push(await mirrorNotes(services.notebook, project, session.folder, options, Date.now()))
    } catch (cause) {
      mirrored.push({ project, written: 0, pushed: false, problem: (cause as Error).message.slice(0, 300) })
    }
  }
  return mirrored
}

const EMPTY_SYNC_REPORT = { committed: [], received: [], kept: [], pushed: false, withheld: [], mirrored: [] }

function reportSync(services: Services, report: SyncReport, dryRun: boolean): void {
  if (dryRun) return
  const { outcome, committed, received, kept, pushed, withheld } = report
  const counts = { committed: committed.length, received: received.length, kept: kept.length, withheld: withheld.length }
  services.log.info('synced notes', { outcome, pushed, ...counts, ms: Date.now() - report.at })
  services.stream.publish({ type: 'synced', data: { outcome, pushed, ...counts } })
}
