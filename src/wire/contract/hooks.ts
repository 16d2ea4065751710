import { z } from 'zod'
import { route } from './route.ts'

/** @internal */
export const hooks = {
  /** Report an event of an agent's hook. The body is the hook's payload. Only the Unix socket has this route; it answers with a JSON object for the agent. */
  'POST /hook/:agent': route({
    request: () => z.looseObject({ agent: z.string().regex(/^[a-z-]{1,40}$/) }),
    raw: true,
    socketOnly: true,
  }).returns<Record<string, unknown>>(),
}
