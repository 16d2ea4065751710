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

/** Two keys that may be one project: joining moves the memories of `from` to `into`. */
export type OfferedJoin = { name: string; from: string; into: string; memories: number }
/** How much moves, or has moved. `kind` is `planned` for a dry run. */
export type JoinReport = { kind: 'planned' | 'joined'; from: string; into: string; sessions: number; notes: number; commits: number }
export type SplitReport = { kind: 'planned' | 'split'; project: string; into: string; sessions: number; notes: number; commits: number }

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
  /** List projects that may be the same: one of this machine, and one of the same name from an import or another machine. */
  'GET /api/projects/offers': route({ request: () => z.object({ project: projectKey().optional() }), readOnly: true }).returns<
    OfferedJoin[]
  >(),
  /** Join two projects: from now on both keys mean `into`. It can be undone with `POST /api/projects/split`. */
  'POST /api/projects/join': route({
    request: () => z.object({ from: projectKey(), into: projectKey(), dryRun: z.boolean().default(false) }),
  }).returns<JoinReport, { 400: 'the two are one project already, or `into` is joined to another' }>(),
  /** Undo a join. */
  'POST /api/projects/split': route({ request: () => z.object({ project: projectKey(), dryRun: z.boolean().default(false) }) }).returns<
    SplitReport,
    { 400: 'the project was not joined to another' }
  >(),
  /** Stop offering to join two projects. */
  'POST /api/projects/apart': route({ request: () => z.object({ a: projectKey(), b: projectKey() }) }).returns<{ kind: 'apart' }>(),
  /** Delete all memories of a project. `confirm` must repeat its key or name. */
  'POST /api/projects/wipe': route({ request: () => z.object({ project: projectKey(), confirm: projectKey() }) }).returns<
    {
      kind: 'wiping'
      project: string
    },
    { 400: 'there is no such project' | '`confirm` does not repeat its key or name' }
  >(),
}
