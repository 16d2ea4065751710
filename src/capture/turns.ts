/**
 * Turns of the journal into memories, by rules and by a model. A door of its own, because it is most of the room and a worker needs it when
 * the first turn is over, not when it starts.
 */
export { catchUpOldTurns } from './catch-up.ts'
export { distillTurn } from './distill.ts'
export { type Mode, readMode } from './model/mode.ts'
export { distillTurnWithModel, estimateModelTokens, type ModelDistiller, type ModelDistillJob, queueModelDistill } from './model-distill.ts'
