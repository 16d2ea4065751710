import { dirname } from 'node:path'
import type { AgentName } from '../core/agent.ts'
import type { Session } from '../core/memory.ts'
import { connectedAgents } from '../platform/installs.ts'
import { isRunningSince } from '../platform/processes.ts'
import { isSilent, lookAtFolders } from '../platform/silent-folders.ts'
import type { Store } from '../store/store.ts'
import type { Services } from './services.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const SWEEP_MARK = 'transcripts seen until'

/** A session is live while its client runs; if the client's process is unknown, for half an hour after the last event. */
export function isLive(session: Session, now: number, runs: (pid: number, since: number) => boolean = isRunningSince): boolean {
  if (session.status === 'completed') return false
  return session.clientPid === null ? now - session.lastEventAt < 30 * MINUTE_MS : runs(session.clientPid, session.lastEventAt)
}

/**
 * Finds what no hook delivered: transcripts that grew while no worker ran, and sessions whose client ended without an event. Runs when
 * the worker starts and every few minutes. Each finding becomes a job, so a crash loses nothing.
 */
export async function sweep(services: Services, now: number): Promise<void> {
  await (await import('./spool.ts')).drainSpool(services)
  const { store } = services
  const open = await store.sessions.notCompleted()
  const seenUntil = Number((await store.audit.mark(SWEEP_MARK)) ?? Number.NaN)
  // With hooks switched off, nothing is read that they would have delivered.
  const isOn = services.settings.hooks.enabled
  // If the clock was set back since, the time of the last sweep is unknown.
  const since = seenUntil > now ? now - DAY_MS : seenUntil - MINUTE_MS
  const grown = Number.isNaN(seenUntil) || !isOn ? [] : await grownTranscriptsSince(services, since)
  await lookAtFolders(open.map(({ transcript }) => transcript && dirname(transcript)))
  await store.transaction(async () => {
    for (const session of open) {
      const over = !isLive(session, now)
      const hasMore = isOn && session.transcript !== null && (await hasGrown(services, session.agent, session.transcript))
      if (over || hasMore) await queueReconcile(store, session, over, now)
    }
    for (const { path, agent } of grown) await store.jobs.add('read', path, { path, agent }, now)
    await store.audit.setMark(SWEEP_MARK, String(now))
  })
  services.queue.kick()
}

/**
 * Only the second part: queues the end of sessions whose client is gone. Their last hook was killed with it, or waited in the spool while the clock
 * was set back.
 */
export async function endDeadSessions({ store, queue }: Services, now: number): Promise<void> {
  const dead = (await store.sessions.notCompleted()).filter((session) => !isLive(session, now))
  if (dead.length === 0) return
  await store.transaction(async () => {
    for (const session of dead) await queueReconcile(store, session, true, now)
  })
  queue.kick()
}

const queueReconcile = (store: Store, { id }: Session, over: boolean, now: number) =>
  store.jobs.add('reconcile', String(id), { sessionId: id, over }, now)

/** Transcripts that changed since then and hold more than was read. History from before the first run is imported only on request. */
async function grownTranscriptsSince(services: Services, since: number): Promise<{ path: string; agent: AgentName }[]> {
  const grown: { path: string; agent: AgentName }[] = []
  for (const name of connectedAgents(services.home)) {
    const agent = await services.agents[name]()
    for (const root of agent.transcriptRoots(agent.configFolder(services.environment))) {
      for (const { path, changedAt } of agent.transcriptsBelow(root.folder)) {
        if (changedAt >= since && agent.isTranscript(path) && (await hasGrown(services, name, path))) grown.push({ path, agent: name })
      }
    }
  }
  return grown
}

async function hasGrown(services: Services, agent: AgentName, path: string): Promise<boolean> {
  if (isSilent(path)) return false
  const read = await services.store.transcripts.checkpoint(path, agent)
  return Bun.file(path).size > (read?.bytes ?? 0)
}
