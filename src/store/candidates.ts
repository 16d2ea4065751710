/**
 * Candidates: a superset of the documents that filters keep, so that these are found however old they are. Candidates never miss a document, but
 * may include wrong ones, so every statement that returns documents also applies the filter itself.
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

/** Ids of candidates, highest first. None is missing from `completeFrom` on; with 0, the list is complete. */
export type CandidateIds = { ids: number[]; completeFrom: number }

/** Whether filters may keep a document. Below `completeFrom` every document may be a candidate. */
export function candidateTest(candidates: CandidateIds | undefined): (id: number) => boolean {
  if (!candidates) return () => true
  const known = CANDIDATE_TESTS.get(candidates) ?? newCandidateTest(candidates)
  CANDIDATE_TESTS.set(candidates, known)
  return known
}

/** Every signal tests the same candidates. */
const CANDIDATE_TESTS = new WeakMap<CandidateIds, (id: number) => boolean>()

/** One bit for each id between the lowest and the highest: a set of ten thousand numbers takes longer to make than to use. */
function newCandidateTest({ ids, completeFrom }: CandidateIds): (id: number) => boolean {
  const lowest = ids.at(-1) ?? 0
  const length = ids.length === 0 ? 0 : (ids[0] ?? 0) - lowest + 1
  const bits = new Uint32Array(Math.ceil(length / 32))
  for (const id of ids) bits[(id - lowest) >>> 5] = (bits[(id - lowest) >>> 5] ?? 0) | (1 << ((id - lowest) & 31))
  const isKnown = (place: number) => place >= 0 && place < length && ((bits[place >>> 5] ?? 0) & (1 << (place & 31))) !== 0
  return (id) => id < completeFrom || isKnown(id - lowest)
}

/** `candidateTest` for locations. */
export function locationCandidateTest({ candidates }: SearchScope): (location: DocumentLocation) => boolean {
  const isCandidate = candidateTest(candidates)
  return ({ documentId }) => isCandidate(documentId)
}

/** The number of document kinds. A search for all of them is not limited by kind. */
const DOCUMENT_KIND_COUNT = 5
/** Reading this many ids takes some milliseconds. */
const MAX_CANDIDATES = 10_000
/** A branch with more sessions does not narrow the search: most documents may be on it. */
const MAX_BRANCH_SESSIONS = 300
/** The length of a part in the name index: SQLite's trigram index finds nothing shorter. */
export const TRIGRAM_CHARS = 3
/** How many trigrams of a path are searched, the rarest first. The filter later checks the path itself. */
const MAX_PATH_TRIGRAMS = 4

/** `documentsNaming` counts the documents whose names contain a trigram. */
export function candidateStatements(db: Database, traits: TraitIndex, documentsNaming: (trigram: string) => number) {
  const ids = (sql: string, order = '1') => {
    const statement = db.prepare<{ ids: string }, SqlParams>(
      `SELECT json_group_array(id) AS ids FROM (${sql} ORDER BY ${order} DESC LIMIT @limit)`,
    )
    return (params: SqlParams): number[] => JSON.parse(statement.get({ ...params, limit: MAX_CANDIDATES + 1 })?.ids ?? '[]')
  }
  const inRange = 'rowid > @after AND rowid <= @upTo'
  const withTrigrams = ids(`SELECT rowid AS id FROM trigrams WHERE trigrams MATCH @words AND ${inRange}`)
  const withWord = ids(`SELECT rowid AS id FROM fulltext WHERE fulltext MATCH @words AND ${inRange}`)
  const ofSessions = ids('SELECT d.id FROM json_each(@sessions) s CROSS JOIN documents d ON d.session_id = s.value')
  const sessionsOn = db.prepare<{ id: number }, SqlParams>(`
    ${BRANCHES_CTE}, wanted AS MATERIALIZED (
      SELECT project, branch FROM known
      WHERE ${sqlIsIn('branch', '@branches')} AND (@project IS NULL OR project IN (@project, '${GLOBAL_PROJECT}')))
    SELECT DISTINCT p.session_id AS id FROM wanted CROSS JOIN prompts p ON p.project = wanted.project AND p.branch = wanted.branch
    LIMIT ${MAX_BRANCH_SESSIONS + 1}`)
  const ofTime = ids('SELECT id FROM documents WHERE at >= @since AND at < @before', 'at')

  /** Documents with a path, by its rarest trigrams; a path of fewer letters must be a word of the stored path. */
  function withPath(path: string, range: SqlParams): number[] {
    const letters = [...path]
    if (letters.length < TRIGRAM_CHARS) return withWord({ ...range, words: `files : ${quoteFtsWord(path)}` })
    const trigrams = [...new Set(letters.slice(TRIGRAM_CHARS - 1).map((_, at) => letters.slice(at, at + TRIGRAM_CHARS).join('')))]
    const rarest = trigrams.map((trigram) => ({ trigram, documents: documentsNaming(trigram) })).sort((a, b) => a.documents - b.documents)
    return withTrigrams({
      ...range,
      words: rarest
        .slice(0, MAX_PATH_TRIGRAMS)
        .map(({ trigram }) => quoteFtsWord(trigram))
        .join(' AND '),
    })
  }

  return (within: SearchScope, idRange: (within: SearchScope) => DocumentRange): CandidateIds => {
    const { filter, kinds } = within
    if (kinds.length === 0) return { ids: [], completeFrom: 0 }
    const params = scopeParams(within)
    const hasNotes = kinds.includes('note')
    const found: CandidateIds[] = []
    const inTime = hasTimeLimit(within) ? candidatesFrom(ofTime(params)) : null
    if (inTime?.completeFrom === 0) found.push(inTime)
    if (!filter && kinds.length === DOCUMENT_KIND_COUNT) return intersectionOf(found)
    const range = inTime?.completeFrom === 0 ? { after: (inTime.ids.at(-1) ?? 1) - 1, upTo: inTime.ids[0] ?? 0 } : idRange(within)
    found.push(candidatesFrom(traits.newestWith(within, range, MAX_CANDIDATES + 1)))
    if (filter?.session) {
      const { contentIds, begins } = filter.session
      found.push(unionOf([ofSessions(params), ...(hasNotes ? [traits.newestNotesOf(contentIds, begins, MAX_CANDIDATES + 1)] : [])]))
    }
    if (filter?.branches.length) {
      const sessions = sessionsOn.all(params).map(({ id }) => id)
      if (sessions.length <= MAX_BRANCH_SESSIONS) found.push(candidatesFrom(ofSessions({ sessions: JSON.stringify(sessions) })))
    }
    if (filter?.paths.length) found.push(unionOf(filter.paths.map((path) => withPath(path, { ...range }))))
    return intersectionOf(found)
  }
}

