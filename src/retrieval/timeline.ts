import type { AgentName } from '../core/agent.ts'
import type { Hit } from '../core/hit.ts'
import type { ProjectKey } from '../core/ids.ts'
import { type MemoryKind, memoryId } from '../core/memory-kinds.ts'
import { countTokens } from '../core/tokens.ts'
import { listTitle } from '../core/turn-title.ts'
import type { WorkOutcome } from '../core/work-outcome.ts'
import type { DocumentLocation, Store } from '../store/store.ts'
import { documentText } from './hits.ts'

/** A memory in a timeline. `anchor` marks the one that the timeline was asked for. */
export type TimelineHit = Pick<Hit, 'kind' | 'id' | 'type' | 'title' | 'project' | 'sessionId' | 'at' | 'tokens'> & {
  anchor: boolean
  agent: AgentName | null
  outcome: WorkOutcome | null
}

/** The memories of all kinds before and after a document or a time, oldest first. */
export async function timeline(
  store: Store,
  center: { project: ProjectKey | null; at: number; documentId?: number },
  depth: TimelineDepth,
): Promise<TimelineHit[]> {
  const { outcomeOf } = await import('./outcomes.ts')
  const hits: TimelineHit[] = []
  for (const { location, text } of await documentsAround(store, center, depth)) {
    const { kind, ref, project, sessionId, at } = location
    const title = listTitle(text.title)
    const tokens = countTokens(`${text.title}\n${text.body}`)
    const anchor = location.documentId === center.documentId
    const outcome = await outcomeOf(store, location, null)
    const agent = sessionId === null ? null : ((await store.sessions.get(sessionId))?.agent ?? null)
    hits.push({ kind, id: ref, type: text.type, title, project, sessionId, at, tokens, anchor, agent, outcome })
  }
  return hits.map((hit) => (saysOutcome(hit, hits) ? hit : { ...hit, outcome: null }))
}

/** How many memories before and after; `only` leaves out the others, and then counts those that are left. */
type TimelineDepth = { before: number; after: number; only?: TimelineFilter }
type TimelineFilter = { kinds: readonly MemoryKind[] | undefined; types: string[]; tags: string[] }

type Center = { project: ProjectKey | null; at: number; documentId?: number }

async function documentsAround(store: Store, center: Center, { before, after, only }: TimelineDepth) {
  const isFiltered = only !== undefined && ((only.kinds?.length ?? 0) > 0 || only.types.length + only.tags.length > 0)
  const reach = (depth: number) => (isFiltered ? Math.min(MAX_NEIGHBOURS_READ, depth * NEIGHBOURS_READ_PER_SHOWN) : depth)
  const locations = await store.documents.timelineAround(center.project, center.at, reach(before), reach(after), center.documentId)
  const found: { location: DocumentLocation; text: NonNullable<Awaited<ReturnType<typeof documentText>>> }[] = []
  for (const location of locations) {
    const text = await documentText(store, location)
    const isWanted = !isFiltered || location.documentId === center.documentId || (await passes(store, location, text?.type ?? '', only))
    if (text && isWanted) found.push({ location, text })
  }
  if (!isFiltered) return found
  const isEarlier = ({ location }: (typeof found)[number]) =>
    location.at < center.at || (location.at === center.at && location.documentId < (center.documentId ?? 0))
  const [earlier, rest] = [found.filter(isEarlier), found.filter((one) => !isEarlier(one))]
  return [...(before > 0 ? earlier.slice(-before) : []), ...rest.slice(0, after + Number(center.documentId !== undefined))]
}

/** Of some kinds there may be few, but a timeline does not read a whole history to find them. */
const NEIGHBOURS_READ_PER_SHOWN = 20
const MAX_NEIGHBOURS_READ = 600

async function passes(
  store: Store,
  { kind, ref }: DocumentLocation,
  type: string,
  { kinds, types, tags }: TimelineFilter,
): Promise<boolean> {
  if (kinds && !kinds.includes(kind)) return false
  if (types.length > 0 && !types.includes(type)) return false
  if (tags.length === 0) return true
  const [observation] = kind === 'observation' ? await store.observations.get([Number(ref)]) : []
  return tags.every((tag) => observation?.tags?.includes(tag) ?? false)
}

/** Neighbours often belong to the same work. Its outcome is said once: by the anchor, or by the last of them if the outcome is not in the list itself. */
function saysOutcome(hit: TimelineHit, hits: TimelineHit[]): boolean {
  if (!hit.outcome || hit.anchor || hit.outcome.of === 'this turn') return true
  const { id, of } = hit.outcome
  const same = hits.filter(({ outcome }) => outcome?.id === id && outcome.of === of)
  const isListed = of === 'this work' && hits.some((other) => memoryId(other.kind, other.id) === id)
  return !isListed && !same.some(({ anchor }) => anchor) && same.at(-1)?.id === hit.id && same.at(-1)?.kind === hit.kind
}
