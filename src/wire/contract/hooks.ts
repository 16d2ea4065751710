import { z } from 'zod'
import { route } from './route.ts'

/** @internal */
export const hooks = {
  /** Report an event of an agent's hook. The body is the hook's payload. Always answers 200 with a JSON object for the agent. */
  'POST /hook/:agent': route({
    request: () => z.looseObject({ agent: z.string().regex(/^[a-z-]{1,40}$/) }),
    raw: true,
    hookToken: true,
  }).returns<Record<string, unknown>>(),
}
