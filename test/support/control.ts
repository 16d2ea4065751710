import type { Control } from '../../src/worker/router.ts'

/** Stands in for the process around the routes, for tests that have none. */
export const aControl = (given: Partial<Control> = {}): Control => ({
  port: () => 0,
  startedAt: 0,
  unstoredEvents: () => 0,
  reportEvent: () => {},
  stop: () => {},
  mcp: async () => new Response(null, { status: 503 }),
  ...given,
})
