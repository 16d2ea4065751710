/** The types of documents, and of the scope of a search among them. */
import type { ProjectKey } from '../core/ids.ts'
import type { MemoryKind } from '../core/memory-kinds.ts'
import type { CandidateIds } from './candidates.ts'
import type { DocumentFilter } from './document-filter.ts'

export type DocumentKind = MemoryKind

/** Which memory a document is, and when it happened. */
export type DocumentLocation = {
  documentId: number
  kind: DocumentKind
  ref: string
  sessionId: number | null
  /** The number of the prompt in its session; null for documents outside a turn. */
  turn: number | null
  project: ProjectKey
  at: number
}

export type IndexedDocument = Omit<DocumentLocation, 'documentId'> & {
  words: { title?: string; prompt?: string; body?: string; facts?: string; files?: string }
  /** The text right before and after the document. It helps to find the document and is not part of it. */
  context: string
}

/** A document and how well the words match it. Higher is better; scores of different searches cannot be compared. */
export type DocumentMatch = DocumentLocation & { score: number }

export type SearchScope = {
  project: ProjectKey | null
  kinds: DocumentKind[]
  since: number
  before: number
  limit: number
  scan?: LargeStoreScan | null
  filter?: DocumentFilter
  /** The documents that the filters may keep. */
  candidates?: CandidateIds
  /** Documents to score in any case, because another signal found them. */
  alwaysWeighed?: number[]
}

/**
 * Which documents a search in a large store looks at. Common words are searched in `commonWordRanges` only, if scoring every document that
 * contains them would take too long. With `isProjectOnly`, other projects are excluded while searching; for a large project it is faster
 * to exclude them from the best results only. `newestIds` comes from `documents.newestIds`.
 */
export type LargeStoreScan = {
  ranges: DocumentRange[]
  commonWordRanges: DocumentRange[] | null
  isProjectOnly: boolean
  newestIds: number[]
}

/** Documents by id, `upTo` included. */
export type DocumentRange = { after: number; upTo: number }

/** Document ids of the prompts that wait for their answer, and of the prompts right before these. */
export type UnansweredPrompts = { running: ReadonlySet<number>; preceding: ReadonlySet<number> }

/** The words of a document by column, empty where it has none. */
export const allColumns = ({ words }: IndexedDocument) => ({ title: '', prompt: '', body: '', facts: '', files: '', ...words })
