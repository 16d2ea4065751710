import { z } from 'zod'
import type { AgentName } from '../../core/agent.ts'
import type { CodeMark } from '../../core/code-mark.ts'
import { type MemoryKind, parseMemoryId } from '../../core/memory-kinds.ts'
import { projectName, route, wholeNumber } from './route.ts'

/** A memory whose code differs from the working tree, and what could be done about it. */
export type StaleMemory = {
  kind: MemoryKind
  /** As search shows it: #12, S3, P7 or N7F3KQ2BD. */
  id: string
  title: string
  at: number
  code: CodeMark
  suggestion: string
}

export type StaleResponse = {
  project: string
  /** The work tree that was looked at; null when no folder of the project exists on this machine. */
  folder: string | null
  /** How many memories were compared. */
  checked: number
  /** Descriptions of code that is gone first, then the newest. */
  memories: StaleMemory[]
}

/** A memory that speaks of a piece of code. */
export type CodeMemory = {
  kind: MemoryKind
  /** As search shows it: #12, S3, P7 or N7F3KQ2BD. */
  id: string
  /** Of an observation or a note: its type or namespace, such as `decision` or `decisions`. */
  type: string
  title: string
  at: number
  /** The agent of the session that it comes from; null for a memory of no session. */
  agent: AgentName | null
  /** The program that reported the session, such as an editor; null if the agent did. */
  host: string | null
  code: CodeMark | null
}
/** A definition with the memories about it. Lines are counted from 1. */
export type RememberedDefinition = { name: string; firstLine: number; lastLine: number; memories: CodeMemory[] }

export type CodeMemoriesResponse = {
  project: string
  /** Relative to the top folder of the work tree; null when the file is outside of it, or excluded by the settings. */
  path: string | null
  /** In the order of the file. */
  definitions: RememberedDefinition[]
  /** Memories about the file whose definition is not known, or no longer in the file. */
  others: CodeMemory[]
}

/** `ok`: the memory still holds. `wrong`: it does not, and is hidden. `corrected`: another one took its place. */
export type VerifyReceipt = {
  id: string
  outcome: 'ok' | 'wrong' | 'corrected'
  /** The commit at which it was confirmed; null outside a repository. */
  commit: string | null
  /** The note that says it right. */
  replacedBy: string | null
}

const memoryId = () => z.string().refine((id) => parseMemoryId(id) !== null, 'must look like #12, S3, P7 or N…')

/** @internal */
export const code = {
  /** List memories of a project whose code was changed or deleted since they were made. */
  'GET /api/stale': route({ request: () => z.object({ project: projectName(), limit: wholeNumber(50, 1000) }), readOnly: true }).returns<
    StaleResponse,
    { 400: '`project` is missing or unknown' }
  >(),
  /** List the memories about the definitions of a file: decisions and rules first, then the newest. */
  'GET /api/code/memories': route({
    request: () =>
      z.object({
        project: z.string().describe('a folder of the project; the file is in its work tree'),
        path: z.string().min(1).max(4000).describe('absolute, or relative to the folder'),
        limit: wholeNumber(5, 50).describe('the most memories for each definition'),
      }),
    readOnly: true,
  }).returns<CodeMemoriesResponse, { 400: '`project` is not a folder of this machine' }>(),
  /** Confirm that a memory still holds, hide it because it is wrong, or replace it by a note with the right words (`correction`). */
  'POST /api/verify': route({
    request: () =>
      z.object({
        id: memoryId(),
        verdict: z.enum(['ok', 'wrong', 'correct']),
        correction: z.string().max(50_000).optional().describe('the right words, for the verdict `correct`'),
      }),
  }).returns<VerifyReceipt, { 400: 'no memory has this id, or the correction is missing' }>(),
}
