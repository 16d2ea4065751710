/**
 * Retrieval finds memories. Several cheap signals add up to one score that can be explained. A query is plain text, never a query language:
 * any input is allowed. This room reads the store and changes nothing in it, except for vectors (`vectors.ts`).
 */
import type { Hit, Signal } from '../core/hit.ts'
import type { Store } from '../store/store.ts'
import { foldHits, type HitWithText, hitKey } from './fold.ts'
import { documentText, makeHit, repeatsTurn, turnKey } from './hits.ts'
import { MAX_QUERY_CHARACTERS } from './query-parser.ts'
import { rankDocuments, type SearchTerms } from './rank.ts'
import { DEFAULT_LIMIT } from './ranking.ts'
import type { ScoredDocument } from './scores.ts'
import type { RetrievalOptions, SemanticSearch } from './search-options.ts'
import { weighWords } from './word-weights.ts'

export { describeHit, queryCoverage } from './hits.ts'
export type { RetrievalOptions, SemanticSearch } from './search-options.ts'
export { type WeightedWord, weighWords } from './word-weights.ts'

/** In a smaller store no word is common or rare yet. */
export const YOUNG_STORE_DOCUMENTS = 100

/** Finds what is known about a text, best first. Empty if no word of it is known. */
export async function search(
  store: Store,
  text: string,
  options: RetrievalOptions = {},
  semanticSearch: SemanticSearch | null = null,
): Promise<Hit[]> {
  const { limit = DEFAULT_LIMIT, offset = 0, excludedSessionId } = options
  const readText = text.slice(0, MAX_QUERY_CHARACTERS)
  const terms = { text: readText, words: await weighWords(store, readText) }
  const { ranked, cosines } = await rankDocuments(store, terms, options, semanticSearch)
  const allowed = ranked.filter(({ location }) => excludedSessionId === undefined || location.sessionId !== excludedSessionId)
  const read = await readHits(store, allowed, terms, cosines, offset + limit)
  return foldHits(read).slice(offset, offset + limit)
}

/** Reads the best documents as hits. A document that repeats the turn of a better hit is only listed in that hit's `also`. */
async function readHits(
  store: Store,
  ranked: ScoredDocument[],
  { words }: SearchTerms,
  cosines: Map<number, number>,
  wanted: number,
): Promise<HitWithText[]> {
  const read: HitWithText[] = []
  const turns = new Map<string, Hit>()
  for (const { location, score, signals } of ranked) {
    if (read.length >= wanted + EXTRA_HITS_TO_FOLD) break
    const turn = turnKey(location)
    const better = turn === null ? undefined : turns.get(turn)
    if (better && repeatsTurn(location, better.kind)) {
      better.also.push(hitKey({ kind: location.kind, id: location.ref }))
      continue
    }
    const text = await documentText(store, location)
    if (!text || text.saysNothing) continue
    const hit = { ...makeHit(location, text, words, { score, signals }), cosine: cosines.get(location.documentId) ?? null }
    // Dropped before it counts as read, so that pages are slices of one list.
    if (isWeakTail(hit, read[0]?.hit)) continue
    if (turn !== null && !better) turns.set(turn, hit)
    read.push({ hit, text: `${text.title}\n${text.body}`, hash: text.hash })
  }
  return read
}

/** Some of the best hits fold into others, so more are read than wanted. */
const EXTRA_HITS_TO_FOLD = 12

/** If the best hit contains words of the query, a weak hit that is only similar in meaning is not worth its tokens. */
function isWeakTail(hit: Hit, best: Hit | undefined): boolean {
  if (best === undefined || best.matched === 0 || hit.matched > 0) return false
  return hit.score < MIN_TAIL_SCORE_RATIO * best.score && EVIDENCE_BEYOND_MEANING.every((signal) => hit.signals[signal] === undefined)
}

const MIN_TAIL_SCORE_RATIO = 0.15
const EVIDENCE_BEYOND_MEANING: Signal[] = ['words', 'context', 'activity', 'names', 'links', 'branch', 'project']
