import { type Agent, agentNamed } from '../integrations/agent.ts'
import { isStoreFailure } from '../store/store.ts'
import { readSpool, removeFromSpool } from '../wire/spool.ts'
import { ingestWithoutReply } from './intake.ts'
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
 * A file that cannot be used is dropped, because the transcript has the same events.
 */
async function drain(services: Services): Promise<number> {
  let ingested = 0
  for (const { path, spooled } of readSpool(services.home)) {
    if (services.stopSignal.aborted) break
    const agent = spooled ? agentNamed(spooled.agent, services.agents) : null
    if (spooled && agent && spooled.headOnly) await queueTranscriptRead(services, agent, spooled.payload)
    else if (spooled && agent) {
      try {
        await ingestWithoutReply(services, {
          agent,
          payload: spooled.payload,
          context: { ...spooled.context, branch: null },
          delivery: spooled.delivery,
          at: spooled.at,
        })
        ingested++
      } catch (cause) {
        // A failing disk or a closed database would fail for every file, so keep them all. A bad payload concerns only its own file.
        if (isStoreFailure(cause) || services.stopSignal.aborted) throw cause
        services.log.warn('a spooled payload could not be used', { error: (cause as Error).message.slice(0, 200) })
      }
    }
    removeFromSpool(path)
    await Bun.sleep(0) // let hooks that arrived meanwhile go first
  }
  if (ingested > 0) services.log.info('ingested events from the spool', { ingested })
  return ingested
}

/** A payload that was too large to spool is in the transcript. */
async function queueTranscriptRead({ store, queue }: Services, agent: Agent, head: unknown): Promise<void> {
  const path = agent.transcriptPath(head)
  if (path === null) return
  await store.transaction(() => store.jobs.add('read', path, { path, agent: agent.name }, Date.now()))
  queue.kick()
}
