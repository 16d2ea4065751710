import { dirname } from 'node:path'
import type { ProjectKey } from './ids.ts'
import { projectName } from './project.ts'

/**
 * Whether a project is excluded by `privacy.exclude_projects`. Its entries are project keys, names, or folders with everything below them
 * (`~/drafts/secret`, `/clients/**`).
 */
export function excludedProjects(entries: readonly string[], userHome: string): (project: ProjectKey, folder: string) => boolean {
  const names = new Set(entries.map((name) => name.toLowerCase()))
  const folders = entries.map((pattern) => new Bun.Glob(pattern.replace(/^~(?=\/)/, userHome)))
  return (project, folder) =>
    names.has(project) || names.has(projectName(project)) || folders.some((glob) => withParents(folder).some((dir) => glob.match(dir)))
}

/** The folder and all folders above it. */
function withParents(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...withParents(dirname(folder))]
}
