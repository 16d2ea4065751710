import type { ProjectKey } from '../core/ids.ts'
import type { Change } from '../core/memory.ts'
import type { Notebook } from '../notes/notes.ts'
import type { HubAccess } from './hub-client.ts'

/** Everything that an exchange with the hub needs. */
export type TeamContext = {
  book: Notebook
  hub: HubAccess & { id: string }
  member: { id: string; name: string }
  signal: AbortSignal
  /** Whether the person excluded a project from memory: nothing of it is sent or received. */
  isExcluded(project: ProjectKey): boolean
  now(): number
  /** Tells the worker what changed. */
  announce(changes: Change[]): void
}

/** Why an exchange ended early. `lost`: the hub does not know this device any more. `outdated`: the hub speaks another version. */
export class ExchangeEnded extends Error {
  constructor(
    readonly kind: 'unreachable' | 'lost' | 'refused',
    reason: string,
  ) {
    super(reason)
  }
}

/** Turns a reply that concerns the whole exchange, not one project, into its end. */
export function endedBy(
  reply: { kind: 'refused'; status: number; reason: string } | { kind: 'unreachable'; reason: string },
): ExchangeEnded {
  if (reply.kind === 'unreachable') return new ExchangeEnded('unreachable', reply.reason)
  if (reply.status === 401) return new ExchangeEnded('lost', reply.reason)
  if (reply.status === 404) return new ExchangeEnded('refused', `${reply.reason}; the hub may be older or newer than this program`)
  if (reply.status === 429 || reply.status >= 500) return new ExchangeEnded('unreachable', reply.reason)
  return new ExchangeEnded('refused', reply.reason)
}
