/**
 * What leads to the documents that filters may leave, so that they are found however old they are and however many others there are. A lead
 * never misses one, and may bring some that are not meant: whoever shows one has asked the choice itself.
 */
import type { Database } from 'bun:sqlite'
import { GLOBAL_PROJECT } from '../core/ids.ts'
import type { DocumentLocation, DocumentRange, SearchScope } from './document.ts'
import {
  BRANCHES_CTE,
  firstMatchingAmong,
  IN_PROJECT,
  IN_TIME_AND_KINDS,
  LOCATION_COLUMNS,
  PASSES_FILTER,
  scopeParams,
  sqlIsIn,
} from './document-filter.ts'
import { quoteFtsWord, type SqlParams } from './statement.ts'
import type { TraitIndex } from './trait-index.ts'

/** Documents that filters may leave, by number, the highest first; none is missing from a number on, 0 where all of them are there. */
export type CandidateIds = { ids: number[]; completeFrom: number }

/** Tells of a document whether filters may leave it: of what has a lower number than the ones that are known, nobody can say yet. */
export function candidateTest(lead: CandidateIds | undefined): (id: number) => boolean {
  if (!lead) return () => true
  const known = new Set(lead.ids)
  return (id) => id < lead.completeFrom || known.has(id)
}

/** The same of a place that was found without asking for it. */
export function locationCandidateTest({ candidates: lead }: SearchScope): (place: DocumentLocation) => boolean {
  const mayBe = candidateTest(lead)
  return ({ documentId }) => mayBe(documentId)
}

/** How many kinds of documents there are: asking for all of them is asking for any. */
const DOCUMENT_KIND_COUNT = 4
/** To read the numbers of these takes some milliseconds. */
const MAX_CANDIDATES = 10_000
/** A branch of more sessions leads nowhere: most of what there is may be on it. */
const MAX_BRANCH_SESSIONS = 300
/** The length of a part in the name index: SQLite's trigram index finds nothing shorter. */
export const TRIGRAM_CHARS = 3
/** Of the pieces of a path, those that the fewest documents have; what has these in common is asked for the path itself when it is wanted. */
const MAX_PATH_TRIGRAMS = 4

/** `documentsNaming` says in how many documents three letters of a name stand. */
export function candidateStatements(db: Database, traits: TraitIndex, documentsNaming: (piece: string) => number) {
  const numbers = (sql: string, order = '1') => {
    const statement = db.prepare<{ ids: string }, SqlParams>(
      `SELECT json_group_array(id) AS ids FROM (${sql} ORDER BY ${order} DESC LIMIT @limit)`,
    )
    return (params: SqlParams): number[] => JSON.parse(statement.get({ ...params, limit: MAX_CANDIDATES + 1 })?.ids ?? '[]')
  }
  const span = 'rowid > @after AND rowid <= @upTo'
  const withPieces = numbers(`SELECT rowid AS id FROM trigrams WHERE trigrams MATCH @words AND ${span}`)
  const withWord = numbers(`SELECT rowid AS id FROM fulltext WHERE fulltext MATCH @words AND ${span}`)
  const ofSessions = numbers('SELECT d.id FROM json_each(@sessions) s CROSS JOIN documents d ON d.session_id = s.value')
  const sessionsOn = db.prepare<{ id: number }, SqlParams>(`
    ${BRANCHES_CTE}, meant AS MATERIALIZED (
      SELECT project, branch FROM known
      WHERE ${sqlIsIn('branch', '@branches')} AND (@project IS NULL OR project IN (@project, '${GLOBAL_PROJECT}')))
    SELECT DISTINCT p.session_id AS id FROM meant CROSS JOIN prompts p ON p.project = meant.project AND p.branch = meant.branch
    LIMIT ${MAX_BRANCH_SESSIONS + 1}`)
  const ofTime = numbers('SELECT id FROM documents WHERE at >= @since AND at < @before', 'at')

  /** What touched a file, by three letters at a time; fewer must be a word of its path. */
  function touching(path: string, within: SqlParams): number[] {
    const letters = [...path]
    if (letters.length < TRIGRAM_CHARS) return withWord({ ...within, words: `files : ${quoteFtsWord(path)}` })
    const pieces = [...new Set(letters.slice(TRIGRAM_CHARS - 1).map((_, at) => letters.slice(at, at + TRIGRAM_CHARS).join('')))]
    const rarest = pieces.map((piece) => ({ piece, documents: documentsNaming(piece) })).sort((a, b) => a.documents - b.documents)
    return withPieces({
      ...within,
      words: rarest
        .slice(0, MAX_PATH_TRIGRAMS)
        .map(({ piece }) => quoteFtsWord(piece))
        .join(' AND '),
    })
  }

  return (within: SearchScope, spanOf: (within: SearchScope) => DocumentRange): CandidateIds => {
    const { filter: choice, kinds } = within
    if (kinds.length === 0) return { ids: [], completeFrom: 0 }
    const params = scopeParams(within)
    const hasNotes = kinds.includes('note')
    const leads: CandidateIds[] = []
    const then = hasTimeLimit(within) ? candidatesFrom(ofTime(params)) : null
    if (then?.completeFrom === 0) leads.push(then)
    if (!choice && kinds.length === DOCUMENT_KIND_COUNT) return intersectionOf(leads)
    const span = then?.completeFrom === 0 ? { after: (then.ids.at(-1) ?? 1) - 1, upTo: then.ids[0] ?? 0 } : spanOf(within)
    leads.push(candidatesFrom(traits.newestWith(within, span, MAX_CANDIDATES + 1)))
    if (choice?.session) {
      const { contentIds, begins } = choice.session
      leads.push(unionOf([ofSessions(params), ...(hasNotes ? [traits.newestNotesOf(contentIds, begins, MAX_CANDIDATES + 1)] : [])]))
    }
    if (choice?.branches.length) {
      const sessions = sessionsOn.all(params).map(({ id }) => id)
      if (sessions.length <= MAX_BRANCH_SESSIONS) leads.push(candidatesFrom(ofSessions({ sessions: JSON.stringify(sessions) })))
    }
    if (choice?.paths.length) leads.push(unionOf(choice.paths.map((path) => touching(path, { ...span }))))
    return intersectionOf(leads)
  }
}

