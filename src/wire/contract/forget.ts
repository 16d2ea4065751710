import { z } from 'zod'
import type { MemoryKind } from '../../core/memory-kinds.ts'
import { flag, optionalInstant, projectName, route, wholeNumber } from './route.ts'
import type { FailedLine, ProgressLine } from './upkeep.ts'

/** A memory or a session that is deleted. */
export type ForgottenItem = {
  kind: MemoryKind | 'session'
  /** As search shows it: #12, S3, P7, N7F3KQ2BD, C5; for a session the agent's own id. Can be passed to `POST /api/restore`. */
  id: string
  title: string
  project: string
  at: number
  /** `chosen`: it was asked for. `derived`: it was made from something that was asked for. */
  because: 'chosen' | 'derived'
}
/** How much is deleted, by kind. A prompt takes its answer along. */
export type ForgetCounts = {
  sessions: number
  prompts: number
  toolUses: number
  observations: number
  summaries: number
  notes: number
  commits: number
  /** Records of what was shown to a model. */
  injections: number
}
/** A copy that Recollect cannot delete, such as the agent's transcript, a pushed note or a commit in a project's repository. */
export type RemainingCopy = { what: string; where: string; how: string }
export type ForgetPreview = {
  hard: boolean
  counts: ForgetCounts
  /** At most 500, chosen ones first; `counts` is complete. */
  items: ForgottenItem[]
  /** Notes of sessions that are written again without the deleted turns. */
  rewritten: { id: string; title: string }[]
  remaining: RemainingCopy[]
  /** Changes when something else would be deleted. */
  fingerprint: string
}
export type ForgetReport = Omit<ForgetPreview, 'fingerprint'> & {
  /** Until when `POST /api/restore` can undo it; null after a hard deletion. */
  restorableUntil: number | null
}
export type ForgetLine = ProgressLine | { kind: 'done'; report: ForgetReport } | FailedLine

export type RestoreReport = {
  restored: ForgottenItem[]
  /** Ids of memories that were not deleted. */
  unchanged: string[]
}

/** A deletion that can be undone. */
export type RestorableItem = Omit<ForgottenItem, 'because'> & { forgottenAt: number; restorableUntil: number | null }

/** Unknown fields are refused: a misspelt filter would delete more than was meant. */
const selection = () =>
  z.strictObject({
    ids: z
      .array(z.string().min(1).max(300))
      .min(1)
      .max(500)
      .optional()
      .describe('ids of memories (#12, S3, P7, N…, C5) and sessions; not together with the filters below'),
    session: z.string().min(1).max(200).optional().describe("the agent's id of a session, or its first characters"),
    query: z.string().min(1).max(2000).optional().describe('memories that contain all of these words'),
    since: optionalInstant(),
    before: optionalInstant(),
    project: projectName(),
    hard: flag(false).describe('delete for good, so that no byte is left'),
  })

/** @internal */
export const forget = {
  /** Show what else a deletion would remove. A prompt takes its turn with it, a session everything that was made of it. */
  'POST /api/forget/preview': route({ request: selection, readOnly: true }).returns<ForgetPreview>(),
  /**
   * Delete memories or sessions; without `hard` they can be restored. With the `fingerprint` of a preview, nothing is deleted if something
   * else would be deleted by now (409).
   */
  'POST /api/forget': route({
    request: () => selection().extend({ fingerprint: z.string().max(64).optional() }),
    lines: true,
    unlimited: true,
  }).returns<ForgetLine>(),
  /** Undo deletions that were not hard. A memory that went with its turn or session comes back together with it. */
  'POST /api/restore': route({
    request: () => z.strictObject({ ids: z.array(z.string().min(1).max(300)).min(1).max(500) }),
  }).returns<RestoreReport>(),
  /** List deletions that can be undone, newest first. */
  'GET /api/forgotten': route({
    request: () => z.object({ project: projectName(), limit: wholeNumber(50, 1000) }),
    readOnly: true,
  }).returns<RestorableItem[]>(),
}
