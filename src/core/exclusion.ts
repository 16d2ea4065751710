import { dirname } from 'node:path'
import type { ProjectKey } from './ids.ts'
import { projectName } from './project.ts'

/**
 * Which projects a person wants nothing kept of, as `privacy.exclude_projects` names them: by key, by name, or by a folder with
 * everything below it (`~/drafts/secret`, `/clients/**`).
 */
export function excludedProjects(wishes: readonly string[], userHome: string): (project: ProjectKey, folder: string) => boolean {
  const names = new Set(wishes.map((name) => name.toLowerCase()))
  const folders = wishes.map((pattern) => new Bun.Glob(pattern.replace(/^~(?=\/)/, userHome)))
  return (project, folder) =>
    names.has(project) || names.has(projectName(project)) || folders.some((glob) => withParents(folder).some((dir) => glob.match(dir)))
}

/** What is excluded is excluded with everything below it. */
function withParents(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...withParents(dirname(folder))]
}
