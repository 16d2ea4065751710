/**
 * Documents: everything that a search can find. `documents` holds one row each; five full-text indexes hold their words (`word-index.ts`), their
 * context (`context-index.ts`), their names (`name-index.ts`), the activity of their turn (`activity-index.ts`) and the traits that filters ask
 * for (`trait-index.ts`). Each index has `put` and a way to match; this file joins them. Writers of other tables put their document here
 * in the same transaction.
 */
import type { Database } from 'bun:sqlite'
import type { ProjectKey } from '../core/ids.ts'
import { activityIndexStatements } from './activity-index.ts'
import { cachedCounts, documentCounter } from './cached-counts.ts'
import { type CandidateIds, candidateStatements, candidateTest, newestAmong } from './candidates.ts'
import { contextIndexStatements } from './context-index.ts'
import type {
  DocumentKind,
  DocumentLocation,
  DocumentMatch,
  DocumentRange,
  IndexedDocument,
  SearchScope,
  UnansweredPrompts,
} from './document.ts'
import { documentRangeStatements } from './document-ranges.ts'
import { documentRowStatements } from './document-rows.ts'
import type { filterValueStatements, OpenFilterName } from './filter-values.ts'
import { nameIndexStatements } from './name-index.ts'
import { stemStatements } from './stems.ts'
import { traitIndexStatements } from './trait-index.ts'
import { wordIndexStatements } from './word-index.ts'

export type DocumentIndexes = ReturnType<typeof documentStatements>

