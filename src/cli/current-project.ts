import { relative } from 'node:path'
import { closestName } from '../core/closest-name.ts'
import { projectKey } from '../core/project.ts'
import { findProject } from '../platform/project.ts'
import { commandName } from '../wire/start.ts'
import { ask } from './ask.ts'
import { CliError, EXIT } from './print.ts'

/** The project of the folder the person stands in. */
export function currentProject(): string {
  return projectKey(findProject(process.cwd()))
}

/** Where to look, as a question to the worker says it: the project that was named, all of them, or this one and, if need be, all. */
export function searchScope({ all, project }: { all?: boolean; project?: string }): { project?: string; widen?: true } {
  return all ? {} : project ? { project } : { project: currentProject(), widen: true }
}

/** Where nothing is found in a project that was named and that there is not, its name was misspelt. */
export async function requireKnownProject({ all, project }: { all?: boolean; project?: string }): Promise<void> {
  if (all || !project || project.startsWith('/')) return
  const known = await ask<{ project: string; name: string }[]>('/api/projects')
  const names = [...new Set(known.flatMap((one) => [one.name, one.project]))]
  if (names.includes(project) || names.includes(project.toLowerCase())) return
  const close = closestName(project, names)
  throw new CliError(`there is no project ${project}; ${close ? `did you mean ${close}?` : `'recollect status' names them`}`, EXIT.invalid)
}

/** The git branch they are on, null outside of git. */
export function currentBranch(): string | null {
  return findProject(process.cwd()).branch
}

/** How we are called in this folder: by name where it is on the PATH, else by the path from here, or the whole one where that is plainer. */
export function currentCommandName(): string {
  const name = commandName()
  if (!name.startsWith('/')) return name
  const near = relative(process.cwd(), name)
  return near.startsWith('..') ? name : near.includes('/') ? near : `./${near}`
}
