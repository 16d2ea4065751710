/**
 * What a worker must be told again when it takes the place of another in the middle of a conversation: the opening, what the
 * client subscribed to, and every request that has not been answered. The client notices nothing.
 */
export function openRelay() {
  /** `initialize` and what follows it, for clients of the old protocol. */
  const opening: string[] = []
  const subscriptions = new Map<string, { id: string; line: string }>()
  const waiting = new Map<string, string>()
  /** Answers to what only we said again. */
  const unwanted = new Set<string>()

  return {
    /** Takes what the client says. Anything but one JSON-RPC message is answered here, and never reaches a worker. */
    receiveFromClient(line: string): { kind: 'pass' } | { kind: 'answer'; line: string } {
      const message = readMessage(line)
      if (!message) return { kind: 'answer', line: errorReply(null, -32700, 'this line is not a JSON-RPC message') }
      const { method, params } = message
      const id = message.id === undefined ? null : JSON.stringify(message.id)
      if (id !== null && method !== undefined) waiting.set(id, line)
      switch (method) {
        case 'initialize':
          opening.splice(0, opening.length, line)
          break
        case 'notifications/initialized':
          opening.push(line)
          break
        case 'resources/subscribe':
          if (id !== null) subscriptions.set(String(params?.uri), { id, line })
          break
        case 'resources/unsubscribe':
          subscriptions.delete(String(params?.uri))
          break
        case 'notifications/cancelled':
          waiting.delete(JSON.stringify(params?.requestId))
          break
      }
      return { kind: 'pass' }
    },

    /** Takes what a worker says. True when the client should hear it. */
    receiveFromWorker(line: string): boolean {
      const message = readMessage(line)
      if (!message || message.method !== undefined || message.id === undefined) return true
      const id = JSON.stringify(message.id)
      if (waiting.delete(id)) return true
      return !unwanted.delete(id)
    },

    /** What to tell a new worker, in order. */
    linesForNewWorker(): string[] {
      unwanted.clear()
      const [initialize] = opening
      const said = [...opening, ...[...subscriptions.values()].map(({ line }) => line)]
      const answeredAlready = [
        ...(initialize === undefined ? [] : [JSON.stringify(readMessage(initialize)?.id)]),
        ...[...subscriptions.values()].map(({ id }) => id),
      ]
      for (const id of answeredAlready) if (!waiting.has(id)) unwanted.add(id)
      return [...said, ...[...waiting.values()].filter((line) => !said.includes(line))]
    },

    /** Gives up on what waits: nobody can answer. */
    failWaiting(reason: string): string[] {
      const lines = [...waiting.keys()].map((id) => errorReply(JSON.parse(id), -32603, reason))
      waiting.clear()
      return lines
    },

    isWaiting: () => waiting.size > 0,
  }
}

type RelayedMessage = { id?: string | number; method?: string; params?: Record<string, unknown> }

function readMessage(line: string): RelayedMessage | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as RelayedMessage) : null
  } catch {
    return null
  }
}

const errorReply = (id: unknown, code: number, message: string) => JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