export function documentStatements(db: Database) {
  const rows = documentRowStatements(db)
  const ranges = documentRangeStatements(db)
  const cached = cachedCounts(ranges.lastId)
  const documentsWith = cached(documentCounter(db, 'fulltext'))
  const documentsNaming = cached(documentCounter(db, 'trigrams'))
  const countOfProject = cached(rows.countOfProject)
  const newestOf = newestAmong(db)
  const words = wordIndexStatements(db, documentsWith)
  const context = contextIndexStatements(db, documentsWith)
  const traits = traitIndexStatements(db)
  const names = nameIndexStatements(db, newestOf, ranges.idRange)
  const activity = activityIndexStatements(db, cached)
  const candidates = candidateStatements(db, traits, documentsNaming)
  let filterValues: Promise<ReturnType<typeof filterValueStatements>> | undefined
  const stems = stemStatements(db)

  return {
    /**
     * Puts documents into the indexes. All rows are written before any words: each statement that may fail half-way makes FTS5 write out the
     * words it holds, and writing once per turn is several times as fast as once per document.
     */
    put: (...documents: IndexedDocument[]): void => {
      const written = documents.map((document) => ({ id: rows.put(document), document }))
      for (const { id, document } of written) for (const index of [words, context, traits, names]) index.put(id, document)
    },
    /** Puts the activity of a prompt's turn into its index. It comes when the turn is distilled, after the prompt. */
    putActivity: (promptId: number, text: string): void => {
      const prompt = rows.byRef('prompt', String(promptId))
      if (prompt) activity.put(prompt.documentId, text)
    },
    remove: rows.remove,

    /** Documents that contain any of the words, best first. The words are plain text, not a query. */
    match: async (list: string[], within: SearchScope): Promise<DocumentMatch[]> => words.match(list, within),
    /** Like `match`, but words in a document's context count too. */
    matchContext: async (list: string[], within: SearchScope): Promise<DocumentMatch[]> => context.match(list, within),
    /** Prompts whose turns wrote or ran the words, as far as these words tell turns apart; best first. */
    matchActivity: async (list: string[], within: SearchScope): Promise<DocumentMatch[]> => activity.match(list, within),
    /** Documents with a name that contains `part`, newest first. A part has at least three characters. */
    matchNames: async (part: string, within: SearchScope): Promise<DocumentMatch[]> => names.match(part, within),
    /** Whether a turn wrote or ran the word. */
    occursInActivity: async (word: string): Promise<boolean> => activity.has(word),
    /** Whether a turn wrote or ran the word, or a name contains it. */
    occursInActivityOrNames: async (word: string): Promise<boolean> => activity.has(word) || names.has(word),

    /** The words that occur in any document, in any form. Letters only. */
    knownWords: async (list: string[]): Promise<string[]> => words.known(list),
    /** The documents with the highest ids that contain a word in any form. */
    newestWith: async (word: string, limit: number): Promise<DocumentLocation[]> => words.newestWith(word, limit),
    /** The stem of each word, and how many documents contain it; of common words, about how many. */
    frequencies: async (list: string[]): Promise<{ word: string; stem: string; documents: number }[]> => {
      const stemOf = stems(list)
      return list.map((word) => ({ word, stem: stemOf.get(word) ?? word, documents: documentsWith(word) }))
    },

    /** The newest documents in scope. Notes, and documents that pass a filter, may be rare, so these are searched among candidates. */
    newest: async (within: SearchScope): Promise<DocumentLocation[]> => {
      if (!within.filter && within.kinds.some((kind) => kind !== 'note')) return rows.newest(within)
      return newestOf(candidates(within, ranges.idRange), within)
    },
    /** The documents that filters, kinds and a time window may keep. None is missing; some may fail the filter. */
    candidates: async (within: SearchScope): Promise<CandidateIds> => candidates(within, ranges.idRange),
    /** The newest of these candidates that are in scope. */
    newestOf: async (among: CandidateIds, within: SearchScope): Promise<DocumentLocation[]> => newestOf(among, within),
    /** The documents among these that are in scope. */
    matching: async (documentIds: number[], within: SearchScope): Promise<DocumentLocation[]> =>
      rows.matching(documentIds.filter(candidateTest(within.candidates)), within),
    /** The values that memories have for a filter. */
    filterValues: async (filter: OpenFilterName, project: ProjectKey | null = null): Promise<string[]> => {
      filterValues ??= import('./filter-values.ts').then(({ filterValueStatements }) => filterValueStatements(db))
      return (await filterValues)(filter, project)
    },

    /** How many documents a project has, or about; without a project, how many there are in all. */
    count: async (project: ProjectKey | null): Promise<number> => (project ? countOfProject(project) : ranges.lastId()),
    /** The range of ids that contains all documents of a time window. It may contain others. */
    idRange: async (since: number, before: number): Promise<DocumentRange> => ranges.idRange({ since, before }),
    /** The newest ids of a time window, newest first, if old work was imported after some of them; empty where ids follow time. */
    newestIds: async (since: number, before: number, range: DocumentRange): Promise<number[]> => ranges.newestIds(since, before, range),

    location: async (documentId: number): Promise<DocumentLocation | null> => rows.byId(documentId),
    locationOf: async (kind: DocumentKind, ref: string): Promise<DocumentLocation | null> => rows.byRef(kind, ref),
    /** The documents before and after a time, oldest first. If several have this very time, `documentId` says where among them the middle is. */
    timelineAround: async (
      project: ProjectKey | null,
      at: number,
      depthBefore: number,
      depthAfter: number,
      documentId = 0,
    ): Promise<DocumentLocation[]> => rows.timelineAround(project, at, depthBefore, depthAfter, documentId),
    /**
     * Prompts whose turn has no answer yet, in open sessions with an event after `since`; and the prompts right before them, whose context
     * contains them.
     */
    unansweredPrompts: async (since: number): Promise<UnansweredPrompts> => rows.unansweredPrompts(since),
    /** The documents among these whose turn only acknowledged a machine's report. */
    acknowledgements: async (documentIds: number[]): Promise<Set<number>> => rows.acknowledgements(documentIds),
    /** Counts one reading of the full memory. */
    countUse: async (kind: DocumentKind, ref: string): Promise<void> => rows.countUse(kind, ref),
    /** How often each of these documents was read in full; documents that never were are missing. */
    useCounts: async (documentIds: number[]): Promise<Map<number, number>> => rows.useCounts(documentIds),
  }
}
