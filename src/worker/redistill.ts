import { distillTurnWithModel, estimateModelTokens, type ModelDistiller, type ModelDistillJob } from '../capture/turns.ts'
import type { ProjectKey } from '../core/ids.ts'
import { costInUsd, findPrice, readPrices } from '../platform/prices.ts'
import type { RedistillLine, RedistillReport } from '../wire/api.ts'
import { distillerOf } from './background-distiller.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

export type RedistillRunOptions = { since: number; project: ProjectKey | null; apply: boolean }

const MAX_ATTEMPTS_PER_TURN = 3
const MAX_RETRY_WAIT_MS = 60_000

/** Has the model tell what plain rules told while it was away. Without `apply` it only counts what that would be, and what it would cost. */
export async function* redistill(desk: Services, wish: RedistillRunOptions): AsyncGenerator<RedistillLine> {
  await desk.modelOpened
  // Nobody remembers in which conversation these turns were told, so each begins one.
  const teller = distillerOf(desk, new Map())
  if (typeof teller === 'string') throw new BadRequest(`there is no model to ask: ${teller}`)
  const turns = await desk.store.distilledTurns.notDistilledByModel(wish.since, wish.project)
  const report: RedistillReport = {
    applied: wish.apply,
    model: teller.model.name,
    turns: 0,
    skipped: 0,
    failed: 0,
    inputTokens: 0,
    usd: 0,
    replaced: 0,
    added: 0,
    messages: [],
  }
  const price = findPrice(readPrices(desk.home.folder), teller.model.name)
  for (const [done, { sessionId, number }] of turns.entries()) {
    desk.stopSignal.throwIfAborted()
    yield { kind: 'progress', done, of: turns.length, what: wish.apply ? 'turns told' : 'turns looked at' }
    const job: ModelDistillJob = { sessionId, number, anew: true }
    if (!wish.apply) {
      const asked = await estimateModelTokens(desk.store, teller, job)
      if (!asked) report.skipped++
      else {
        report.turns++
        report.inputTokens += asked.input
        report.usd =
          price && report.usd !== null ? report.usd + costInUsd(price, { input: asked.input, output: asked.output, cached: 0 }) : null
      }
      continue
    }
    const stopped = await redistillOne(desk, teller, job, report)
    if (stopped) {
      report.messages.push(`stopped: ${stopped}. Run it again to go on with the other ${turns.length - done}.`)
      break
    }
  }
  yield { kind: 'done', report }
}

/** Returns why it is of no use to go on, or null. */
async function redistillOne(desk: Services, teller: ModelDistiller, job: ModelDistillJob, report: RedistillReport): Promise<string | null> {
  for (let tries = 1; ; tries++) {
    const told = await desk.withTurnLock(job, () => distillOnce(desk, teller, job))
    if (told.kind === 'left') {
      report.skipped++
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
    if (tries === MAX_ATTEMPTS_PER_TURN) {
      report.failed++
      return told.reason === 'bad-answer' ? null : told.message
    }
    await Bun.sleep(Math.min(told.retryAfterMs ?? 1000, MAX_RETRY_WAIT_MS))
  }
}

async function distillOnce(desk: Services, teller: ModelDistiller, job: ModelDistillJob) {
  const told = await distillTurnWithModel(desk.store, teller, job, desk.stopSignal)
  if (told.kind !== 'told') return told
  return { kind: told.kind, changes: await desk.store.transaction(() => told.write(Date.now())) }
}
