import { z } from 'zod'
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
