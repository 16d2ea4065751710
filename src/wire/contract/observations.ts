import { z } from 'zod'
import type { Observation } from '../../core/memory.ts'
import type { WorkOutcome } from '../../core/work-outcome.ts'
import { flag, route, rowId } from './route.ts'

export type ObservationResponse = {
  observation: Observation | null
  /** When it was forgotten; null while it is not. */
  forgottenAt: number | null
  /** The outcome of the work that it belongs to; null if no result is known. */
  outcome: WorkOutcome | null
}

/** @internal */
export const observations = {
  /** Get observations by their numbers. */
  'POST /api/observations/batch': route({
    request: () => z.object({ ids: z.array(z.coerce.number<number | string>().int()).max(500) }),
    readOnly: true,
  }).returns<Observation[]>(),
  /** Get an observation, also a forgotten one. */
  'GET /api/observations/:id': route({ request: () => z.object({ id: rowId() }), readOnly: true }).returns<ObservationResponse>(),
  /** Forget an observation; with `hard` erase it for good. */
  'DELETE /api/observations/:id': route({ request: () => z.object({ id: rowId(), hard: flag(false) }) }).returns<
    {
      kind: 'forgotten' | 'erased'
      id: number
    },
    { 400: 'no observation has this id' }
  >(),
  /** Restore a forgotten observation. */
  'POST /api/observations/:id/restore': route({ request: () => z.object({ id: rowId() }) }).returns<
    {
      kind: 'restored'
      observation: Observation
    },
    { 400: 'the observation is not forgotten, or has been erased' }
  >(),
}
