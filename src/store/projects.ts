import type { Database } from 'bun:sqlite'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import { readJsonColumn, type SqlParams } from './statement.ts'

/** How much a project contains. */
export type ProjectTotals = {
  project: ProjectKey
  sessions: number
  prompts: number
  observations: number
  summaries: number
  notes: number
  commits: number
  firstAt: number | null
  lastAt: number | null
}

const IMPORTED_NAMES_MARK = 'projects named by an import'

/** Tables whose rows contain the project of their session. */
const SESSION_TABLES = ['prompts', 'observations', 'summaries', 'injections', 'documents'] as const

/** Every statement about projects: their totals, renaming them, and moving a session to another one. */
export function projectStatements(db: Database) {
  const sums = db.prepare<ProjectTotals, []>(`
    WITH counted AS (
      SELECT project, count(*) AS sessions, 0 AS prompts, 0 AS observations, 0 AS summaries, 0 AS notes, 0 AS commits,
        min(started_at) AS firstAt, max(last_event_at) AS lastAt FROM sessions GROUP BY project
      UNION ALL SELECT project, 0, count(*), 0, 0, 0, 0, NULL, NULL FROM prompts GROUP BY project
      UNION ALL SELECT project, 0, 0, count(*), 0, 0, 0, NULL, NULL FROM observations GROUP BY project
      UNION ALL SELECT project, 0, 0, 0, count(*), 0, 0, NULL, NULL FROM summaries GROUP BY project
      UNION ALL SELECT project, 0, 0, 0, 0, count(*), 0, min(created_at), max(updated_at) FROM notes WHERE deleted_at IS NULL GROUP BY project
      UNION ALL SELECT project, 0, 0, 0, 0, 0, count(*), NULL, NULL FROM commits WHERE forgotten = 0 GROUP BY project)
    SELECT project, sum(sessions) AS sessions, sum(prompts) AS prompts, sum(observations) AS observations, sum(summaries) AS summaries,
      sum(notes) AS notes, sum(commits) AS commits, min(firstAt) AS firstAt, max(lastAt) AS lastAt
    FROM counted GROUP BY project ORDER BY lastAt DESC`)
  // Each step finds the next project in the index, so the cost depends on the number of projects, not of sessions.
  const known = db.prepare<{ project: string }, []>(`
    WITH RECURSIVE known (project) AS (
      SELECT min(project) FROM sessions
      UNION ALL SELECT (SELECT min(project) FROM sessions WHERE project > known.project) FROM known WHERE project IS NOT NULL)
    SELECT project FROM known WHERE project IS NOT NULL`)
  const marked = db.prepare<{ value: string }, SqlParams>('SELECT value FROM marks WHERE name = @name')
  const mark = db.prepare('INSERT INTO marks (name, value) VALUES (@name, @value) ON CONFLICT (name) DO UPDATE SET value = excluded.value')
  const importedNames = () => readJsonColumn<string[]>(marked.get({ name: IMPORTED_NAMES_MARK })?.value ?? '[]')
  // Notes alone, without a session in the folder, came from another machine; those of an import belong to the folder that names them.
  const usedElsewhere = db.prepare(`
    WITH used (inside) AS (
      SELECT folder = @folder OR substr(folder, 1, length(@folder) + 1) = @folder || '/' FROM sessions WHERE project = @project)
    SELECT 1 WHERE EXISTS (SELECT 1 FROM used WHERE NOT inside)
      OR (@imported = 0 AND NOT EXISTS (SELECT 1 FROM used) AND EXISTS (SELECT 1 FROM notes WHERE project = @project))
      OR EXISTS (SELECT 1 FROM renamed_projects WHERE old = @project)`)
  const moveSession = db.prepare('UPDATE sessions SET project = @to WHERE id = @id')
  const moveRows = SESSION_TABLES.map((table) => db.prepare(`UPDATE ${table} SET project = @to WHERE session_id = @id`))
  const moveFiles = db.prepare(
    'UPDATE observation_files SET project = @to WHERE observation_id IN (SELECT id FROM observations WHERE session_id = @id)',
  )
  const moveMentions = db.prepare(`
    UPDATE mentions SET project = @to WHERE (kind, ref) IN (SELECT kind, ref FROM documents WHERE session_id = @id)`)
  const dropInjections = db.prepare('DELETE FROM injections WHERE project = @project')
  const renamed = db.prepare<{ now: string }, SqlParams>('SELECT now FROM renamed_projects WHERE old = @project')
  const rename = db.prepare(
    'INSERT INTO renamed_projects (old, now) VALUES (@from, @to) ON CONFLICT (old) DO UPDATE SET now = excluded.now',
  )
  const follow = db.prepare('UPDATE renamed_projects SET now = @to WHERE now = @from')
  const forgetName = db.prepare('DELETE FROM renamed_projects WHERE old = @project')
  const withFolders = db.prepare<{ project: string }, []>("SELECT DISTINCT project FROM sessions WHERE substr(folder, 1, 1) = '/'")
  const unname = db.prepare('DELETE FROM renamed_projects WHERE old = now OR old = @to')
  return {
    totals: async (): Promise<ProjectTotals[]> => sums.all().map((row) => ({ ...row, project: asProjectKey(row.project) })),
    /** The projects that have sessions. */
    withSessions: async (): Promise<ProjectKey[]> => known.all().map(({ project }) => asProjectKey(project)),
    /** Whether no folder but this one, and those below it, has this project. */
    isFreeFor: async (place: { project: ProjectKey; folder: string }): Promise<boolean> =>
      usedElsewhere.get({ project: place.project, folder: place.folder, imported: Number(importedNames().includes(place.project)) }) ===
      null,
    /** Names of projects that imports brought without a folder. */
    importedNames: async (): Promise<string[]> => importedNames(),
    addImportedNames: async (names: Iterable<ProjectKey>) => {
      mark.run({ name: IMPORTED_NAMES_MARK, value: JSON.stringify([...new Set([...importedNames(), ...names])]) })
    },
    /** From now on, the old key means the new project. */
    rename: async (from: ProjectKey, to: ProjectKey) => {
      rename.run({ from, to })
      follow.run({ from, to })
      unname.run({ to })
    },
    /** The key is its own project again. */
    unrename: async (project: ProjectKey) => {
      forgetName.run({ project })
    },
    /** Projects with a session in a folder of this machine. Others came with an import or from another machine. */
    withFolders: async (): Promise<ProjectKey[]> => withFolders.all().map(({ project }) => asProjectKey(project)),
    /** The current key of a project. */
    currentKey: async (project: ProjectKey): Promise<ProjectKey> => asProjectKey(renamed.get({ project })?.now ?? project),
    /** Moves a session and its rows to another project. The caller must index its documents again. */
    moveSession: async (id: number, to: ProjectKey) => {
      moveSession.run({ id, to })
      for (const move of moveRows) move.run({ id, to })
      moveFiles.run({ id, to })
      moveMentions.run({ id, to })
    },
    /** Removes the injections of a project, after its sessions were deleted. */
    dropInjections: async (project: ProjectKey) => {
      dropInjections.run({ project })
    },
  }
}
