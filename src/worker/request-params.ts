import { resolve } from 'node:path'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import { projectKey, projectName } from '../core/project.ts'
import type { Agent } from '../integrations/agent.ts'
import { isFolder } from '../platform/files.ts'
import { findProject } from '../platform/project.ts'
import { parseInstant, TIME_EXAMPLES } from '../retrieval/answer.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

/** A moment as people write it, or in milliseconds. */
export function parseRequestTime(written: string | number): number
export function parseRequestTime<T extends null | undefined>(written: string | number | T): number | T
export function parseRequestTime<T>(written: string | number | T): number | T {
  if (typeof written !== 'string') return written
  const at = parseInstant(written, Date.now())
  if (at === null) throw new BadRequest(`“${written}” is no moment; write ${TIME_EXAMPLES}`)
  return at
}

/**
 * A project as people name it: its key, a folder, or its short name when only one project has it. The clone of a folder has that folder's
 * path for a key; a path with a slash at its end means the folder itself, whatever keys there are.
 */
export async function resolveProject(desk: Pick<Services, 'store'>, name: string | undefined): Promise<ProjectKey | null> {
  const meant = name ? await matchingProjects(desk, name) : []
  if (meant.length > 1) throw new BadRequest(ambiguousProjectMessage(name, meant))
  return meant[0] ?? null
}

const ambiguousProjectMessage = (name: string | undefined, meant: ProjectKey[]) =>
  `${name} could be ${meant.join(' or ')}; give the whole key`

async function matchingProjects(desk: Pick<Services, 'store'>, name: string): Promise<ProjectKey[]> {
  const known = await desk.store.sessions.projects()
  const key = name.replace(/\/+$/, '')
  const isKnown = (project: string) => known.some((p) => p.project === project)
  if (folderFromProjectName(name) && !isKnown(name)) return [await desk.store.projects.currentKey(projectKey(findProject(name)))]
  for (const exact of [key, key.toLowerCase()]) if (isKnown(exact)) return [asProjectKey(exact)]
  const called = known.filter((p) => projectName(p.project) === key.toLowerCase())
  if (called.length > 0) return called.map((p) => p.project)
  return [await desk.store.projects.currentKey(asProjectKey(key.toLowerCase()))]
}

/** The same for a project that a question names: one that there is not was misspelt, and nothing would be found in it. */
export async function resolveQueriedProject(
  desk: Pick<Services, 'store'>,
  name: string,
): Promise<{ project: ProjectKey | null } | { problem: string }> {
  const meant = await matchingProjects(desk, name)
  if (meant.length > 1) return { problem: ambiguousProjectMessage(name, meant) }
  const project = meant[0] ?? null
  if (name.startsWith('/') || (await desk.store.documents.count(project)) > 0) return { project }
  const sums = await desk.store.projects.totals()
  if (sums.some((one) => one.project === project)) return { project }
  const { closestName: nearest } = await import('../core/closest-name.ts')
  const close = nearest(name, [...new Set(sums.flatMap((one) => [projectName(one.project), one.project]))])
  return { problem: `there is no project ${name}; ${close ? `did you mean ${close}?` : `'recollect status' names them`}` }
}

/** The folder that a project was named by, null when it was named otherwise. */
export const folderFromProjectName = (name: string | undefined): string | null =>
  name?.startsWith('/') && isFolder(name) ? resolve(name) : null

/** The agent of callers that do not name one. */
export function defaultAgent({ agents }: Pick<Services, 'agents'>): Agent {
  const agent = agents['claude-code']
  if (!agent) throw new Error('no agent is installed')
  return agent
}
