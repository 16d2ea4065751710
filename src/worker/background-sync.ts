import { join } from 'node:path'
import type { ProjectMirrorReport, SyncReport } from '../core/sync.ts'
import { claudeCode } from '../integrations/agent.ts'
import { SYNCED_FOLDER } from '../notes/notes.ts'
import { exists, isFolder } from '../platform/files.ts'
import { loadSettings } from '../platform/settings.ts'
import type { Job } from '../store/store.ts'
import { mirrorNotes, rememberSync, syncNotes } from '../sync/sync.ts'
import { importNativeMemory } from './import-native-memory.ts'
import type { Services } from './services.ts'

export type BackgroundSync = { start(job: Job): void; stop(): Promise<void> }

/** How long a worker that leaves waits for a sync. What it breaks off, the next one finishes. */
const MAX_STOP_WAIT_MS = 1000

/** Syncs beside the other jobs: a slow network must not keep the distilling waiting. The job leaves the list when it is over. */
export function openBackgroundSync(desk: Services): BackgroundSync {
  let running: Promise<void> | null = null
  const run = async (job: Job) => {
    if (await hasNotesOrRemote(desk)) await syncNow(desk, { dryRun: false, patienceMs: 0 })
    await desk.store.transaction(() => desk.store.jobs.complete(job.id))
  }
  return {
    start: (job) => {
      running = (running ?? Promise.resolve())
        .then(() => run(job))
        .catch((cause) => (desk.stopSignal.aborted ? undefined : desk.queue.takeBack(job, cause)))
    },
    stop: async () => {
      await Promise.race([running, Bun.sleep(MAX_STOP_WAIT_MS)])
    },
  }
}

/** Where nobody has notes nor a remote, no repository is made. */
async function hasNotesOrRemote(desk: Services): Promise<boolean> {
  if (syncSettings(desk).remote || exists(join(desk.home.folder, SYNCED_FOLDER, '.git'))) return true
  return (await desk.store.notes.counts(Date.now())).all > 0
}

/** As they stand in the file now: `init --remote` need not restart the worker. */
export const syncSettings = (desk: Services) => loadSettings(desk.environment).settings.sync

/** Syncs now and tells whoever listens. One that runs already is waited for, as long as the caller has patience. */
export async function syncNow(desk: Services, wish: { dryRun: boolean; patienceMs: number }): Promise<SyncReport> {
  const { remote, fetch, push, git_notes, import_native } = syncSettings(desk)
  const started = Date.now()
  try {
    // What the agent wrote down for itself travels too.
    const { [claudeCode.name]: agent } = desk.agents
    if (agent && import_native && !wish.dryRun) await importNativeMemory(desk, agent, started)
    for (;;) {
      const { report, changes } = await syncNotes(desk.notebook, { remote, fetch, push, dryRun: wish.dryRun }, Date.now())
      desk.announce(changes)
      if (report.outcome === 'busy' && Date.now() - started < wish.patienceMs) {
        await Bun.sleep(1000)
        continue
      }
      if (git_notes && !wish.dryRun) report.mirrored = await mirrorProjects(desk, { fetch, push })
      reportSync(desk, report, wish.dryRun)
      return report
    }
  } catch (cause) {
    const reason = (cause as Error).message.slice(0, 300)
    desk.log.warn('a sync failed', { reason })
    const report: SyncReport = { ...EMPTY_SYNC_REPORT, outcome: 'refused', reason, at: started }
    if (!wish.dryRun) await rememberSync(desk.notebook, report)
    return report
  }
}

/** Each project's notes into its own repository, in the folder where it was last worked on. */
async function mirrorProjects(desk: Services, options: { fetch: boolean; push: boolean }): Promise<ProjectMirrorReport[]> {
  const mirrored: ProjectMirrorReport[] = []
  for (const { project } of await desk.store.sessions.projects()) {
    const [session] = await desk.store.sessions.recent(project, 1)
    const [note] = await desk.store.notes.list({ project, hidden: true, now: Date.now(), limit: 1 })
    if (!session || !note || !isFolder(session.folder)) continue
    try {
      mirrored.push(await mirrorNotes(desk.notebook, project, session.folder, options, Date.now()))
    } catch (cause) {
      mirrored.push({ project, written: 0, pushed: false, problem: (cause as Error).message.slice(0, 300) })
    }
  }
  return mirrored
}

const EMPTY_SYNC_REPORT = { committed: [], received: [], kept: [], pushed: false, withheld: [], mirrored: [] }

function reportSync(desk: Services, report: SyncReport, dryRun: boolean): void {
  if (dryRun) return
  const { outcome, committed, received, kept, pushed, withheld } = report
  const counts = { committed: committed.length, received: received.length, kept: kept.length, withheld: withheld.length }
  desk.log.info('synced notes', { outcome, pushed, ...counts, ms: Date.now() - report.at })
  desk.stream.publish({ type: 'synced', data: { outcome, pushed, ...counts } })
}
