import { z } from 'zod'
import { route } from './route.ts'

/** @internal */
export const hooks = {
  /** Report an agent's hook event, in the agent's own format. The answer is always 200 with a JSON object for the agent. */
  'POST /hook/:agent': route({
    request: () => z.object({ agent: z.string().regex(/^[a-z-]{1,40}$/) }),
    raw: true,
    hookToken: true,
  }).returns<Record<string, unknown>>(),
}
