import { askedAbout, type Teller, type TellJob, tellTurn } from '../capture/turns.ts'
import type { ProjectKey } from '../core/ids.ts'
import { priceOf, readPrices, usdFor } from '../platform/prices.ts'
import type { RedistillLine, RedistillReport } from '../wire/api.ts'
import type { Desk } from './desk.ts'
import { BadRequest } from './server.ts'
import { tellerOf } from './telling.ts'

export type RedistillWish = { since: number; project: ProjectKey | null; apply: boolean }

const TRIES = 3
const LONGEST_WAIT_MS = 60_000

/** Has the model tell what plain rules told while it was away. Without `apply` it only counts what that would be, and what it would cost. */
export async function* redistill(desk: Desk, wish: RedistillWish): AsyncGenerator<RedistillLine> {
  await desk.modelOpened
  // Nobody remembers in which conversation these turns were told, so each begins one.
  const teller = tellerOf(desk, new Map())
  if (typeof teller === 'string') throw new BadRequest(`there is no model to ask: ${teller}`)
  const turns = await desk.store.told.byPlain(wish.since, wish.project)
  const report: RedistillReport = {
    applied: wish.apply,
    model: teller.model.name,
    turns: 0,
    left: 0,
    failed: 0,
    inputTokens: 0,
    usd: 0,
    replaced: 0,
    added: 0,
    said: [],
  }
  const price = priceOf(readPrices(desk.home.folder), teller.model.name)
  for (const [done, { sessionId, number }] of turns.entries()) {
    desk.stopping.throwIfAborted()
    yield { kind: 'progress', done, of: turns.length, what: wish.apply ? 'turns told' : 'turns looked at' }
    const job: TellJob = { sessionId, number, anew: true }
    if (!wish.apply) {
      const asked = await askedAbout(desk.store, teller, job)
      if (!asked) report.left++
      else {
        report.turns++
        report.inputTokens += asked.input
        report.usd =
          price && report.usd !== null ? report.usd + usdFor(price, { input: asked.input, output: asked.output, cached: 0 }) : null
      }
      continue
    }
    const stopped = await tellAgain(desk, teller, job, report)
    if (stopped) {
      report.said.push(`stopped: ${stopped}. Run it again to go on with the other ${turns.length - done}.`)
      break
    }
  }
  yield { kind: 'done', report }
}

/** Returns why it is of no use to go on, or null. */
async function tellAgain(desk: Desk, teller: Teller, job: TellJob, report: RedistillReport): Promise<string | null> {
  for (let tries = 1; ; tries++) {
    const told = await desk.inHand(job, () => tellOnce(desk, teller, job))
    if (told.kind === 'left') {
      report.left++
      return null
    }
    if (told.kind === 'told') {
      const { changes } = told
      desk.announce(changes)
      report.turns++
      report.replaced += changes.filter((change) => change.kind === 'observation-removed').length
      report.added += changes.filter((change) => change.kind === 'observation-added').length
      return null
    }
    if (told.reason === 'auth' || told.reason === 'quota') return told.message
    if (tries === TRIES) {
      report.failed++
      return told.reason === 'bad-answer' ? null : told.message
    }
    await Bun.sleep(Math.min(told.retryAfterMs ?? 1000, LONGEST_WAIT_MS))
  }
}

async function tellOnce(desk: Desk, teller: Teller, job: TellJob) {
  const told = await tellTurn(desk.store, teller, job, desk.stopping)
  if (told.kind !== 'told') return told
  return { kind: told.kind, changes: await desk.store.transaction(() => told.write(Date.now())) }
}
