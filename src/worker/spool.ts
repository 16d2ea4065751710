import { NotUnderstood } from '../core/event.ts'
import { jsonFields } from '../core/json-object.ts'
import { type Agent, agentNamed } from '../integrations/agent.ts'
import { exists } from '../platform/files.ts'
import { rememberOffSession } from '../platform/off-sessions.ts'
import { isStoreFailure } from '../store/store.ts'
import { readSpool, removeFromSpool, type SpooledPayload, setAsideFromSpool } from '../wire/spool.ts'
import { ingestWithoutReply } from './intake.ts'
import { recordNotUnderstood } from './not-understood.ts'
import type { Services } from './services.ts'

const draining = new WeakMap<Services, Promise<number>>()

/** Ingests the payloads that hooks spooled because no worker answered. A second caller joins the run in progress: two would mix up the order. */
export function drainSpool(services: Services): Promise<number> {
  const inProgress = draining.get(services) ?? drain(services).finally(() => draining.delete(services))
  draining.set(services, inProgress)
  return inProgress
}

/**
 * Oldest first. A file is removed after its events are committed; if the worker dies in between, the receipt prevents a second ingestion.
 * A file that cannot be used is logged, counted and set aside.
 */
async function drain(services: Services): Promise<number> {
  let ingested = 0
  for (const { path, bytes, spooled } of readSpool(services.home)) {
    if (services.stopSignal.aborted) break
    try {
      await ingestSpooled(services, spooled)
      ingested++
      removeFromSpool(path)
    } catch (cause) {
      // A failing disk or a closed database would fail for every file, so keep them all. A bad payload concerns only its own file.
      if (isStoreFailure(cause) || services.stopSignal.aborted) throw cause
      const reason = cause instanceof NotUnderstood ? cause.message : `it cannot be stored (${(cause as Error).name})`
      await recordNotUnderstood(services, reason, { bytes, way: 'spool' })
      setAsideFromSpool(services.home, path)
    }
    await Bun.sleep(0) // let hooks that arrived meanwhile go first
  }
  if (ingested > 0) services.log.info('ingested events from the spool', { ingested })
  return ingested
}

async function ingestSpooled(services: Services, spooled: SpooledPayload | null): Promise<void> {
  if (!spooled) throw new NotUnderstood('a file in the spool without a payload')
  if (spooled.bytes !== undefined) throw new NotUnderstood('not JSON')
  const agent = await agentNamed(spooled.agent, services.agents)
  if (!agent) throw new NotUnderstood('an agent that this version does not serve')
  const { payload, event = null, delivery, at } = spooled
  if (!services.settings.hooks.enabled) return rememberOffSession(services.home, sessionIn(payload))
  if (!spooled.headOnly) {
    const context = { ...spooled.context, branch: null }
    await ingestWithoutReply(services, { agent, payload, event, context, delivery, at, isLate: true })
  } else if (!(await queueTranscriptRead(services, agent, payload))) {
    throw new NotUnderstood('too large to spool, and it names no transcript')
  }
}

const sessionIn = (payload: unknown): string => String(jsonFields(payload).session_id ?? '')

/** A payload that was too large or too deep is in the transcript. False when its head names none. */
export async function queueTranscriptRead({ store, queue }: Services, agent: Agent, head: unknown): Promise<boolean> {
  const path = agent.transcriptPath(head)
  if (path === null || !exists(path)) return false
  await store.transaction(() => store.jobs.add('read', path, { path, agent: agent.name }, Date.now()))
  queue.kick()
  return true
}
