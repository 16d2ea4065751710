import type { Database } from 'bun:sqlite'
import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import type { DocumentLocation, SearchScope } from './document.ts'
import type { SqlParams } from './statement.ts'

/** What a question asks of the memories themselves. An empty list and null ask nothing. */
export type DocumentFilter = {
  session: SessionFilter | null
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
export type SessionFilter = { ids: number[]; contentIds: string[]; begins: string | null }

export const sqlIsIn = (value: string, list: string) => `(${list} IS NULL OR ${value} IN (SELECT value FROM json_each(${list})))`

/** Whether a file `o` of an observation is one that a path `p` means. */
const MATCHES_PATH = `o.path LIKE p.value ESCAPE '\\'`

/** Whether a document `d` is meant: part of every statement that chooses among documents. */
const MATCHES_FILTER = `(@hasChoice = 0 OR CASE d.kind
  WHEN 'note' THEN @branches IS NULL AND EXISTS (
    SELECT 1 FROM notes n WHERE n.id = d.ref AND ${sqlIsIn('n.type', '@types')} AND ${sqlIsIn('n.namespace', '@namespaces')}
      AND ${sqlIsIn('n.source', '@sources')}
      AND (@sessions IS NULL OR n.session IN (SELECT value FROM json_each(@contentSessions)) OR substr(n.session, 1, length(@begins)) = @begins)
      AND (@paths IS NULL OR EXISTS (
        SELECT 1 FROM json_each(@pathsInText) p WHERE n.title LIKE p.value ESCAPE '\\' OR n.body LIKE p.value ESCAPE '\\'))
      AND NOT EXISTS (SELECT 1 FROM json_each(@tags) t WHERE NOT EXISTS (
        SELECT 1 FROM json_each(n.tags) own WHERE lower(own.value) IN (SELECT value FROM json_each(t.value))))
      AND NOT EXISTS (SELECT 1 FROM json_each(@notTags) t WHERE t.value IN (SELECT lower(value) FROM json_each(n.tags))))
  ELSE ${sqlIsIn('d.session_id', '@sessions')}
    AND (@branches IS NULL OR EXISTS (
      SELECT 1 FROM prompts p WHERE p.session_id = d.session_id AND p.number = d.turn AND ${sqlIsIn('p.branch', '@branches')}))
    AND (@types IS NULL OR (SELECT type FROM observations WHERE id = CAST(d.ref AS INTEGER)) IN (SELECT value FROM json_each(@types)))
    AND (@paths IS NULL OR EXISTS (
      SELECT 1 FROM observation_files o JOIN json_each(@paths) p ON ${MATCHES_PATH} WHERE o.observation_id = CAST(d.ref AS INTEGER)))
    AND (@sources IS NULL OR lower(CASE d.kind
      WHEN 'observation' THEN (SELECT model FROM observations WHERE id = CAST(d.ref AS INTEGER))
      WHEN 'summary' THEN (SELECT model FROM summaries WHERE id = CAST(d.ref AS INTEGER))
      ELSE (SELECT origin FROM prompts WHERE id = CAST(d.ref AS INTEGER)) END) IN (SELECT value FROM json_each(@sources)))
  END)`

/** What a place is read from, and which are wanted: every statement about documents says it in these words. */
export const LOCATION_COLUMNS = 'd.id AS documentId, d.kind, d.ref, d.session_id AS sessionId, d.turn, d.project, d.at'
export const IN_PROJECT = `(@project IS NULL OR d.project IN (@project, '${GLOBAL_PROJECT}'))`
export const IN_TIME_AND_KINDS = 'd.at >= @since AND d.at < @before AND instr(@kinds, d.kind) > 0'
export const PASSES_FILTER = `${IN_TIME_AND_KINDS} AND ${MATCHES_FILTER}`

/** Those of some documents, named by number, that are wanted. */
export const matchingAmong = (db: Database) =>
  db.prepare<DocumentLocation, SqlParams>(`
    SELECT ${LOCATION_COLUMNS} FROM json_each(@ids) wanted CROSS JOIN documents d ON d.id = wanted.value WHERE ${IN_PROJECT} AND ${PASSES_FILTER}`)

/** How many are asked whether they are wanted before the rest is let go: one in ten may be, and each stands on a page of its own. */
const MAX_CHECKED_DOCUMENTS = 1500

/**
 * The first so many of some documents, the best first, that are wanted. What its own row rules out, by time, kind or project, is not counted
 * as asked, and nobody stops before one was found.
 */
export function firstMatchingAmong(db: Database) {
  const asked = db.prepare<DocumentLocation & { isMeant: number }, SqlParams>(`
    SELECT ${LOCATION_COLUMNS}, ${MATCHES_FILTER} AS isMeant FROM json_each(@ids) wanted CROSS JOIN documents d ON d.id = wanted.value
    WHERE ${IN_PROJECT} AND ${IN_TIME_AND_KINDS}`)
  return (ranked: number[], most: number, within: SearchScope, mostAsked = MAX_CHECKED_DOCUMENTS): DocumentLocation[] => {
    const params = scopeParams(within)
    const found: DocumentLocation[] = []
    let count = 0
    for (
      let from = 0;
      from < ranked.length && found.length < most && (count < mostAsked || found.length === 0);
      from += CHECK_BATCH_DOCUMENTS
    ) {
      const ids = ranked.slice(from, from + CHECK_BATCH_DOCUMENTS)
      const rows = asked.all({ ...params, ids: JSON.stringify(ids) })
      count += rows.length
      const places = new Map(rows.flatMap(({ isMeant, ...place }) => (isMeant ? [[place.documentId, place]] : [])))
      found.push(...ids.flatMap((id) => places.get(id) ?? []))
    }
    return found.slice(0, most)
  }
}

const CHECK_BATCH_DOCUMENTS = 150

/** Kinds are a short closed list of words none of which is part of another, so a text can stand for a set of them. */
export function scopeParams({ project, kinds, since, before, limit, filter: choice }: SearchScope) {
  return { project, kinds: kinds.join(' '), since, before, limit, ...filterParams(choice) }
}

/** A choice as that statement takes it; none of it without one. */
function filterParams(choice: DocumentFilter | undefined): SqlParams {
  const list = (values: unknown[] = []) => (values.length > 0 ? JSON.stringify(values) : null)
  return {
    hasChoice: Number(choice !== undefined),
    sessions: choice?.session ? JSON.stringify(choice.session.ids) : null,
    contentSessions: JSON.stringify(choice?.session?.contentIds ?? []),
    begins: choice?.session?.begins ?? null,
    branches: list(choice?.branches),
    paths: list(choice?.paths.map(likePattern)),
    pathsInText: list(choice?.paths.filter(isPathLike).map(likePattern)),
    types: list(choice?.types),
    namespaces: list(choice?.namespaces),
    tags: list(choice?.tags),
    notTags: list(choice?.notTags),
    sources: list(choice?.sources),
  }
}

const likePattern = (path: string) => `%${path.replace(/[\\%_]/g, '\\$&')}%`
/** `src/auth`, `login.ts`: not `auth`, which any text may say. */
const isPathLike = (path: string) => /[\\/]|\w\.\w+$/.test(path)

const BRANCH_TURNS = 'prompts INDEXED BY prompts_of_branch WHERE branch IS NOT NULL'
/**
 * The branches that there are, in every project: each step looks for the next one, so that a million turns on one cost as much as one. The last
 * of each project is null.
 */
export const BRANCHES_CTE = `
  WITH RECURSIVE places (project) AS (
    SELECT min(project) FROM ${BRANCH_TURNS}
    UNION ALL SELECT (SELECT min(project) FROM ${BRANCH_TURNS} AND project > places.project) FROM places WHERE project IS NOT NULL),
  known (project, branch) AS (
    SELECT project, (SELECT min(branch) FROM ${BRANCH_TURNS} AND project = places.project) FROM places WHERE project IS NOT NULL
    UNION ALL SELECT project, (SELECT min(branch) FROM ${BRANCH_TURNS} AND project = known.project AND branch > known.branch)
      FROM known WHERE branch IS NOT NULL)`

/** A filter whose values are whatever memories have. */
export type OpenFilterName = 'ns' | 'tag' | 'branch' | 'source'

/** How many of the newest observations and summaries tell who made them: the names are few, and reading all would take a second. */
const NEWEST_SOURCE_ROWS = 50_000

/** The values that memories have for a filter; branches of one project where one is named. */
export function filterValueStatements(db: Database): (filter: OpenFilterName, project: ProjectKey | null) => string[] {
  const madeBy = (table: string) =>
    `SELECT DISTINCT lower(model) FROM (SELECT model FROM ${table} ORDER BY id DESC LIMIT ${NEWEST_SOURCE_ROWS})`
  const all = (select: string) => db.prepare<{ value: string }, SqlParams>(`SELECT value FROM (${select}) ORDER BY value`)
  const statements = {
    ns: all('SELECT DISTINCT namespace AS value FROM notes'),
    tag: all('SELECT DISTINCT lower(t.value) AS value FROM notes n JOIN json_each(n.tags) t'),
    branch: all(
      `${BRANCHES_CTE} SELECT DISTINCT branch AS value FROM known WHERE branch IS NOT NULL AND (@project IS NULL OR project = @project)`,
    ),
    source: all(`
      SELECT DISTINCT source AS value FROM notes UNION ${madeBy('observations')} UNION ${madeBy('summaries')}
      UNION VALUES ('person'), ('machine')`),
  }
  return (filter, project) => statements[filter].all(filter === 'branch' ? { project } : {}).map(({ value }) => value)
}
