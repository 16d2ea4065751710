/**
 * What leads to the documents that filters may leave, so that they are found however old they are and however many others there are. A lead
 * never misses one, and may bring some that are not meant: whoever shows one has asked the choice itself.
 */
import type { Database } from 'bun:sqlite'
import { GLOBAL_PROJECT } from '../core/ids.ts'
import { ALLOWED, BOUNDED, BRANCHES, bounds, firstWantedAmong, IN_PROJECT, isIn, PLACE } from './choice.ts'
import type { Place, Span, Within } from './fulltext.ts'
import { type Params, quoted } from './statement.ts'
import type { Traits } from './traits.ts'

/** Documents that filters may leave, by number, the highest first; none is missing from a number on, 0 where all of them are there. */
export type Lead = { ids: number[]; from: number }

/** Tells of a document whether filters may leave it: of what has a lower number than the ones that are known, nobody can say yet. */
export function mayBeOf(lead: Lead | undefined): (id: number) => boolean {
  if (!lead) return () => true
  const known = new Set(lead.ids)
  return (id) => id < lead.from || known.has(id)
}

/** The same of a place that was found without asking for it. */
export function mayBeWanted({ lead }: Within): (place: Place) => boolean {
  const mayBe = mayBeOf(lead)
  return ({ documentId }) => mayBe(documentId)
}

/** How many kinds of documents there are: asking for all of them is asking for any. */
const KINDS = 4
/** To read the numbers of these takes some milliseconds. */
const MOST_LED_TO = 10_000
/** A branch of more sessions leads nowhere: most of what there is may be on it. */
const MOST_SESSIONS = 300
/** As many letters as a piece has in the index of names. */
const A_PIECE = 3
/** Of the pieces of a path, those that the fewest documents have; what has these in common is asked for the path itself when it is wanted. */
const MOST_PIECES = 4

/** `documentsNaming` says in how many documents three letters of a name stand. */
export function leadStatements(db: Database, traits: Traits, documentsNaming: (piece: string) => number) {
  const numbers = (sql: string, order = '1') => {
    const statement = db.prepare<{ ids: string }, Params>(
      `SELECT json_group_array(id) AS ids FROM (${sql} ORDER BY ${order} DESC LIMIT @limit)`,
    )
    return (params: Params): number[] => JSON.parse(statement.get({ ...params, limit: MOST_LED_TO + 1 })?.ids ?? '[]')
  }
  const span = 'rowid > @after AND rowid <= @upTo'
  const withPieces = numbers(`SELECT rowid AS id FROM trigrams WHERE trigrams MATCH @words AND ${span}`)
  const withWord = numbers(`SELECT rowid AS id FROM fulltext WHERE fulltext MATCH @words AND ${span}`)
  const ofSessions = numbers('SELECT d.id FROM json_each(@sessions) s CROSS JOIN documents d ON d.session_id = s.value')
  const sessionsOn = db.prepare<{ id: number }, Params>(`
    ${BRANCHES}, meant AS MATERIALIZED (
      SELECT project, branch FROM known
      WHERE ${isIn('branch', '@branches')} AND (@project IS NULL OR project IN (@project, '${GLOBAL_PROJECT}')))
    SELECT DISTINCT p.session_id AS id FROM meant CROSS JOIN prompts p ON p.project = meant.project AND p.branch = meant.branch
    LIMIT ${MOST_SESSIONS + 1}`)
  const ofTime = numbers('SELECT id FROM documents WHERE at >= @since AND at < @before', 'at')

  /** What touched a file, by three letters at a time; fewer must be a word of its path. */
  function touching(path: string, within: Params): number[] {
    const letters = [...path]
    if (letters.length < A_PIECE) return withWord({ ...within, words: `files : ${quoted(path)}` })
    const pieces = [...new Set(letters.slice(A_PIECE - 1).map((_, at) => letters.slice(at, at + A_PIECE).join('')))]
    const rarest = pieces.map((piece) => ({ piece, documents: documentsNaming(piece) })).sort((a, b) => a.documents - b.documents)
    return withPieces({
      ...within,
      words: rarest
        .slice(0, MOST_PIECES)
        .map(({ piece }) => quoted(piece))
        .join(' AND '),
    })
  }

  return (within: Within, spanOf: (within: Within) => Span): Lead => {
    const { choice, kinds } = within
    if (kinds.length === 0) return { ids: [], from: 0 }
    const params = bounds(within)
    const hasNotes = kinds.includes('note')
    const leads: Lead[] = []
    const then = isTimed(within) ? newestFirst(ofTime(params)) : null
    if (then?.from === 0) leads.push(then)
    if (!choice && kinds.length === KINDS) return inCommon(leads)
    const span = then?.from === 0 ? { after: (then.ids.at(-1) ?? 1) - 1, upTo: then.ids[0] ?? 0 } : spanOf(within)
    leads.push(newestFirst(traits.newestWith(within, span, MOST_LED_TO + 1)))
    if (choice?.session) {
      const { contentIds, begins } = choice.session
      leads.push(anyOf([ofSessions(params), ...(hasNotes ? [traits.newestNotesOf(contentIds, begins, MOST_LED_TO + 1)] : [])]))
    }
    if (choice?.branches.length) {
      const sessions = sessionsOn.all(params).map(({ id }) => id)
      if (sessions.length <= MOST_SESSIONS) leads.push(newestFirst(ofSessions({ sessions: JSON.stringify(sessions) })))
    }
    if (choice?.paths.length) leads.push(anyOf(choice.paths.map((path) => touching(path, { ...span }))))
    return inCommon(leads)
  }
}

