import { z } from 'zod'
import { route } from './route.ts'

export type ProjectSummary = {
  project: string
  /** Short and unique; with folders in front if several projects have the same name. */
  name: string
  sessions: number
  prompts: number
  observations: number
  summaries: number
  notes: number
  commits: number
  firstAt: number | null
  lastAt: number | null
}

const projectKey = () => z.string().trim().toLowerCase().min(1).max(200)

/** @internal */
export const projects = {
  /** List projects with the number of their memories. */
  'GET /api/projects': route({ readOnly: true }).returns<ProjectSummary[]>(),
  /** The short, unique name of each project, by its key. */
  'GET /api/projects/names': route({ readOnly: true }).returns<Record<string, string>>(),
  /** Rename a project, or with `merge` move its memories into another. */
  'POST /api/projects/rename': route({
    request: () => z.object({ from: projectKey(), to: projectKey(), merge: z.boolean().default(false) }),
  }).returns<
    { kind: 'moving'; from: string; to: string },
    { 400: 'there is no project `from`' | 'there already is a project `to`, and `merge` is false' }
  >(),
  /** Delete all memories of a project. `confirm` must repeat its key or name. */
  'POST /api/projects/wipe': route({ request: () => z.object({ project: projectKey(), confirm: projectKey() }) }).returns<
    {
      kind: 'wiping'
      project: string
    },
    { 400: 'there is no such project' | '`confirm` does not repeat its key or name' }
  >(),
}
