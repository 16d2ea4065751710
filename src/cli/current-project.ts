import { relative } from 'node:path'
import { closestName } from '../core/closest-name.ts'
import { asProjectKey } from '../core/ids.ts'
import { projectKey, projectName } from '../core/project.ts'
import { findProject } from '../platform/project.ts'
import { commandName } from '../wire/start.ts'
import { call } from './call.ts'
import { invalidInput } from './print.ts'

/**
 * The project of the current folder, as the worker understands it: its key, or the folder if the key is the path of a local remote. The worker would take
 * such a path for the folder that is there, which may be another project.
 */
export function currentProject(): string {
  const key = projectKey(findProject(process.cwd()))
  return key.startsWith('/') ? `${process.cwd().replace(/\/*$/, '')}/` : key
}

/** Where to search: all projects, the given one, or the current one and, if nothing there is close, all. */
export function searchScope({ all, project }: ProjectFlags): { project?: string; widen?: true } {
  return all ? {} : project ? { project } : { project: currentProject(), widen: true }
}

type ProjectFlags = { all?: boolean | undefined; project?: string | undefined }

/** Throws if the given project is unknown. Called when nothing was found, because a misspelt project finds nothing. */
export async function requireKnownProject({ all, project }: ProjectFlags): Promise<void> {
  if (all || !project || project.startsWith('/')) return
  const known = await call('GET /api/projects')
  const names = [...new Set(known.flatMap((one) => [one.name, one.project]))]
  if (names.includes(project) || names.includes(project.toLowerCase())) return
  const close = closestName(project, names)
  throw invalidInput(`unknown project "${project}"; ${close ? `did you mean ${close}?` : `'recollect status' lists the projects`}`)
}

/** Returns a function that names projects as a person recognises them. The worker knows which names are unique. */
export async function projectNamer(): Promise<(project: string) => string> {
  const names = await call('GET /api/projects/names')
  return (project) => names[project] ?? projectName(asProjectKey(project))
}

/** The current git branch; null outside a repository. */
export function currentBranch(): string | null {
  return findProject(process.cwd()).branch
}

/** How to call this program from the current folder: by name if it is on the PATH, else by the shorter of its two paths. */
export function currentCommandName(): string {
  const name = commandName()
  if (!name.startsWith('/')) return name
  const path = relative(process.cwd(), name)
  return path.startsWith('..') ? name : path.includes('/') ? path : `./${path}`
}

/** A message of ours whose commands can be typed as they are: from a checkout, `recollect doctor` becomes `bin/recollect doctor`. */
export function withCommandName(message: string): string {
  return message.replace(/(?<![\w./-])recollect (?=[a-z])/g, `${currentCommandName()} `)
}
