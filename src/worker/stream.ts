/** One thing that happened, as listeners hear it. */
export type StreamEvent = { type: string; data: unknown }

export type Stream = ReturnType<typeof openStream>

/** How many past events a listener that comes back can still be given; past that it is told to fetch anew. */
const MAX_REPLAYED_EVENTS = 1000
/** A listener that does not read is let go rather than filled without end; it comes back and catches up. */
const MAX_UNREAD_EVENTS = 500

/**
 * Live events for whoever listens. Ids are `<run>-<number>`: a listener that reconnects with the last id it saw gets what it
 * missed, or a `reset` when the worker has been restarted or too much has happened since.
 */
export function openStream(run: string) {
  const past: { number: number; text: string }[] = []
  const listeners = new Set<ReadableStreamDefaultController<string>>()
  let last = 0

  return {
    publish(live: StreamEvent): void {
      last++
      const text = `id: ${run}-${last}\nevent: ${live.type}\ndata: ${JSON.stringify(live.data)}\n\n`
      past.push({ number: last, text })
      if (past.length > MAX_REPLAYED_EVENTS) past.shift()
      for (const listener of listeners) {
        if ((listener.desiredSize ?? 0) < -MAX_UNREAD_EVENTS) {
          listeners.delete(listener)
          listener.close()
        } else listener.enqueue(text)
      }
    },
    listen(lastEventId: string | null): ReadableStream<string> {
      let mine: ReadableStreamDefaultController<string>
      return new ReadableStream<string>({
        start: (controller) => {
          mine = controller
          controller.enqueue(`retry: 1000\n\n`)
          for (const text of missedSince(lastEventId)) controller.enqueue(text)
          listeners.add(controller)
        },
        cancel: () => {
          listeners.delete(mine)
        },
      })
    },
    /** Keeps connections open through whatever sits between. */
    sendHeartbeat(): void {
      for (const listener of listeners) listener.enqueue(': \n\n')
    },
    listeners: () => listeners.size,
    close(): void {
      for (const listener of listeners) listener.close()
      listeners.clear()
    },
  }

  function missedSince(id: string | null): string[] {
    const reset = `id: ${run}-${last}\nevent: reset\ndata: {}\n\n`
    if (id === null) return [`id: ${run}-${last}\nevent: hello\ndata: {}\n\n`]
    const cut = id.lastIndexOf('-')
    const number = Number(id.slice(cut + 1))
    const oldest = past[0]?.number ?? last + 1
    if (id.slice(0, cut) !== run || !Number.isInteger(number) || number > last || number < oldest - 1) return [reset]
    return past.filter((event) => event.number > number).map((event) => event.text)
  }
}
