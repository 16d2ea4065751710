import type { Session } from '../core/memory.ts'
import { filesBelow } from '../platform/folder.ts'
import { isRunningSince } from '../platform/processes.ts'
import type { Services } from './services.ts'
import { drainSpool } from './spool.ts'

const MINUTE_MS = 60_000
const SWEEP_MARK = 'transcripts seen until'

/** A session is live while its client runs; one whose client we never saw, while it has been heard of lately. */
export function isLive(session: Session, now: number, runs: (pid: number, since: number) => boolean = isRunningSince): boolean {
  if (session.status === 'completed') return false
  return session.clientPid === null ? now - session.lastEventAt < 30 * MINUTE_MS : runs(session.clientPid, session.lastEventAt)
}

/**
 * Finds what no hook told: transcripts that grew while no worker ran, and sessions whose client is gone without a word. Run when
 * the worker starts and every few minutes; each finding becomes a job, so it survives whatever comes next.
 */
export async function sweep(desk: Services, now: number): Promise<void> {
  await drainSpool(desk)
  const { store } = desk
  const open = await store.sessions.notCompleted()
  const seenUntil = Number((await store.audit.mark(SWEEP_MARK)) ?? Number.NaN)
  const grown = Number.isNaN(seenUntil) ? [] : await grownTranscriptsSince(desk, seenUntil - MINUTE_MS)
  await store.transaction(async () => {
    for (const session of open) {
      const over = !isLive(session, now)
      const hasTranscript = session.transcript !== null && (await hasGrown(desk, session.transcript))
      if (over || hasTranscript) await store.jobs.add('reconcile', String(session.id), { sessionId: session.id, over }, now)
    }
    for (const path of grown) await store.jobs.add('read', path, { path }, now)
    await store.audit.setMark(SWEEP_MARK, String(now))
  })
  desk.queue.kick()
}

/** Transcripts that changed since and hold more than was read. History from before the first run is only imported when asked. */
async function grownTranscriptsSince(desk: Services, since: number): Promise<string[]> {
  const paths: string[] = []
  for (const agent of Object.values(desk.agents)) {
    for (const root of agent.transcriptRoots(desk.environment.claudeConfig)) {
      for (const file of filesBelow(root.folder, ['.jsonl'])) {
        if (file.changedAt >= since && !file.path.includes('/subagents/') && (await hasGrown(desk, file.path))) paths.push(file.path)
      }
    }
  }
  return paths
}

async function hasGrown(desk: Services, path: string): Promise<boolean> {
  const read = await desk.store.transcripts.checkpoint(path)
  return Bun.file(path).size > (read?.bytes ?? 0)
}
