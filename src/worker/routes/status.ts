import { VERSION } from '../../platform/version.ts'
import { checkDatabase } from '../../store/store.ts'
import type { status } from '../../wire/contract/status.ts'
import type { Handlers } from '../router.ts'

export const handlers = {
  'GET /health': () => ({ ok: true as const, version: VERSION, pid: process.pid }),
  'GET /api/status': async (services, _, { control }) => {
    const { workerStatus } = await import('../status.ts')
    return workerStatus(services, control)
  },
  'GET /api/check': async ({ store }) => {
    // The check opens its own connection, and between two transactions there is no writer.
    return { damage: await store.transaction(async () => checkDatabase(store.path)) }
  },
  'POST /api/shutdown': (_, __, { control }) => {
    // The answer has to leave first.
    setTimeout(control.stop, 10)
    return { status: 'stopping' as const }
  },
  'GET /stream': (services, _, { request }) => {
    const events = services.stream.listen(request.headers.get('last-event-id'))
    const headers = { 'content-type': 'text/event-stream', 'cache-control': 'no-store' }
    return new Response(events.pipeThrough(new TextEncoderStream()), { headers })
  },
} satisfies Handlers<typeof status>
