import { resolve } from 'node:path'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import { projectKey, projectName } from '../core/project.ts'
import { isFolder } from '../platform/files.ts'
import { findProject } from '../platform/project.ts'
import { parseInstant, TIME_EXAMPLES } from '../retrieval/answer.ts'
import type { Store } from '../store/store.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

/** Milliseconds since 1970, from a number or from text such as `yesterday`. */
export function parseRequestTime(value: string | number): number
export function parseRequestTime<T extends null | undefined>(value: string | number | T): number | T
export function parseRequestTime<T>(value: string | number | T): number | T {
  if (typeof value !== 'string') return value
  const at = parseInstant(value, Date.now())
  if (at === null) throw new BadRequest(`“${value}” is not a time; use for example ${TIME_EXAMPLES}`)
  return at
}

/**
 * Finds a project by its key, one of its folders, or its short name if only one project has it. A clone of a local repository has that repository's
 * path as its key; a path that ends with a slash always means the folder.
 */
export async function resolveProject({ store }: Pick<Services, 'store'>, name: string | undefined): Promise<ProjectKey | null> {
  const matches = name ? await matchingProjects(store, name) : []
  if (matches.length > 1) throw new BadRequest(await ambiguousProjectMessage(store, name, matches))
  return matches[0] ?? null
}

/** The names that tell the matches apart can be passed instead of `name`. */
async function ambiguousProjectMessage(store: Store, name: string | undefined, matches: ProjectKey[]): Promise<string> {
  const names = await distinctNames(store)
  return `${name} could be ${matches.map((key) => names.get(key) ?? key).join(' or ')}`
}

async function distinctNames(store: Store): Promise<Map<ProjectKey, string>> {
  const { projectNames } = await import('../core/project-names.ts')
  return projectNames(await store.sessions.projects())
}

async function matchingProjects(store: Store, name: string): Promise<ProjectKey[]> {
  const known = await store.sessions.projects()
  const key = name.replace(/\/+$/, '')
  const isKnown = (project: string) => known.some((p) => p.project === project)
  if (folderFromProjectName(name) && !isKnown(name)) return [await store.projects.currentKey(projectKey(findProject(name)))]
  for (const exact of [key, key.toLowerCase()]) if (isKnown(exact)) return [asProjectKey(exact)]
  const sameName = known.filter((p) => projectName(p.project) === key.toLowerCase())
  if (sameName.length > 0) return sameName.map((p) => p.project)
  for (const [project, distinct] of key.includes('/') ? await distinctNames(store) : [])
    if (distinct.toLowerCase() === key.toLowerCase()) return [project]
  const current = await store.projects.currentKey(asProjectKey(key.toLowerCase()))
  const withoutSessions = current.includes('/') ? [] : await namedLike(store, current)
  return withoutSessions.length > 0 ? withoutSessions : [current]
}

/** Projects with this short name that have only notes so far, or that a team's hub offers. Empty if the name is itself the key of one. */
async function namedLike(store: Store, name: ProjectKey): Promise<ProjectKey[]> {
  const offered = (await (await store.team()).projects()).flatMap(({ project, may }) => (may === null ? [] : [project]))
  const projects = new Set([...(await store.projects.totals()).map(({ project }) => project), ...offered])
  return projects.has(name) ? [] : [...projects].filter((project) => projectName(project) === name).sort()
}

/** Like `resolveProject`, for the project in a query. An unknown one is a problem, because it was probably misspelt. */
export async function resolveQueriedProject(
  { store }: Pick<Services, 'store'>,
  name: string,
): Promise<{ project: ProjectKey | null } | { problem: string }> {
  const matches = await matchingProjects(store, name)
  if (matches.length > 1) return { problem: await ambiguousProjectMessage(store, name, matches) }
  const project = matches[0] ?? null
  if (name.startsWith('/') || (await store.documents.count(project)) > 0) return { project }
  const known = (await store.projects.totals()).map((totals) => totals.project)
  if (project !== null && known.includes(project)) return { project }
  const { closestName } = await import('../core/closest-name.ts')
  const close = closestName(name, [...new Set(known.flatMap((key) => [projectName(key), key]))])
  return { problem: `there is no project ${name}; ${close ? `did you mean ${close}?` : `'recollect status' lists the projects`}` }
}

/** The folder, if a project is named by one of its folders. */
export const folderFromProjectName = (name: string | undefined): string | null =>
  name?.startsWith('/') && isFolder(name) ? resolve(name) : null
