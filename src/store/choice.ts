import type { Database } from 'bun:sqlite'
import { GLOBAL_PROJECT } from '../core/ids.ts'
import type { Place, Within } from './fulltext.ts'
import type { Params } from './statement.ts'

/** What a question asks of the memories themselves. An empty list and null ask nothing. */
export type Choice = {
  session: NamedSession | null
  /** Parts of the paths of files. A note has none: where a part can be nothing but one of a path, notes that name it are meant too. */
  paths: string[]
  branch: string | null
  /** Of observations and notes. */
  types: string[]
  /** Of notes; whatever else there is has no tags. */
  namespaces: string[]
  tags: string[]
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
export const CHOSEN = `(@isChosen = 0 OR CASE d.kind
  WHEN 'note' THEN @branch IS NULL AND EXISTS (
    SELECT 1 FROM notes n WHERE n.id = d.ref AND ${isIn('n.type', '@types')} AND ${isIn('n.namespace', '@namespaces')}
      AND ${isIn('n.source', '@sources')}
      AND (@sessions IS NULL OR n.session IN (SELECT value FROM json_each(@contentSessions)) OR substr(n.session, 1, length(@begins)) = @begins)
      AND (@paths IS NULL OR EXISTS (
        SELECT 1 FROM json_each(@pathsInText) p WHERE n.title LIKE p.value ESCAPE '\\' OR n.body LIKE p.value ESCAPE '\\'))
      AND NOT EXISTS (SELECT 1 FROM json_each(@tags) t WHERE t.value NOT IN (SELECT lower(value) FROM json_each(n.tags)))
      AND NOT EXISTS (SELECT 1 FROM json_each(@notTags) t WHERE t.value IN (SELECT lower(value) FROM json_each(n.tags))))
  ELSE ${isIn('d.session_id', '@sessions')}
    AND (@branch IS NULL OR EXISTS (
      SELECT 1 FROM prompts p WHERE p.session_id = d.session_id AND p.number = d.turn AND p.branch = @branch COLLATE NOCASE))
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

/** The first so many of some documents, the best first, that are wanted. */
export function firstWantedAmong(db: Database) {
  const wanted = wantedAmong(db)
  return (ranked: number[], most: number, within: Within): Place[] => {
    const params = bounds(within)
    const found: Place[] = []
    for (let from = 0; from < Math.min(ranked.length, MOST_ASKED) && found.length < most; from += Math.max(AT_ONCE, most)) {
      const ids = ranked.slice(from, from + Math.max(AT_ONCE, most))
      const places = new Map(wanted.all({ ...params, ids: JSON.stringify(ids) }).map((place) => [place.documentId, place]))
      found.push(...ids.flatMap((id) => places.get(id) ?? []))
    }
    return found.slice(0, most)
  }
}

const AT_ONCE = 100

/** Kinds are a short closed list of words none of which is part of another, so a text can stand for a set of them. */
export function bounds({ project, kinds, since, before, limit, choice }: Within) {
  return { project, kinds: kinds.join(' '), since, before, limit, ...paramsOf(choice) }
}

/** A choice as that statement takes it; none of it without one. */
function paramsOf(choice: Choice | undefined): Params {
  const list = (values: string[] = []) => (values.length > 0 ? JSON.stringify(values) : null)
  return {
    isChosen: Number(choice !== undefined),
    sessions: choice?.session ? JSON.stringify(choice.session.ids) : null,
    contentSessions: JSON.stringify(choice?.session?.contentIds ?? []),
    begins: choice?.session?.begins ?? null,
    branch: choice?.branch ?? null,
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

/** More than these are no short list: then each memory that holds the words is asked whether it is meant. */
const FEW = 10_000

/**
 * The documents that a choice leaves where they are few, by what leads to them quickest: a session, files, a branch, types; notes are few
 * anyway. Null when they are many, or nothing leads to them.
 */
export function chosenStatements(db: Database) {
  const allowed = `${IN_PROJECT} AND ${ALLOWED}`
  // In one project or in all of them: two statements each, because one that may be either walks the whole index.
  const inOneOrAll = (asking: (theirs: string) => string) => {
    const all = db.prepare<{ id: number }, Params>(asking('true'))
    const one = db.prepare<{ id: number }, Params>(asking(`o.project IN (@project, '${GLOBAL_PROJECT}')`))
    return (params: Params) => (params.project ? one : all).all(params)
  }
  const touching = inOneOrAll(
    (theirs) => `
      SELECT o.observation_id AS id FROM json_each(@paths) p CROSS JOIN observation_files o INDEXED BY observation_files_of_path
      WHERE ${theirs} AND ${CHOSEN_FILE} LIMIT @limit`,
  )
  const ofTypes = inOneOrAll(
    (theirs) => `
      SELECT o.id FROM json_each(@types) t CROSS JOIN observations o INDEXED BY observations_by_type ON o.type = t.value
      WHERE ${theirs} LIMIT @limit`,
  )
  const turnsOn = db.prepare<{ sessionId: number; number: number }, Params>(`
    WITH spelt AS MATERIALIZED (
      SELECT DISTINCT project, branch FROM prompts INDEXED BY prompts_of_branch WHERE branch = @branch COLLATE NOCASE)
    SELECT p.session_id AS sessionId, p.number FROM spelt CROSS JOIN prompts p ON p.project = spelt.project AND p.branch = spelt.branch
    LIMIT @limit`)

  const observations = db.prepare<Place, Params>(`
    SELECT ${PLACE} FROM json_each(@ids) o CROSS JOIN documents d ON d.kind = 'observation' AND d.ref = CAST(o.value AS TEXT)
    WHERE ${allowed}`)
  const ofTurns = db.prepare<Place, Params>(`
    SELECT ${PLACE} FROM json_each(@turns) t CROSS JOIN documents d ON d.session_id = t.value ->> 'sessionId' AND d.turn = t.value ->> 'number'
    WHERE d.kind <> 'note' AND ${allowed} LIMIT @limit`)
  const ofSessions = db.prepare<Place, Params>(`
    SELECT ${PLACE} FROM json_each(@sessions) s CROSS JOIN documents d ON d.session_id = s.value
    WHERE d.kind <> 'note' AND ${allowed} LIMIT @limit`)
  const notes = db.prepare<Place, Params>(`
    SELECT ${PLACE} FROM notes n CROSS JOIN documents d ON d.kind = 'note' AND d.ref = n.id WHERE ${allowed} LIMIT @limit`)

  /** What is not a note. Only observations have a type and files, and whoever asks for these asks for no other kind of it. */
  function journal(within: Within, params: Params): Place[] | null {
    const { kinds, choice } = within
    const ledTo = (rows: { id: number }[]) =>
      rows.length > FEW ? null : observations.all({ ...params, ids: JSON.stringify([...new Set(rows.map(({ id }) => id))]) })
    if (kinds.every((kind) => kind === 'note')) return []
    if (choice?.session) return ofSessions.all(params)
    const byFile = choice?.paths.length ? ledTo(touching(params)) : null
    if (byFile) return byFile
    const turns = choice?.branch ? turnsOn.all(params) : null
    if (turns && turns.length <= FEW) return ofTurns.all({ ...params, turns: JSON.stringify(turns) })
    return choice?.types.length ? ledTo(ofTypes(params)) : null
  }

  return (within: Within): Place[] | null => {
    const params = bounds({ ...within, limit: FEW + 1 })
    const found = within.choice ? journal(within, params) : null
    const all = found && within.kinds.includes('note') ? [...found, ...notes.all(params)] : found
    return all && all.length <= FEW ? all : null
  }
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
    branch: all('SELECT DISTINCT branch AS value FROM prompts WHERE branch IS NOT NULL'),
    source: all(`
      SELECT DISTINCT source AS value FROM notes UNION ${madeBy('observations')} UNION ${madeBy('summaries')}
      UNION VALUES ('person'), ('machine')`),
  }
  return (filter) => statements[filter].all().map(({ value }) => value)
}
