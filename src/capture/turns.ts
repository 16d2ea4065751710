/**
 * Turns of the journal into memories, by rules and by a model. A door of its own, because it is most of the room and a worker needs it when
 * the first turn is over, not when it starts.
 */
export { catchUp } from './catch-up.ts'
export { distillTurn } from './distill.ts'
export { type Mode, readMode } from './model/mode.ts'
export { askedAbout, queueTell, type Teller, type TellJob, tellTurn } from './tell.ts'