/** Whether a time is asked for. */
export const hasTimeLimit = ({ since, before }: { since: number; before: number }) => since > 0 || before < Number.MAX_SAFE_INTEGER

/** What a lead brought, which stops when it has brought enough. */
function candidatesFrom(found: number[]): CandidateIds {
  const ids = [...new Set(found)].sort((a, b) => b - a)
  return { ids, completeFrom: ids.length > MAX_CANDIDATES ? (ids.at(-1) ?? 0) : 0 }
}

/** What either of some leads brought, as far back as all of them reach. */
function unionOf(found: number[][]): CandidateIds {
  const leads = found.map(candidatesFrom)
  const from = Math.max(0, ...leads.map((lead) => lead.completeFrom))
  return { ids: [...new Set(leads.flatMap(({ ids }) => ids))].filter((id) => id >= from).sort((a, b) => b - a), completeFrom: from }
}

/** What the lead that reaches furthest back has, and the others have as far as they reach; without a lead nothing is known. */
function intersectionOf(leads: CandidateIds[]): CandidateIds {
  const [furthest = { ids: [], completeFrom: Number.MAX_SAFE_INTEGER }, ...others] = leads.toSorted(
    (a, b) => a.completeFrom - b.completeFrom || a.ids.length - b.ids.length,
  )
  const tests = others.map(candidateTest)
  return { ids: furthest.ids.filter((id) => tests.every((mayBe) => mayBe(id))), completeFrom: furthest.completeFrom }
}

/**
 * The newest of what filters leave. Numbers do not follow time: old work may be imported after newer work was done. So those that are known
 * are put in the order of time, and of the ones before them, of which nothing is known, every one that is no older is asked.
 */
export function newestAmong(db: Database) {
  const byTime = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(id) AS ids FROM (
      SELECT d.id FROM json_each(@ids) known CROSS JOIN documents d ON d.id = known.value WHERE ${IN_PROJECT} AND ${IN_TIME_AND_KINDS}
      ORDER BY d.at DESC, d.id DESC)`)
  const unknown = db.prepare<DocumentLocation, SqlParams>(`
    SELECT ${LOCATION_COLUMNS} FROM documents d INDEXED BY documents_by_time WHERE d.id < @from AND ${IN_PROJECT} AND ${PASSES_FILTER}
    ORDER BY d.at DESC, d.id DESC LIMIT @limit`)
  const firstWanted = firstMatchingAmong(db)
  return ({ ids, completeFrom: from }: CandidateIds, within: SearchScope): DocumentLocation[] => {
    const params = scopeParams(within)
    const known: number[] = JSON.parse(byTime.get({ ...params, ids: JSON.stringify(ids) })?.ids ?? '[]')
    const found = firstWanted(known, within.limit, within, known.length)
    if (from === 0) return found
    const since = found.length < within.limit ? within.since : (found.at(-1)?.at ?? within.since)
    return [...found, ...unknown.all({ ...params, since, from })]
      .sort((a, b) => b.at - a.at || b.documentId - a.documentId)
      .slice(0, within.limit)
  }
}