/** Whether a time is asked for. */
export const isTimed = ({ since, before }: { since: number; before: number }) => since > 0 || before < Number.MAX_SAFE_INTEGER

/** What a lead brought, which stops when it has brought enough. */
function newestFirst(found: number[]): Lead {
  const ids = [...new Set(found)].sort((a, b) => b - a)
  return { ids, from: ids.length > MOST_LED_TO ? (ids.at(-1) ?? 0) : 0 }
}

/** What either of some leads brought, as far back as all of them reach. */
function anyOf(found: number[][]): Lead {
  const leads = found.map(newestFirst)
  const from = Math.max(0, ...leads.map((lead) => lead.from))
  return { ids: [...new Set(leads.flatMap(({ ids }) => ids))].filter((id) => id >= from).sort((a, b) => b - a), from }
}

/** What the lead that reaches furthest back has, and the others have as far as they reach; without a lead nothing is known. */
function inCommon(leads: Lead[]): Lead {
  const [furthest = { ids: [], from: Number.MAX_SAFE_INTEGER }, ...others] = leads.toSorted(
    (a, b) => a.from - b.from || a.ids.length - b.ids.length,
  )
  const tests = others.map(mayBeOf)
  return { ids: furthest.ids.filter((id) => tests.every((mayBe) => mayBe(id))), from: furthest.from }
}

/**
 * The newest of what filters leave. Numbers do not follow time: old work may be imported after newer work was done. So those that are known
 * are put in the order of time, and of the ones before them, of which nothing is known, every one that is no older is asked.
 */
export function newestAmong(db: Database) {
  const byTime = db.prepare<{ ids: string }, Params>(`
    SELECT json_group_array(id) AS ids FROM (
      SELECT d.id FROM json_each(@ids) known CROSS JOIN documents d ON d.id = known.value WHERE ${IN_PROJECT} AND ${BOUNDED}
      ORDER BY d.at DESC, d.id DESC)`)
  const unknown = db.prepare<Place, Params>(`
    SELECT ${PLACE} FROM documents d INDEXED BY documents_by_time WHERE d.id < @from AND ${IN_PROJECT} AND ${ALLOWED}
    ORDER BY d.at DESC, d.id DESC LIMIT @limit`)
  const firstWanted = firstWantedAmong(db)
  return ({ ids, from }: Lead, within: Within): Place[] => {
    const params = bounds(within)
    const known: number[] = JSON.parse(byTime.get({ ...params, ids: JSON.stringify(ids) })?.ids ?? '[]')
    const found = firstWanted(known, within.limit, within, known.length)
    if (from === 0) return found
    const since = found.length < within.limit ? within.since : (found.at(-1)?.at ?? within.since)
    return [...found, ...unknown.all({ ...params, since, from })]
      .sort((a, b) => b.at - a.at || b.documentId - a.documentId)
      .slice(0, within.limit)
  }
}
