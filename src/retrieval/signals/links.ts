import type { LinkRelation } from '../../store/store.ts'
import type { RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/** Documents that are linked with the best ones: the fix of a failure, the next change of the same files. */
export const links: RankingSignal = async ({ store, scores, scope }) => {
  const sources = scores.ranked().slice(0, MAX_LINK_SOURCES)
  const best = sources[0]?.score ?? 0
  const shares = new Map<number, number>()
  for (const { location, score } of sources) {
    for (const side of ['before', 'after'] as const) {
      for (const { from, to, relation } of await store.links.of(location, side, MAX_LINKS_PER_SIDE)) {
        const other = side === 'before' ? from : to
        const target = BOOSTED_RELATIONS.has(relation) ? await store.documents.locationOf(other.kind, other.ref) : null
        if (target) shares.set(target.documentId, Math.max(score / best, shares.get(target.documentId) ?? 0))
      }
    }
  }
  for (const location of await store.documents.matching([...shares.keys()], scope))
    scores.give(location, 'links', WEIGHTS.links * (shares.get(location.documentId) ?? 0))
}

const MAX_LINK_SOURCES = 5
/** The nearest in time, of one document in each direction. */
const MAX_LINKS_PER_SIDE = 6
/** Not the relations within a session: the session and context signals cover those. */
const BOOSTED_RELATIONS: ReadonlySet<LinkRelation> = new Set<LinkRelation>(['same-file', 'co-changed', 'failed-then-fixed', 'supersedes'])
