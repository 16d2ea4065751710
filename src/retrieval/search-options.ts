import type { ProjectKey } from '../core/ids.ts'
import type { DocumentFilter, DocumentKind, SearchScope, UnansweredPrompts } from '../store/store.ts'
import type { TimeWindow } from './time-phrases.ts'

export type RetrievalOptions = {
  project?: ProjectKey | null
  kinds?: DocumentKind[]
  since?: number
  before?: number
  limit?: number
  offset?: number
  /** Searches only what was said, not what tools changed or ran. */
  skipsActivity?: boolean
  /** Leaves out a session whose memories are already in the model's context. */
  excludedSessionId?: number
  /** `running` prompts are never hits; `preceding` ones need a match of their own, not just one in their context. */
  unansweredPrompts?: UnansweredPrompts
  /** Files that the query names. Documents that name them too rank higher. */
  files?: string[]
  /** The time that the query mentions. Documents from around that time rank higher. */
  timeWindow?: TimeWindow
  /** A person typed the query, so a name in it may be incomplete. Searching for incomplete names is too slow for every prompt. */
  isTyped?: boolean
  /** The query asks for the last of several events: newer documents come first among those that score nearly as well as the best. */
  prefersLatest?: boolean
  boosts?: QueryBoosts | null
  filter?: DocumentFilter
}

/** The branches and the project that a query refers to. `isWholeQuery`: it asks for nothing else, so any document in them may answer. */
export type QueryBoosts = { scopes: { signal: 'branch' | 'project'; within: Partial<SearchScope> }[]; isWholeQuery: boolean }

/** Finds documents by meaning. Without an embedder there is none, and words alone decide. */
export type SemanticSearch = (
  text: string,
  project: ProjectKey | null,
  limit: number,
) => Promise<{ documentId: number; score: number; cosine: number }[]>

export const NO_DOCUMENT_FILTER: DocumentFilter = {
  session: null,
  paths: [],
  branches: [],
  types: [],
  namespaces: [],
  tags: [],
  notTags: [],
  sources: [],
  agents: [],
}
