import type { ProjectKey } from './ids.ts'
import type { MemoryKind } from './memory-kinds.ts'

/** A search result: what search makes, the worker sends, and whoever asked reads. */
export type Hit = {
  kind: MemoryKind
  /** Among those of its kind; the client library puts the letter before it by which `get` takes it. */
  id: string
  /** What kind of observation or summary it is. */
  type: string
  title: string
  snippet: string
  project: ProjectKey
  sessionId: number | null
  at: number
  /** Higher is better; comparable within one answer only. */
  score: number
  /** What each signal gave, or took where that is below zero; they add up to the score. */
  signals: Partial<Record<Signal, number>>
  /** The share of the question, weighed by how telling its words are, that this document holds, and how many words that is. */
  coverage: number
  matched: number
  /** How unlikely it is that those words meet by chance: the natural logarithm of how many documents one would expect to look at for it. */
  unlikely: number
  /** How near it is by meaning, from -1 to 1; null when it is not among the nearest, or nobody looked. */
  cosine: number | null
  /** What reading the whole of it costs. */
  tokens: number
  /** Others that tell the same, or its turn once more, and were folded into this one. */
  also: string[]
}

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

/** A time that a question speaks of, what became of it, and that in a sentence for whoever asked. */
export type QueryTimeReference = { meaning: string; kept: boolean; said: string }
