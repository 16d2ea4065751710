import type { ProjectKey } from './ids.ts'
import { projectName } from './project.ts'

/** A project and a folder in which a session of it was started; null if none is known. */
export type ProjectPlace = { project: ProjectKey; folder: string | null }

/**
 * A name for each project that a person recognises. Projects of the same name get as many folders in front of it as tell them apart: of three
 * projects called `cli`, one may be `work/cli`. If the folders do not tell them apart either, they are called by their keys.
 */
export function projectNames(places: ProjectPlace[]): Map<ProjectKey, string> {
  const names = new Map<ProjectKey, string>()
  for (const [name, same] of Map.groupBy(places, ({ project }) => projectName(project))) {
    const paths = same.map(({ project, folder }) => pathOf(project, folder, name))
    for (const [index, { project }] of same.entries()) names.set(project, same.length === 1 ? name : (distinctEnd(paths, index) ?? project))
  }
  return names
}

/** The folders down to the one that has the name of the project; for a remote address, its parts. */
function pathOf(project: ProjectKey, folder: string | null, name: string): string[] {
  const parts = (project.includes('/') ? project : (folder ?? '')).split(/[\\/]/).filter(Boolean)
  const end = parts.findLastIndex((part) => part.toLowerCase() === name)
  return end < 0 ? [] : parts.slice(0, end + 1)
}

/** The shortest end of a path that no other path has; null if there is none. */
function distinctEnd(paths: string[][], index: number): string | null {
  const path = paths[index] ?? []
  const others = paths.filter((_, other) => other !== index).map((other) => other.join('/'))
  for (let parts = 2; parts <= path.length; parts++) {
    const end = path.slice(-parts).join('/')
    if (!others.some((other) => `/${other}`.endsWith(`/${end}`))) return end
  }
  return null
}
