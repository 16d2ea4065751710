import { isStoreFailure } from '../store/store.ts'
import { readSpool, removeFromSpool } from '../wire/spool.ts'
import { ingestWithoutReply } from './intake.ts'
import type { Services } from './services.ts'

const draining = new WeakMap<Services, Promise<number>>()

/** Takes in what met no worker. Who asks for it while it goes on waits for the same end: two of them would take turns out of turn. */
export function drainSpool(desk: Services): Promise<number> {
  const going = draining.get(desk) ?? drain(desk).finally(() => draining.delete(desk))
  draining.set(desk, going)
  return going
}

/**
 * Oldest first. A file is removed after its events are committed; if the worker dies between the two, the receipt keeps it from counting
 * twice. One that cannot be read is dropped: the transcript has what it said.
 */
async function drain(desk: Services): Promise<number> {
  let taken = 0
  for (const { path, spooled } of readSpool(desk.home)) {
    if (desk.stopSignal.aborted) break
    const agent = spooled ? desk.agents[spooled.agent] : undefined
    if (spooled?.headOnly) await queueTranscriptRead(desk, spooled.payload)
    else if (spooled && agent) {
      try {
        await ingestWithoutReply(desk, {
          agent,
          payload: spooled.payload,
          context: { ...spooled.context, branch: null },
          delivery: spooled.delivery,
          at: spooled.at,
        })
        taken++
      } catch (cause) {
        // Trouble with the disk or the database, or one that is closed by now, concerns every file: keep them. A bad payload only this one.
        if (isStoreFailure(cause) || desk.stopSignal.aborted) throw cause
        desk.log.warn('a spooled payload could not be used', { error: (cause as Error).message.slice(0, 200) })
      }
    }
    removeFromSpool(path)
    await Bun.sleep(0) // hooks that came in meanwhile go first
  }
  if (taken > 0) desk.log.info('took events from the spool', { taken })
  return taken
}

/** What was too much for a hook to keep stands in the transcript. */
async function queueTranscriptRead(desk: Services, head: unknown): Promise<void> {
  const path = (head as { transcript_path?: unknown } | null)?.transcript_path
  if (typeof path !== 'string' || !path.endsWith('.jsonl')) return
  await desk.store.transaction(() => desk.store.jobs.add('read', path, { path }, Date.now()))
  desk.queue.kick()
}
