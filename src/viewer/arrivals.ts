import type { LiveEvent } from '../wire/live-events.ts'

/** Memories that arrived since a list was fetched: `counted` by the worker, then `keys` from live events. At the limit we stop counting. */
export type Arrivals = { counted: number; keys: ReadonlySet<string>; isOverLimit: boolean }

export const NO_ARRIVALS: Arrivals = { counted: 0, keys: new Set(), isOverLimit: false }
const MAX_COUNTED_ARRIVALS = 500

/** Starts again from a count by the worker: after a lost connection we do not know which events we missed. */
export const arrivalsFromCount = (counted: number): Arrivals => ({ ...NO_ARRIVALS, counted })

export const hasArrivals = ({ counted, keys }: Arrivals) => counted + keys.size > 0

export type ArrivalFilter = { project: string; kinds: string[]; types: string[] }

/** Counts the memory in a live event. An event can be delivered twice, around a reconnect; its memory counts once. */
export function addArrival(before: Arrivals, event: LiveEvent, filter: ArrivalFilter): Arrivals {
  const memory = memoryInEvent(event)
  if (!memory || !matchesArrivalFilter(memory, filter)) return before
  const key = `${memory.kind}:${memory.id}`
  if (before.isOverLimit || before.keys.has(key)) return before
  return { ...before, keys: new Set([...before.keys, key]), isOverLimit: before.keys.size + 1 >= MAX_COUNTED_ARRIVALS }
}

type ArrivedMemory = { kind: string; id: string; project: string; type: string }

function memoryInEvent({ change }: LiveEvent): ArrivedMemory | null {
  switch (change?.kind) {
    case 'observation-added':
      return arrivedMemory('observation', change.observation)
    case 'summary-added':
      return arrivedMemory('summary', { ...change.summary, type: '' })
    case 'prompt-added':
      return arrivedMemory('prompt', { id: change.prompt.id, project: change.project, type: '' })
    case 'note-changed':
      return arrivedMemory('note', change.note)
    default:
      return null
  }
}

const arrivedMemory = (kind: string, { id, project, type }: { id: number | string; project: string; type: string }): ArrivedMemory => ({
  kind,
  id: String(id),
  project,
  type,
})

function matchesArrivalFilter({ kind, project, type }: ArrivedMemory, filter: ArrivalFilter): boolean {
  if (filter.project && project !== filter.project) return false
  if (filter.types.length > 0) return kind === 'observation' && filter.types.includes(type)
  return filter.kinds.length === 0 || filter.kinds.includes(kind)
}

export const describeArrivals = ({ counted, keys, isOverLimit }: Arrivals) => `${counted + keys.size}${isOverLimit ? '+' : ''} new`
