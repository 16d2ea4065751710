import { isJsonObject, jsonFields } from '../core/json-object.ts'

/**
 * Remembers what a new worker needs when it replaces another in the middle of a conversation: the handshake, the subscriptions,
 * and every request without a reply. The client does not notice the change.
 */
export function openRelay() {
  /** `initialize` and `notifications/initialized`, from clients of the old protocol. */
  const handshake: string[] = []
  const subscriptions = new Map<string, { id: string; line: string }>()
  const waiting = new Map<string, string>()
  /** Requests that only we repeated; the client must not get their replies again. */
  const repeated = new Set<string>()

  return {
    /** Handles a line from the client. A line that is not a JSON-RPC message gets its reply here and is not sent to a worker. */
    receiveFromClient(line: string): { kind: 'pass' } | { kind: 'reply'; line: string } {
      const message = readMessage(line)
      if (!message) return { kind: 'reply', line: errorReply(null, -32700, 'this line is not a JSON-RPC message') }
      const { method } = message
      const params = jsonFields(message.params)
      const id = message.id === undefined ? null : JSON.stringify(message.id)
      if (id !== null && method !== undefined) waiting.set(id, line)
      switch (method) {
        case 'initialize':
          handshake.splice(0, handshake.length, line)
          break
        case 'notifications/initialized':
          handshake.push(line)
          break
        case 'resources/subscribe':
          if (id !== null) subscriptions.set(String(params.uri), { id, line })
          break
        case 'resources/unsubscribe':
          subscriptions.delete(String(params.uri))
          break
        case 'notifications/cancelled':
          waiting.delete(JSON.stringify(params.requestId))
          break
      }
      return { kind: 'pass' }
    },

    /** Handles a line from the worker. True if the client should get it. */
    receiveFromWorker(line: string): boolean {
      const message = readMessage(line)
      if (!message || message.method !== undefined || message.id === undefined) return true
      const id = JSON.stringify(message.id)
      if (waiting.delete(id)) return true
      return !repeated.delete(id)
    },

    /** The lines to send to a new worker, in order. */
    linesForNewWorker(): string[] {
      repeated.clear()
      const [initialize] = handshake
      const setup = [...handshake, ...[...subscriptions.values()].map(({ line }) => line)]
      const setupIds = [
        ...(initialize === undefined ? [] : [JSON.stringify(readMessage(initialize)?.id)]),
        ...[...subscriptions.values()].map(({ id }) => id),
      ]
      for (const id of setupIds) if (!waiting.has(id)) repeated.add(id)
      return [...setup, ...[...waiting.values()].filter((line) => !setup.includes(line))]
    },

    /** The error replies for all waiting requests, when no worker can be started. */
    failWaiting(reason: string): string[] {
      const lines = [...waiting.keys()].map((id) => errorReply(JSON.parse(id), -32603, reason))
      waiting.clear()
      return lines
    },

    isWaiting: () => waiting.size > 0,
  }
}

function readMessage(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}

const errorReply = (id: unknown, code: number, message: string) => JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })
