import type { Database } from 'bun:sqlite'
import { GLOBAL_PROJECT } from '../core/ids.ts'
import type { DocumentLocation, SearchScope } from './document.ts'
import type { SqlParams } from './statement.ts'

/** The filters of a query. Empty lists and null filter nothing. */
export type DocumentFilter = {
  session: SessionFilter | null
  /** Parts of file paths. Notes have no files: they match if their text contains the part and the part can only be a path. */
  paths: string[]
  /** Any of these, spelled exactly. */
  branches: string[]
  /** Types of observations and notes. */
  types: string[]
  /** Namespaces exist only on notes. Notes have tags, and so have some imported observations. */
  namespaces: string[]
  /** All of these tags, each with all its spellings. */
  tags: string[][]
  notTags: string[]
  /** A distiller's name, `person` or `machine` for prompts, a note's source, or `git` for commits. */
  sources: string[]
  /** The agents whose sessions it comes from. Commits come from none. */
  agents: string[]
}

/** The sessions of a filter. Notes may come from sessions of another machine, so they match by the start of the host's id. */
export type SessionFilter = { ids: number[]; contentIds: string[]; begins: string | null }

export const sqlIsIn = (value: string, list: string) => `(${list} IS NULL OR ${value} IN (SELECT value FROM json_each(${list})))`

/** Whether an observation's file `o` matches a path `p`. */
const MATCHES_PATH = `o.path LIKE p.value ESCAPE '\\'`

/** Whether a list of tags, or null for none, has all of `@tags` and none of `@notTags`. */
const sqlHasTags = (own: string) => `(@tags IS NULL OR NOT EXISTS (SELECT 1 FROM json_each(@tags) t WHERE NOT EXISTS (
    SELECT 1 FROM json_each(${own}) own WHERE lower(own.value) IN (SELECT value FROM json_each(t.value)))))
  AND (@notTags IS NULL OR NOT EXISTS (
    SELECT 1 FROM json_each(@notTags) t WHERE t.value IN (SELECT lower(value) FROM json_each(${own}))))`

