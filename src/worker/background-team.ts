/**
 * The exchange with the team's hub, beside the queue and apart from all requests: a hub that is away, slow or hostile delays sharing and nothing else.
 * Loaded only by homes that joined a team.
 */
import { OWN_KEYS_FILE } from '../core/team.ts'
import { defaultAgent } from '../integrations/agent.ts'
import { exists } from '../platform/files.ts'
import { type ExchangeResult, exchange, type Membership, readMembership, rememberContact, type TeamContext } from '../team/team.ts'
import type { Services } from './services.ts'

export type BackgroundTeam = {
  /** Something changed here: exchange soon. */
  wake(): void
  /** Exchanges now and waits for the end. Null when this home has not joined a team. */
  now(): Promise<ExchangeResult | null>
  /** Runs work that must not overlap with an exchange. */
  alone<T>(work: (context: TeamContext, membership: Membership) => Promise<T>): Promise<T | null>
  /** Opens the hub's stream of wake-ups, if it is not open. */
  listen(): void
  stop(): Promise<void>
}

const REGULAR_PAUSE_MS = 60_000
/** A hub that keeps calling cannot make this machine busy. */
const MIN_PAUSE_MS = 1000
const MAX_BACKOFF_MS = 10 * 60_000
const FIRST_BACKOFF_MS = 2000
/** A stream that says nothing for so long is opened again. */
const MAX_SILENCE_MS = 5 * 60_000
const MAX_STOP_WAIT_MS = 1000

export function openBackgroundTeam(services: Services): BackgroundTeam {
  const stopping = new AbortController()
  const signal = AbortSignal.any([services.stopSignal, stopping.signal])
  let last: Promise<unknown> = Promise.resolve()
  let timer: ReturnType<typeof setTimeout> | undefined
  let dueAt = Number.POSITIVE_INFINITY
  let failures = 0
  let notBefore = 0
  let isListening = false

  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
  const exchangeOnce = async (): Promise<ExchangeResult | null> => {
    const membership = readMembership(services.home)
    if (!membership) return null
    const started = Date.now()
    notBefore = started + MIN_PAUSE_MS
    const result = await exchangeAll(services, contextOf(services, membership, signal)).catch((cause): ExchangeResult => {
      if (!signal.aborted) services.log.warn('an exchange with the hub failed', { error: String((cause as Error).message).slice(0, 300) })
      return { kind: 'unreachable', reason: String((cause as Error).message).slice(0, 300) }
    })
    if (signal.aborted) return result
    failures = result.kind === 'exchanged' ? 0 : failures + 1
    notBefore = Math.max(notBefore, Date.now() + (failures > 0 ? backoffMs(failures) : 0))
    const problem = result.kind === 'exchanged' ? null : result.reason
    await rememberContact(services.store, problem, Date.now())
    if (failures <= 1) services.log.info('exchanged with the hub', { kind: result.kind, ms: Date.now() - started })
    return result
  }
  const schedule = (at: number) => {
    const when = Math.max(at, notBefore)
    if (signal.aborted || when >= dueAt) return
    clearTimeout(timer)
    dueAt = when
    timer = setTimeout(
      () => {
        dueAt = Number.POSITIVE_INFINITY
        void inTurn(exchangeOnce)
          .catch((cause) =>
            services.log.warn('the state of the team could not be stored', { error: String((cause as Error).message).slice(0, 300) }),
          )
          .finally(() => schedule(Date.now() + REGULAR_PAUSE_MS))
      },
      Math.max(0, when - Date.now()),
    )
  }
  const team: BackgroundTeam = {
    wake: () => schedule(Date.now() + 200),
    now: async () => {
      failures = 0
      return inTurn(exchangeOnce)
    },
    alone: (work) =>
      inTurn(async () => {
        const membership = readMembership(services.home)
        return membership ? work(contextOf(services, membership, signal), membership) : null
      }),
    listen: () => {
      if (isListening) return
      isListening = true
      void listen(services, signal, team.wake).finally(() => {
        isListening = false
      })
    },
    stop: async () => {
      stopping.abort(new Error('the exchange with the hub is stopping'))
      clearTimeout(timer)
      await Promise.race([last, Bun.sleep(MAX_STOP_WAIT_MS)])
    },
  }
  schedule(Date.now())
  team.listen()
  return team
}

/** Shared memories first, then the person's own. */
async function exchangeAll(services: Services, context: TeamContext): Promise<ExchangeResult> {
  const result = await exchange(context)
  if (result.kind !== 'exchanged' || !exists(`${services.home.folder}/${OWN_KEYS_FILE}`)) return result
  const { exchangeOwn } = await import('./own-machines.ts')
  await exchangeOwn(services, context)
  return result
}

const backoffMs = (failures: number) =>
  Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(20, failures - 1)) * (0.75 + Math.random() / 2)

function contextOf(services: Services, membership: Membership, signal: AbortSignal): TeamContext {
  return {
    book: services.notebook,
    hub: { url: membership.url, token: membership.token, id: membership.hub },
    member: membership.member,
    signal,
    isExcluded: (project) => services.rules(defaultAgent).isExcludedProject(project, ''),
    now: Date.now,
    announce: services.announce,
  }
}

/** Listens to the hub's wake-ups. What they say does not matter: an exchange asks for what is new. */
async function listen(services: Services, signal: AbortSignal, wake: () => void): Promise<void> {
  for (let failures = 0; !signal.aborted; ) {
    const membership = readMembership(services.home)
    if (!membership) return
    const silence = new AbortController()
    let timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS)
    try {
      const response = await fetch(`${membership.url}/v1/stream`, {
        redirect: 'error',
        headers: { accept: 'text/event-stream', authorization: `Bearer ${membership.token}` },
        signal: AbortSignal.any([signal, silence.signal]),
      })
      if (!response.ok || !response.body) throw new Error(`status ${response.status}`)
      // Catch up with changes from before the stream was open.
      wake()
      for await (const chunk of response.body) {
        failures = 0
        clearTimeout(timer)
        timer = setTimeout(() => silence.abort(), MAX_SILENCE_MS)
        if (Buffer.from(chunk).includes('data:')) wake()
      }
    } catch {
      // The next exchange reports a hub that is away.
    } finally {
      clearTimeout(timer)
    }
    failures++
    await Bun.sleep(Math.min(backoffMs(failures), signal.aborted ? 0 : MAX_BACKOFF_MS))
  }
}
