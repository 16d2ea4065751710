import type { AgentName } from '../core/agent.ts'
import type { Hit } from '../core/hit.ts'
import type { ProjectKey } from '../core/ids.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { countTokens } from '../core/tokens.ts'
import { listTitle } from '../core/turn-title.ts'
import type { WorkOutcome } from '../core/work-outcome.ts'
import type { Store } from '../store/store.ts'
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
  depth: { before: number; after: number },
): Promise<TimelineHit[]> {
  const { outcomeOf } = await import('./outcomes.ts')
  const hits: TimelineHit[] = []
  for (const location of await store.documents.timelineAround(center.project, center.at, depth.before, depth.after, center.documentId)) {
    const text = await documentText(store, location)
    if (!text) continue
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

/** Neighbours often belong to the same work. Its outcome is said once: by the anchor, or by the last of them if the outcome is not in the list itself. */
function saysOutcome(hit: TimelineHit, hits: TimelineHit[]): boolean {
  if (!hit.outcome || hit.anchor || hit.outcome.of === 'this turn') return true
  const { id, of } = hit.outcome
  const same = hits.filter(({ outcome }) => outcome?.id === id && outcome.of === of)
  const isListed = of === 'this work' && hits.some((other) => memoryId(other.kind, other.id) === id)
  return !isListed && !same.some(({ anchor }) => anchor) && same.at(-1)?.id === hit.id && same.at(-1)?.kind === hit.kind
}