/** Whether a document `d` passes the filter: part of every statement that selects documents. */
const MATCHES_FILTER = `(@hasFilter = 0 OR CASE d.kind
  WHEN 'note' THEN @branches IS NULL AND EXISTS (
    SELECT 1 FROM notes n WHERE n.id = d.ref AND ${sqlIsIn('n.type', '@types')} AND ${sqlIsIn('n.namespace', '@namespaces')}
      AND ${sqlIsIn('n.source', '@sources')} AND (@agents IS NULL OR EXISTS (
        SELECT 1 FROM json_each(@agents) a CROSS JOIN sessions s ON s.agent = a.value AND s.content_session_id = n.session))
      AND (@sessions IS NULL OR n.session IN (SELECT value FROM json_each(@contentSessions)) OR substr(n.session, 1, length(@begins)) = @begins)
      AND (@paths IS NULL OR EXISTS (
        SELECT 1 FROM json_each(@pathsInText) p WHERE n.title LIKE p.value ESCAPE '\\' OR n.body LIKE p.value ESCAPE '\\'))
      AND ${sqlHasTags('n.tags')})
  WHEN 'commit' THEN @branches IS NULL AND @agents IS NULL AND @sessions IS NULL AND @namespaces IS NULL AND @tags IS NULL AND ${sqlIsIn("'git'", '@sources')}
    AND EXISTS (SELECT 1 FROM commits c WHERE c.id = CAST(d.ref AS INTEGER) AND ${sqlIsIn('c.type', '@types')}
      AND (@paths IS NULL OR EXISTS (SELECT 1 FROM json_each(@paths) p JOIN json_each(c.files) o ON o.value LIKE p.value ESCAPE '\\')))
  ELSE ${sqlIsIn('d.session_id', '@sessions')}
    AND (@agents IS NULL OR (SELECT agent FROM sessions WHERE id = d.session_id) IN (SELECT value FROM json_each(@agents)))
    AND ${sqlHasTags("(SELECT tags FROM observations WHERE d.kind = 'observation' AND id = CAST(d.ref AS INTEGER))")}
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

/** The columns of a location and the conditions of a scope, shared by every statement about documents. */
export const LOCATION_COLUMNS = 'd.id AS documentId, d.kind, d.ref, d.session_id AS sessionId, d.turn, d.project, d.at'
export const IN_PROJECT = `(@project IS NULL OR d.project IN (@project, '${GLOBAL_PROJECT}'))`
export const IN_TIME_AND_KINDS = 'd.at >= @since AND d.at < @before AND instr(@kinds, d.kind) > 0'
export const PASSES_FILTER = `${IN_TIME_AND_KINDS} AND ${MATCHES_FILTER}`

/** The documents among `@ids` that are in scope. */
export const matchingAmong = (db: Database) =>
  db.prepare<DocumentLocation, SqlParams>(`
    SELECT ${LOCATION_COLUMNS} FROM json_each(@ids) wanted CROSS JOIN documents d ON d.id = wanted.value WHERE ${IN_PROJECT} AND ${PASSES_FILTER}`)

/** How many documents are checked against a filter before the rest is dropped: perhaps one in ten passes, and each check reads a page. */
const MAX_CHECKED_DOCUMENTS = 1500

/**
 * The first `limit` documents of a ranked list that are in scope. Documents outside the time, kinds or project do not count as checked, and
 * the check does not end before one document was found.
 */
export function firstMatchingAmong(db: Database) {
  const checked = db.prepare<DocumentLocation & { isMatch: number }, SqlParams>(`
    SELECT ${LOCATION_COLUMNS}, ${MATCHES_FILTER} AS isMatch FROM json_each(@ids) wanted CROSS JOIN documents d ON d.id = wanted.value
    WHERE ${IN_PROJECT} AND ${IN_TIME_AND_KINDS}`)
  return (ranked: Iterable<number>, limit: number, within: SearchScope, maxChecked = MAX_CHECKED_DOCUMENTS): DocumentLocation[] => {
    const params = scopeParams(within)
    const found: DocumentLocation[] = []
    const rest = ranked[Symbol.iterator]()
    for (let count = 0; found.length < limit && (count < maxChecked || found.length === 0); ) {
      const ids = takeNext(rest, CHECK_BATCH_DOCUMENTS)
      if (ids.length === 0) break
      const rows = checked.all({ ...params, ids: JSON.stringify(ids) })
      count += rows.length
      const matches = new Map(rows.flatMap(({ isMatch, ...location }) => (isMatch ? [[location.documentId, location]] : [])))
      found.push(...ids.flatMap((id) => matches.get(id) ?? []))
    }
    return found.slice(0, limit)
  }
}

function takeNext(rest: Iterator<number>, count: number): number[] {
  const taken: number[] = []
  while (taken.length < count) {
    const next = rest.next()
    if (next.done) break
    taken.push(next.value)
  }
  return taken
}

const CHECK_BATCH_DOCUMENTS = 150

/** The parameters of a scope. Kinds are fixed words, and none contains another, so a joined text can represent a set of them. */
export function scopeParams({ project, kinds, since, before, limit, filter }: SearchScope) {
  return { project, kinds: kinds.join(' '), since, before, limit, ...filterParams(filter) }
}

/** The parameters of `MATCHES_FILTER`; without a filter, all of them are empty. */
function filterParams(filter: DocumentFilter | undefined): SqlParams {
  const list = (values: unknown[] = []) => (values.length > 0 ? JSON.stringify(values) : null)
  return {
    hasFilter: Number(filter !== undefined),
    sessions: filter?.session ? JSON.stringify(filter.session.ids) : null,
    contentSessions: JSON.stringify(filter?.session?.contentIds ?? []),
    begins: filter?.session?.begins ?? null,
    branches: list(filter?.branches),
    paths: list(filter?.paths.map(likePattern)),
    pathsInText: list(filter?.paths.filter(isPathLike).map(likePattern)),
    types: list(filter?.types),
    namespaces: list(filter?.namespaces),
    tags: list(filter?.tags),
    notTags: list(filter?.notTags),
    sources: list(filter?.sources),
    agents: list(filter?.agents),
  }
}

const likePattern = (path: string) => `%${path.replace(/[\\%_]/g, '\\$&')}%`
/** `src/auth`, `login.ts`, but not `auth`, which any text may contain. */
const isPathLike = (path: string) => /[\\/]|\w\.\w+$/.test(path)

const BRANCH_TURNS = 'prompts INDEXED BY prompts_of_branch WHERE branch IS NOT NULL'
/**
 * All branches of all projects. Each step finds the next branch in the index, so the cost does not depend on the number of turns. The last row
 * of each project is null.
 */
export const BRANCHES_CTE = `
  WITH RECURSIVE projects (project) AS (
    SELECT min(project) FROM ${BRANCH_TURNS}
    UNION ALL SELECT (SELECT min(project) FROM ${BRANCH_TURNS} AND project > projects.project) FROM projects WHERE project IS NOT NULL),
  known (project, branch) AS (
    SELECT project, (SELECT min(branch) FROM ${BRANCH_TURNS} AND project = projects.project) FROM projects WHERE project IS NOT NULL
    UNION ALL SELECT project, (SELECT min(branch) FROM ${BRANCH_TURNS} AND project = known.project AND branch > known.branch)
      FROM known WHERE branch IS NOT NULL)`
