import type { Database } from 'bun:sqlite'
import { GLOBAL_PROJECT } from '../core/ids.ts'
import type { Place, Span, Within } from './fulltext.ts'
import { type Params, quoted } from './statement.ts'
import type { Traits } from './traits.ts'

/** What a question asks of the memories themselves. An empty list and null ask nothing. */
export type Choice = {
  session: NamedSession | null
  /** Parts of the paths of files. A note has none: where a part can be nothing but one of a path, notes that name it are meant too. */
  paths: string[]
  /** Any of these, as they are written. */
  branches: string[]
  /** Of observations and notes. */
  types: string[]
  /** Of notes; whatever else there is has no tags. */
  namespaces: string[]
  /** Each by all the ways in which it is written. */
  tags: string[][]
  notTags: string[]
  /** A distiller by its name, the person or machine that a prompt came from, or where a note came from. */
  sources: string[]
}

/** The sessions that are meant. Notes may come from sessions of another machine, so those are known by what the host's id begins with. */
export type NamedSession = { ids: number[]; contentIds: string[]; begins: string | null }

const isIn = (value: string, list: string) => `(${list} IS NULL OR ${value} IN (SELECT value FROM json_each(${list})))`

/** Whether a file `o` of an observation is one that a path `p` means. */
const CHOSEN_FILE = `o.path LIKE p.value ESCAPE '\\'`

/** Whether a document `d` is meant: part of every statement that chooses among documents. */
const CHOSEN = `(@isChosen = 0 OR CASE d.kind
  WHEN 'note' THEN @branches IS NULL AND EXISTS (
    SELECT 1 FROM notes n WHERE n.id = d.ref AND ${isIn('n.type', '@types')} AND ${isIn('n.namespace', '@namespaces')}
      AND ${isIn('n.source', '@sources')}
      AND (@sessions IS NULL OR n.session IN (SELECT value FROM json_each(@contentSessions)) OR substr(n.session, 1, length(@begins)) = @begins)
      AND (@paths IS NULL OR EXISTS (
        SELECT 1 FROM json_each(@pathsInText) p WHERE n.title LIKE p.value ESCAPE '\\' OR n.body LIKE p.value ESCAPE '\\'))
      AND NOT EXISTS (SELECT 1 FROM json_each(@tags) t WHERE NOT EXISTS (
        SELECT 1 FROM json_each(n.tags) own WHERE lower(own.value) IN (SELECT value FROM json_each(t.value))))
      AND NOT EXISTS (SELECT 1 FROM json_each(@notTags) t WHERE t.value IN (SELECT lower(value) FROM json_each(n.tags))))
  ELSE ${isIn('d.session_id', '@sessions')}
    AND (@branches IS NULL OR EXISTS (
      SELECT 1 FROM prompts p WHERE p.session_id = d.session_id AND p.number = d.turn AND ${isIn('p.branch', '@branches')}))
    AND (@types IS NULL OR (SELECT type FROM observations WHERE id = CAST(d.ref AS INTEGER)) IN (SELECT value FROM json_each(@types)))
    AND (@paths IS NULL OR EXISTS (
      SELECT 1 FROM observation_files o JOIN json_each(@paths) p ON ${CHOSEN_FILE} WHERE o.observation_id = CAST(d.ref AS INTEGER)))
    AND (@sources IS NULL OR lower(CASE d.kind
      WHEN 'observation' THEN (SELECT model FROM observations WHERE id = CAST(d.ref AS INTEGER))
      WHEN 'summary' THEN (SELECT model FROM summaries WHERE id = CAST(d.ref AS INTEGER))
      ELSE (SELECT origin FROM prompts WHERE id = CAST(d.ref AS INTEGER)) END) IN (SELECT value FROM json_each(@sources)))
  END)`

/** What a place is read from, and which are wanted: every statement about documents says it in these words. */
export const PLACE = 'd.id AS documentId, d.kind, d.ref, d.session_id AS sessionId, d.turn, d.project, d.at'
export const IN_PROJECT = `(@project IS NULL OR d.project IN (@project, '${GLOBAL_PROJECT}'))`
export const BOUNDED = 'd.at >= @since AND d.at < @before AND instr(@kinds, d.kind) > 0'
export const ALLOWED = `${BOUNDED} AND ${CHOSEN}`

/** Those of some documents, named by number, that are wanted. */
export const wantedAmong = (db: Database) =>
  db.prepare<Place, Params>(`
    SELECT ${PLACE} FROM json_each(@ids) wanted CROSS JOIN documents d ON d.id = wanted.value WHERE ${IN_PROJECT} AND ${ALLOWED}`)

