import { dirname, resolve } from 'node:path'
import type { ProjectKey } from './ids.ts'
import { projectName } from './project.ts'

/** What `privacy.exclude_projects` covers. */
export type Exclusion = {
  isExcluded(project: ProjectKey, folder: string): boolean
  /** The first path inside an excluded folder that a tool's input names, as a field or in a command. */
  excludedPathIn(input: unknown, cwd: string | null): string | null
  /** True when nothing is excluded, so that callers need not look. */
  isEmpty: boolean
}

/** The entries are project keys, names, or folders with everything below them (`~/drafts/secret`, `/clients/**`). */
export function exclusionOf(entries: readonly string[], userHome: string): Exclusion {
  const names = new Set(entries.map((name) => name.toLowerCase()))
  const folders = entries.map((pattern) => new Bun.Glob(pattern.replace(/^~(?=\/)/, userHome)))
  const isInFolder = (path: string) => folders.some((glob) => withParents(path).some((dir) => glob.match(dir)))
  return {
    isExcluded: (project, folder) => names.has(project) || names.has(projectName(project)) || isInFolder(folder),
    excludedPathIn: (input, cwd) => pathsIn(input, userHome, cwd).find(isInFolder) ?? null,
    isEmpty: entries.length === 0,
  }
}

/** The folder and all folders above it. */
function withParents(folder: string): string[] {
  return dirname(folder) === folder ? [folder] : [folder, ...withParents(dirname(folder))]
}

const MAX_INPUT_CHARS = 16_384
const PATH = /(?<![\w.])(?:~|\.{1,2}|\$HOME|\$\{HOME\})?\/[^\s"'`;|&<>(),:*?\\]{0,1000}/g

/** What looks like a path in the strings of a tool's input: `file_path` itself, and the words of a command. */
function pathsIn(input: unknown, userHome: string, cwd: string | null): string[] {
  const fields = typeof input === 'object' && input !== null ? Object.values(input) : [input]
  const strings = fields.filter((field) => typeof field === 'string').map((field) => field.slice(0, MAX_INPUT_CHARS))
  const found = strings.flatMap((text) => [...(text.startsWith('/') ? [text] : []), ...(text.match(PATH) ?? [])])
  return found.map((path) => resolve(cwd ?? '/', path.replace(/^(?:~|\$HOME|\$\{HOME\})(?=\/)/, userHome)))
}
