/**
 * Inject decides which few memories the model sees, and words them. Everything it writes is recalled text, so it is data: neutralised, one
 * line each, inside one tagged block. Capture removes that block again, so that no memory is made of a memory.
 */
import type { ProjectKey } from '../core/ids.ts'
import type { Store } from '../store/store.ts'
import type { Budget, CheckCode, InjectedBrief } from './page.ts'
import type { ResumedKnowledge } from './session-knowledge.ts'

export { BRIEF_BUDGET, type Budget, type CheckCode, type InjectedBrief, OPEN_END_REASON, OPEN_PROMPT_REASON, RULE_REASON } from './page.ts'
export { MAX_RECALL_TOKENS, RECALL_THRESHOLDS, type RecallThresholds, recallFor, relevantHits } from './recall.ts'
export { rulesFor } from './rules.ts'
export { knowledgeOf } from './session-knowledge.ts'

export type SessionBriefOptions = {
  project: ProjectKey
  now: number
  budget?: Budget
  /** The command that the person types for us, for the line about finding more. Empty to leave that out. */
  command?: string
  /** How many notes of the project may be shown, besides those that always are. */
  maxNotes?: number
  /** Null if unknown. */
  branch?: string | null
  /** The knowledge of a resumed session; null for a new one. */
  knowledge?: ResumedKnowledge | null
  /** Compares the memories on the page with the code; without it nothing is said about their code. */
  checkCode?: CheckCode | null
}

/**
 * The brief that opens a session: rules, the last work on its branch, what is open, what was decided, and a few earlier results. A resumed
 * session gets only what is new to it, and an empty text if nothing is.
 */
export async function briefFor(store: Store, options: SessionBriefOptions): Promise<InjectedBrief> {
  // Loaded with the first brief: a worker that catches up needs none.
  const { writeSessionBrief } = await import('./session-brief.ts')
  return writeSessionBrief(store, options)
}