/** How many are asked whether they are wanted before the rest is let go: one in ten may be, and each stands on a page of its own. */
const MOST_ASKED = 1500

/**
 * The first so many of some documents, the best first, that are wanted. What its own row rules out, by time, kind or project, is not counted
 * as asked, and nobody stops before one was found.
 */
export function firstWantedAmong(db: Database) {
  const asked = db.prepare<Place & { isMeant: number }, Params>(`
    SELECT ${PLACE}, ${CHOSEN} AS isMeant FROM json_each(@ids) wanted CROSS JOIN documents d ON d.id = wanted.value
    WHERE ${IN_PROJECT} AND ${BOUNDED}`)
  return (ranked: number[], most: number, within: Within, mostAsked = MOST_ASKED): Place[] => {
    const params = bounds(within)
    const found: Place[] = []
    let count = 0
    for (let from = 0; from < ranked.length && found.length < most && (count < mostAsked || found.length === 0); from += AT_ONCE) {
      const ids = ranked.slice(from, from + AT_ONCE)
      const rows = asked.all({ ...params, ids: JSON.stringify(ids) })
      count += rows.length
      const places = new Map(rows.flatMap(({ isMeant, ...place }) => (isMeant ? [[place.documentId, place]] : [])))
      found.push(...ids.flatMap((id) => places.get(id) ?? []))
    }
    return found.slice(0, most)
  }
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
  return ({ ids, from }: Chosen, within: Within): Place[] => {
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

const AT_ONCE = 150

/** Kinds are a short closed list of words none of which is part of another, so a text can stand for a set of them. */
export function bounds({ project, kinds, since, before, limit, choice }: Within) {
  return { project, kinds: kinds.join(' '), since, before, limit, ...paramsOf(choice) }
}

/** A choice as that statement takes it; none of it without one. */
function paramsOf(choice: Choice | undefined): Params {
  const list = (values: unknown[] = []) => (values.length > 0 ? JSON.stringify(values) : null)
  return {
    isChosen: Number(choice !== undefined),
    sessions: choice?.session ? JSON.stringify(choice.session.ids) : null,
    contentSessions: JSON.stringify(choice?.session?.contentIds ?? []),
    begins: choice?.session?.begins ?? null,
    branches: list(choice?.branches),
    paths: list(choice?.paths.map(anywhere)),
    pathsInText: list(choice?.paths.filter(isNoWord).map(anywhere)),
    types: list(choice?.types),
    namespaces: list(choice?.namespaces),
    tags: list(choice?.tags),
    notTags: list(choice?.notTags),
    sources: list(choice?.sources),
  }
}

const anywhere = (path: string) => `%${path.replace(/[\\%_]/g, '\\$&')}%`
/** `src/auth`, `login.ts`: not `auth`, which any text may say. */
const isNoWord = (path: string) => /[\\/]|\w\.\w+$/.test(path)

/** Which documents filters leave, by number, the highest first; none is missing from a number on, 0 where all of them are there. */
export type Chosen = { ids: number[]; from: number }

/** Tells of a document whether filters may leave it: of what has a lower number than the ones that are known, nobody can say yet. */
export function mayBeOf(chosen: Chosen | undefined): (id: number) => boolean {
  if (!chosen) return () => true
  const known = new Set(chosen.ids)
  return (id) => id < chosen.from || known.has(id)
}

/** The same of a place that was found without asking for it. */
export function isChosen({ chosen }: Within): (place: Place) => boolean {
  const mayBe = mayBeOf(chosen)
  return ({ documentId }) => mayBe(documentId)
}

const TURNS = 'prompts INDEXED BY prompts_of_branch WHERE branch IS NOT NULL'
/**
 * The branches that there are, in every project: each step looks for the next one, so that a million turns on one cost as much as one. The last
 * of each project is null.
 */
const BRANCHES = `
  WITH RECURSIVE places (project) AS (
    SELECT min(project) FROM ${TURNS}
    UNION ALL SELECT (SELECT min(project) FROM ${TURNS} AND project > places.project) FROM places WHERE project IS NOT NULL),
  known (project, branch) AS (
    SELECT project, (SELECT min(branch) FROM ${TURNS} AND project = places.project) FROM places WHERE project IS NOT NULL
    UNION ALL SELECT project, (SELECT min(branch) FROM ${TURNS} AND project = known.project AND branch > known.branch)
      FROM known WHERE branch IS NOT NULL)`

/** How many kinds of documents there are: asking for all of them is asking for any. */
const KINDS = 4
/** To read the numbers of these takes some milliseconds. */
const MOST_CHOSEN = 10_000
/** A branch of more sessions leads nowhere: most of what there is may be on it. */
const MOST_SESSIONS = 300
/** As many letters as a piece has in the index of names. */
const A_PIECE = 3
/** Of the pieces of a path, those that the fewest documents have; what has these in common is asked for the path itself when it is wanted. */
const MOST_PIECES = 4

/**
 * What leads to the documents that a choice leaves, and how they are found by it. Each lead may bring some that are not meant, never too few:
 * whoever shows one has asked it. `documentsNaming` says in how many documents three letters of a name stand.
 */
export function chosenStatements(db: Database, traits: Traits, documentsNaming: (piece: string) => number) {
  const numbers = (sql: string, order = '1') => {
    const statement = db.prepare<{ ids: string }, Params>(
      `SELECT json_group_array(id) AS ids FROM (${sql} ORDER BY ${order} DESC LIMIT @limit)`,
    )
    return (params: Params): number[] => JSON.parse(statement.get({ ...params, limit: MOST_CHOSEN + 1 })?.ids ?? '[]')
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

  return (within: Within, spanOf: (within: Within) => Span): Chosen => {
    const { choice, kinds } = within
    if (kinds.length === 0) return { ids: [], from: 0 }
    const params = bounds(within)
    const hasNotes = kinds.includes('note')
    const leads: Chosen[] = []
    const then = isTimed(within) ? newestFirst(ofTime(params)) : null
    if (then?.from === 0) leads.push(then)
    if (!choice && kinds.length === KINDS) return inCommon(leads)
    const span = then?.from === 0 ? { after: (then.ids.at(-1) ?? 1) - 1, upTo: then.ids[0] ?? 0 } : spanOf(within)
    leads.push(newestFirst(traits.newestWith(within, span, MOST_CHOSEN + 1)))
    if (choice?.session) {
      const { contentIds, begins } = choice.session
      leads.push(anyOf([ofSessions(params), ...(hasNotes ? [traits.newestNotesOf(contentIds, begins, MOST_CHOSEN + 1)] : [])]))
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
function newestFirst(found: number[]): Chosen {
  const ids = [...new Set(found)].sort((a, b) => b - a)
  return { ids, from: ids.length > MOST_CHOSEN ? (ids.at(-1) ?? 0) : 0 }
}

/** What either of some leads brought, as far back as all of them reach. */
function anyOf(found: number[][]): Chosen {
  const leads = found.map(newestFirst)
  const from = Math.max(0, ...leads.map((lead) => lead.from))
  return { ids: [...new Set(leads.flatMap(({ ids }) => ids))].filter((id) => id >= from).sort((a, b) => b - a), from }
}

/** What the lead that reaches furthest back has, and the others have as far as they reach; without a lead nothing is known. */
function inCommon(leads: Chosen[]): Chosen {
  const [furthest = { ids: [], from: Number.MAX_SAFE_INTEGER }, ...others] = leads.toSorted(
    (a, b) => a.from - b.from || a.ids.length - b.ids.length,
  )
  const tests = others.map(mayBeOf)
  return { ids: furthest.ids.filter((id) => tests.every((mayBe) => mayBe(id))), from: furthest.from }
}

/** A filter whose values are whatever memories have. */
export type OpenFilter = 'ns' | 'tag' | 'branch' | 'source'

/** How many of the newest observations and summaries tell who made them: the names are few, and reading all would take a second. */
const NEWEST = 50_000

/** The values that memories have for a filter. */
export function valueStatements(db: Database): (filter: OpenFilter) => string[] {
  const madeBy = (table: string) => `SELECT DISTINCT lower(model) FROM (SELECT model FROM ${table} ORDER BY id DESC LIMIT ${NEWEST})`
  const all = (select: string) => db.prepare<{ value: string }, []>(`SELECT value FROM (${select}) ORDER BY value`)
  const statements = {
    ns: all('SELECT DISTINCT namespace AS value FROM notes'),
    tag: all('SELECT DISTINCT lower(t.value) AS value FROM notes n JOIN json_each(n.tags) t'),
    branch: all(`${BRANCHES} SELECT DISTINCT branch AS value FROM known WHERE branch IS NOT NULL`),
    source: all(`
      SELECT DISTINCT source AS value FROM notes UNION ${madeBy('observations')} UNION ${madeBy('summaries')}
      UNION VALUES ('person'), ('machine')`),
  }
  return (filter) => statements[filter].all().map(({ value }) => value)
}
