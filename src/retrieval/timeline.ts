import type { Hit } from '../core/hit.ts'
import type { ProjectKey } from '../core/ids.ts'
import { shorten } from '../core/text.ts'
import { countTokens } from '../core/tokens.ts'
import type { Store } from '../store/store.ts'
import { documentText } from './hits.ts'

/** A memory in a timeline. `anchor` marks the one that the timeline was asked for. */
export type TimelineHit = Pick<Hit, 'kind' | 'id' | 'type' | 'title' | 'project' | 'sessionId' | 'at' | 'tokens'> & { anchor: boolean }

/** The memories of all kinds before and after a document or a time, oldest first. */
export async function timeline(
  store: Store,
  center: { project: ProjectKey | null; at: number; documentId?: number },
  depth: { before: number; after: number },
): Promise<TimelineHit[]> {
  const hits: TimelineHit[] = []
  for (const location of await store.documents.timelineAround(center.project, center.at, depth.before, depth.after, center.documentId)) {
    const text = await documentText(store, location)
    if (!text) continue
    const { kind, ref, project, sessionId, at } = location
    const title = shorten(text.title, MAX_TITLE_CHARACTERS)
    const tokens = countTokens(`${text.title}\n${text.body}`)
    hits.push({ kind, id: ref, type: text.type, title, project, sessionId, at, tokens, anchor: location.documentId === center.documentId })
  }
  return hits
}

const MAX_TITLE_CHARACTERS = 120
