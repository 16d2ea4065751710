import { type EventContext, NotUnderstood } from '../../core/event.ts'
import { isJsonDeeperThan } from '../../core/json-depth.ts'
import { headFields } from '../../core/payload-head.ts'
import { agentNamed } from '../../integrations/agent.ts'
import { connectedAgents } from '../../platform/installs.ts'
import { isStoreFailure } from '../../store/store.ts'
import { unmarkLate } from '../../wire/absent-worker.ts'
import type { hooks } from '../../wire/contract/hooks.ts'
import { ingestDelivery } from '../intake.ts'
import type { Handlers, RequestContext } from '../router.ts'
import type { Services } from '../services.ts'

export const handlers = { 'POST /hook/:agent': receiveHook } satisfies Handlers<typeof hooks>

/** Parsing deeper JSON would block the worker for everyone, and no agent sends it. */
const MAX_JSON_DEPTH = 1000

/**
 * Always answers 200 with an object, because a person could do nothing about an error of a hook. Scripts that send `x-recollect-strict` get the
 * real status, and so does a hook process whose event could not be stored: it spools the event.
 */
async function receiveHook(
  services: Services,
  { agent: name }: { agent: string },
  { request, control }: RequestContext,
): Promise<Response> {
  const failed = (status: number) => Response.json({}, request.headers.has('x-recollect-strict') ? { status } : {})
  const bytes = await request.bytes()
  if (!services.settings.hooks.enabled) {
    const { rememberOffSession } = await import('../../platform/off-sessions.ts')
    rememberOffSession(services.home, headFields(bytes).session_id ?? '')
    return Response.json({})
  }
  try {
    const named = await agentNamed(name, services.agents)
    if (!named) throw new NotUnderstood('an agent that this version does not serve')
    if (isJsonDeeperThan(bytes, MAX_JSON_DEPTH)) {
      const { queueTranscriptRead } = await import('../spool.ts')
      if (!(await queueTranscriptRead(services, named, headFields(bytes))))
        throw new NotUnderstood('nested too deep, and it names no transcript')
      services.log.warn('a payload was nested too deep; its transcript is read instead', { bytes: bytes.length })
      return Response.json({})
    }
    const { at, until } = hookWait(request.headers.get('x-recollect-wait'), Date.now())
    const payload = parseJson(bytes)
    const sender = named.sentBy?.(payload) ?? named.name
    // That agent has hooks of its own, which report the same event.
    if (sender !== named.name && connectedAgents(services.home).includes(sender)) return Response.json({})
    const delivery = {
      agent: await services.agents[sender](),
      payload,
      event: eventHeader(request.headers.get('x-recollect-event')),
      context: eventContext(request.headers.get('x-recollect-context')),
      delivery: request.headers.get('x-recollect-delivery')?.slice(0, 100) ?? null,
      at,
    }
    const isAwaited = () => until === null || Date.now() < until
    const reply = await ingestDelivery(services, delivery, isAwaited)
    control.reportEvent(true)
    // The hook is gone and has told the next ones not to wait.
    if (!isAwaited()) unmarkLate(services.home)
    return Response.json(reply)
  } catch (cause) {
    if (cause instanceof NotUnderstood) {
      const { recordNotUnderstood } = await import('../not-understood.ts')
      await recordNotUnderstood(services, cause.message, { bytes: bytes.length, way: 'hook' })
      return failed(400)
    }
    if (isStoreFailure(cause)) control.reportEvent(false)
    services.log.warn('an event could not be stored', { error: (cause as Error).message.slice(0, 300) })
    if (!isStoreFailure(cause)) return failed(400)
    return request.headers.has('x-recollect-delivery') ? Response.json({}, { status: 503 }) : failed(503)
  }
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    // The parser's message would quote the payload, which must not be logged.
    throw new NotUnderstood('not JSON')
  }
}

/** The event that the hook's command line names. Unlike a payload, a header is plain ASCII, so it comes encoded. */
function eventHeader(header: string | null): string | null {
  try {
    return header === null ? null : decodeURIComponent(header)
  } catch {
    return null
  }
}

const HOUR_MS = 3_600_000

/**
 * When the hook sent the event and until when it waits for the answer. If the worker was asleep or busy, the hook may be long gone when the
 * request is read. A script that calls the route itself may send no such header.
 */
function hookWait(header: string | null, now: number): { at: number; until: number | null } {
  const [at, until] = (header?.match(/^(\d{13}) (\d{13})$/) ?? []).slice(1).map(Number)
  return at !== undefined && until !== undefined && at <= now && now - at < HOUR_MS ? { at, until } : { at: now, until: null }
}

const MAX_CONTEXT_CHARS = 16_384

function eventContext(header: string | null): EventContext {
  const unknown: EventContext = { projectFolder: null, clientPid: null, entrypoint: null, workingFolder: null }
  if (!header || header.length > MAX_CONTEXT_CHARS) return unknown
  try {
    const sent: unknown = JSON.parse(decodeURIComponent(header))
    if (typeof sent !== 'object' || sent === null) return unknown
    const { projectFolder, clientPid, entrypoint, workingFolder } = { ...unknown, ...sent }
    return {
      projectFolder: typeof projectFolder === 'string' ? projectFolder : null,
      clientPid: typeof clientPid === 'number' && Number.isInteger(clientPid) && clientPid > 1 ? clientPid : null,
      entrypoint: typeof entrypoint === 'string' ? entrypoint : null,
      workingFolder: typeof workingFolder === 'string' ? workingFolder : null,
    }
  } catch {
    return unknown
  }
}
