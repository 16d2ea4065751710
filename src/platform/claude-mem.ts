import { join } from 'node:path'
import { z } from 'zod'
import { exists, readUtf8IfThere } from './files.ts'

/** The usual place of claude-mem's database; null if there is none. */
export function findClaudeMem(userHome: string): string | null {
  const file = join(userHome, '.claude-mem', 'claude-mem.db')
  return exists(file) ? file : null
}

/** The projects, by their folders, and the tools that a person excluded in claude-mem. */
export type ClaudeMemExclusions = { projects: string[]; tools: string[] }

/** Reads the settings in the folder of a claude-mem database. Empty lists if there are none, or they cannot be read. */
export function readClaudeMemExclusions(folder: string): ClaudeMemExclusions {
  try {
    const settings = ClaudeMemSettings.parse(JSON.parse(readUtf8IfThere(join(folder, 'settings.json')) ?? '{}'))
    return { projects: listIn(settings.CLAUDE_MEM_EXCLUDED_PROJECTS), tools: listIn(settings.CLAUDE_MEM_SKIP_TOOLS) }
  } catch {
    return { projects: [], tools: [] }
  }
}

/** Early versions have the settings below `env`. */
const values = { CLAUDE_MEM_EXCLUDED_PROJECTS: z.string().default(''), CLAUDE_MEM_SKIP_TOOLS: z.string().default('') }
const ClaudeMemSettings = z.union([z.object({ env: z.object(values) }).transform(({ env }) => env), z.object(values)])

const listIn = (text: string) => [
  ...new Set(
    text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
  ),
]
