import type { ProjectKey } from './ids.ts'
import type { MemoryKind } from './memory-kinds.ts'

/** A search result, from search through the worker to the caller. */
export type Hit = {
  kind: MemoryKind
  /** Unique within its kind. The client library adds the kind's letter, as `get` expects it. */
  id: string
  /** The type of observation or summary. */
  type: string
  title: string
  snippet: string
  project: ProjectKey
  sessionId: number | null
  /** The number of its turn in the session; null for memories outside a turn. */
  turn: number | null
  at: number
  /** Higher is better. Scores of different searches cannot be compared. */
  score: number
  /** What each signal added to the score; negative when it lowered it. They add up to the score. */
  signals: Partial<Record<Signal, number>>
  /** The share of the query's words that this document contains, weighted by their rarity; and how many words these are. */
  coverage: number
  matched: number
  /** How unlikely it is that these words occur together by chance: ln of the number of documents in which one such match is expected. */
  unlikely: number
  /** The same, counting only words that some memory contains: a long text has many distinctive words that none has. */
  known: { coverage: number; matched: number; unlikely: number }
  /** Similarity in meaning, from -1 to 1; null when it is not among the nearest, or there was no search by meaning. */
  cosine: number | null
  /** The cost of reading the full memory. */
  tokens: number
  /** Ids of other hits that were folded into this one: they say the same, or belong to the same turn. */
  also: string[]
}

/** How many hits are shown when none is about the query: enough to see that. */
export const MAX_NEAREST_SHOWN = 3

export type Signal =
  | 'words'
  | 'context'
  | 'activity'
  | 'meaning'
  | 'names'
  | 'author'
  | 'time'
  | 'branch'
  | 'project'
  | 'links'
  | 'session'
  | 'recency'
  | 'use'
  | 'variety'
  | 'replaced'
  | 'question'

/** A time that a query refers to, whether it limited the search, and a sentence about it for the caller. */
export type QueryTimeReference = { meaning: string; kept: boolean; said: string }
