/**
 * Makes memories from the turns in the journal, by rules or with a model. This is a separate door because it is most of the room's
 * code, and a worker needs it only when the first turn has ended.
 */
export { catchUpOldTurns } from './catch-up.ts'
export { distillTurn, distillUnsettled, performedActions } from './distill.ts'
export { episodeDraft } from './episode-draft.ts'
export { checksInCommand, recognizableFailures } from './known-fixes.ts'
export { type Mode, readMode } from './model/mode.ts'
export { distillTurnWithModel, estimateModelTokens, type ModelDistiller, type ModelDistillJob, queueModelDistill } from './model-distill.ts'
export { draftListedDecisions, draftStatedNotes } from './statements.ts'
export { rebuildThreads } from './threads.ts'
export { settleUndoneTurns, settleUndoneWork } from './undone-marks.ts'
