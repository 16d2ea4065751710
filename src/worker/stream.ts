/** An event for the listeners of `/stream`. */
export type StreamEvent = { type: string; data: unknown }

export type Stream = ReturnType<typeof openStream>

/** How many past events a listener that reconnects can get. If it missed more, it gets a `reset` and must fetch everything again. */
const MAX_REPLAYED_EVENTS = 1000
/** A listener that does not read its events is disconnected, so that they do not fill the memory. It can reconnect and catch up. */
const MAX_UNREAD_EVENTS = 500

/**
 * Live events. Their ids are `<run>-<number>`. A listener that reconnects with the last id it saw gets the events it missed, or a `reset` if the
 * worker was restarted or has dropped some of them.
 */
export function openStream(run: string) {
  const recent: { number: number; text: string }[] = []
  const listeners = new Set<ReadableStreamDefaultController<string>>()
  const watchers = new Set<(type: string) => void>()
  let last = 0

  return {
    publish({ type, data }: StreamEvent): void {
      for (const watcher of watchers) watcher(type)
      last++
      const text = `id: ${run}-${last}\nevent: ${type}\ndata: ${JSON.stringify(data)}\n\n`
      recent.push({ number: last, text })
      if (recent.length > MAX_REPLAYED_EVENTS) recent.shift()
      for (const listener of listeners) {
        if ((listener.desiredSize ?? 0) < -MAX_UNREAD_EVENTS) {
          listeners.delete(listener)
          listener.close()
        } else listener.enqueue(text)
      }
    },
    /** Calls a function of this process for every event, before the listeners get it. */
    watch(watcher: (type: string) => void): void {
      watchers.add(watcher)
    },
    listen(lastEventId: string | null): ReadableStream<string> {
      let listener: ReadableStreamDefaultController<string>
      return new ReadableStream<string>({
        start: (controller) => {
          listener = controller
          controller.enqueue(`retry: 1000\n\n`)
          for (const text of missedSince(lastEventId)) controller.enqueue(text)
          listeners.add(controller)
        },
        cancel: () => {
          listeners.delete(listener)
        },
      })
    },
    /** Sends a comment, so that proxies do not close idle connections. */
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
    const oldest = recent[0]?.number ?? last + 1
    if (id.slice(0, cut) !== run || !Number.isInteger(number) || number > last || number < oldest - 1) return [reset]
    return recent.filter((event) => event.number > number).map((event) => event.text)
  }
}