/** Whether the search is limited in time. */
export const hasTimeLimit = ({ since, before }: { since: number; before: number }) => since > 0 || before < Number.MAX_SAFE_INTEGER

/** Candidates from ids that were read with a limit of one more than `MAX_CANDIDATES`. */
function candidatesFrom(list: number[]): CandidateIds {
  const isInOrder = list.every((id, at) => at === 0 || id < (list[at - 1] ?? 0))
  const ids = isInOrder ? list : [...new Set(list)].sort((a, b) => b - a)
  return { ids, completeFrom: ids.length > MAX_CANDIDATES ? (ids.at(-1) ?? 0) : 0 }
}

/** Candidates of any of the lists, as far back as all lists are complete. */
function unionOf(lists: number[][]): CandidateIds {
  const sets = lists.map(candidatesFrom)
  const from = Math.max(0, ...sets.map(({ completeFrom }) => completeFrom))
  return { ids: [...new Set(sets.flatMap(({ ids }) => ids))].filter((id) => id >= from).sort((a, b) => b - a), completeFrom: from }
}

/** Candidates that are in every set, as far as each set is complete. Without any set, every document may be a candidate. */
function intersectionOf(sets: CandidateIds[]): CandidateIds {
  const [furthest = { ids: [], completeFrom: Number.MAX_SAFE_INTEGER }, ...others] = sets.toSorted(
    (a, b) => a.completeFrom - b.completeFrom || a.ids.length - b.ids.length,
  )
  const tests = others.map(candidateTest)
  return { ids: furthest.ids.filter((id) => tests.every((isCandidate) => isCandidate(id))), completeFrom: furthest.completeFrom }
}

/**
 * The newest documents that filters keep. Ids do not follow time, because old work may be imported after newer work. So the known candidates are
 * sorted by time, and of the documents below `completeFrom` every one that is not older is checked.
 */
export function newestAmong(db: Database) {
  const byTime = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(id) AS ids FROM (
      SELECT d.id FROM json_each(@ids) known CROSS JOIN documents d ON d.id = known.value WHERE ${IN_PROJECT} AND ${IN_TIME_AND_KINDS}
      ORDER BY d.at DESC, d.id DESC)`)
  const unknown = db.prepare<DocumentLocation, SqlParams>(`
    SELECT ${LOCATION_COLUMNS} FROM documents d INDEXED BY documents_by_time WHERE d.id < @from AND ${IN_PROJECT} AND ${PASSES_FILTER}
    ORDER BY d.at DESC, d.id DESC LIMIT @limit`)
  const firstMatching = firstMatchingAmong(db)
  return ({ ids, completeFrom: from }: CandidateIds, within: SearchScope): DocumentLocation[] => {
    const params = scopeParams(within)
    const known: number[] = JSON.parse(byTime.get({ ...params, ids: JSON.stringify(ids) })?.ids ?? '[]')
    const found = firstMatching(known, within.limit, within, known.length)
    if (from === 0) return found
    const since = found.length < within.limit ? within.since : (found.at(-1)?.at ?? within.since)
    return [...found, ...unknown.all({ ...params, since, from })]
      .sort((a, b) => b.at - a.at || b.documentId - a.documentId)
      .slice(0, within.limit)
  }
}
