import type { HubProject, Right } from '../../wire/contract/hub.ts'
import { HubRefusal } from '../caller.ts'
import type { Query } from '../database.ts'
import type { HubHandlers } from '../handlers.ts'

type ProjectRow = Omit<HubProject, 'may'> & { may: Right | null }

const PROJECTS = `SELECT p.key, p.title, g.may, p.head::float8 AS head, p.review, p.retain_days AS "retainDays"
  FROM recollect.projects p LEFT JOIN recollect.grants g ON g.project_id = p.id AND g.member_id = recollect.me()`

const hasRight = (row: ProjectRow | undefined): row is HubProject => row?.may != null

export const listProjects: HubHandlers['GET /v1/projects'] = async ({ query }) => {
  const rows = await query<ProjectRow>(`${PROJECTS} WHERE g.may IS NOT NULL ORDER BY p.key`)
  return { projects: rows.filter(hasRight) }
}

export const createProject: HubHandlers['POST /v1/projects'] = async ({ query }, { key, title, review }) => {
  const [created] = await query<{ id: number }>('SELECT recollect.create_project($1, $2, $3) AS id', [key, title, review])
  const row = await readProject(query, created?.id ?? 0)
  if (!hasRight(row)) throw new HubRefusal(403, 'the project exists and the member may not read it')
  return row
}

export const changeProject: HubHandlers['PATCH /v1/projects'] = async ({ query }, { key, ...changes }) => {
  const [changed] = await query<{ id: number }>('SELECT recollect.change_project($1, $2::text::jsonb) AS id', [
    key,
    JSON.stringify(changes),
  ])
  const row = await readProject(query, changed?.id ?? 0)
  if (!row) throw new HubRefusal(403, 'the member may not curate the project')
  return row
}

async function readProject(query: Query, id: number): Promise<ProjectRow | undefined> {
  const [row] = await query<ProjectRow>(`${PROJECTS} WHERE p.id = $1`, [id])
  return row
}
