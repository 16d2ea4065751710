import type { LiveEvent } from './sse.ts'

/** What has come in since a list was fetched: how much was counted, and what was heard since. Past `MOST` only that it was a lot. */
export type Arrivals = { counted: number; keys: ReadonlySet<string>; isOverLimit: boolean }

export const NO_ARRIVALS: Arrivals = { counted: 0, keys: new Set(), isOverLimit: false }
const MAX_COUNTED_ARRIVALS = 500

/** After a silence nobody knows what was missed, but how much it was. */
export const arrivalsFromCount = (more: number): Arrivals => ({ ...NO_ARRIVALS, counted: more })

export const hasArrivals = ({ counted, keys }: Arrivals) => counted + keys.size > 0

export type ArrivalFilter = { project: string; kinds: string[]; types: string[] }

/** Takes a live event into account. The same memory told twice, by a line that broke and came back, is one. */
export function addArrival(before: Arrivals, event: LiveEvent, wanted: ArrivalFilter): Arrivals {
  const memory = memoryInEvent(event)
  if (!memory || !matchesArrivalFilter(memory, wanted)) return before
  const key = `${memory.kind}:${memory.id}`
  if (before.isOverLimit || before.keys.has(key)) return before
  return { ...before, keys: new Set([...before.keys, key]), isOverLimit: before.keys.size + 1 >= MAX_COUNTED_ARRIVALS }
}

type ArrivedMemory = { kind: string; id: string; project: string; type: string }

function memoryInEvent({ type, data }: LiveEvent): ArrivedMemory | null {
  const held = data as Record<string, { id?: unknown; project?: unknown; type?: unknown } | undefined> | null
  const [kind, memory] =
    type === 'observation-added'
      ? ['observation', held?.observation]
      : type === 'summary-added'
        ? ['summary', held?.summary]
        : type === 'prompt-added'
          ? ['prompt', held?.prompt]
          : type === 'note-changed'
            ? ['note', held?.note]
            : []
  if (!kind || !memory) return null
  return { kind, id: String(memory.id), project: String(memory.project ?? held?.project ?? ''), type: String(memory.type ?? '') }
}

function matchesArrivalFilter({ kind, project, type }: ArrivedMemory, wanted: ArrivalFilter): boolean {
  if (wanted.project && project !== wanted.project) return false
  if (wanted.types.length > 0) return kind === 'observation' && wanted.types.includes(type)
  return wanted.kinds.length === 0 || wanted.kinds.includes(kind)
}

export const describeArrivals = ({ counted, keys, isOverLimit: many }: Arrivals) => (many ? 'Much is new' : `${counted + keys.size} new`)
