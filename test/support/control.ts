import type { Control } from '../../src/worker/router.ts'

/** What the routes need from the process around them, for a test that has no such process. */
export const aControl = (given: Partial<Control> = {}): Control => ({
  port: () => 0,
  startedAt: 0,
  unstoredEvents: () => 0,
  reportEvent: () => {},
  stop: () => {},
  mcp: async () => new Response(null, { status: 503 }),
  ...given,
})
