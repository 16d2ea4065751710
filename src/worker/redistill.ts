import { distillTurnWithModel, estimateModelTokens, type ModelDistiller, type ModelDistillJob } from '../capture/turns.ts'
import type { ProjectKey } from '../core/ids.ts'
import { costInUsd, findPrice, readPrices } from '../platform/prices.ts'
import type { RedistillLine, RedistillReport } from '../wire/contract/upkeep.ts'
import { distillerOf } from './background-distiller.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

export type RedistillRunOptions = { since: number; project: ProjectKey | null; apply: boolean }

const MAX_ATTEMPTS_PER_TURN = 3
const MAX_RETRY_WAIT_MS = 60_000

/** Asks the model to distill turns that only the rules have distilled. Without `apply` it only counts the turns and estimates the cost. */
export async function* redistill(services: Services, options: RedistillRunOptions): AsyncGenerator<RedistillLine> {
  await services.modelOpened
  // The model's earlier conversations are not known any more, so each turn starts a new one.
  const distiller = distillerOf(services, new Map())
  if (typeof distiller === 'string') {
    const next = services.settings.model.provider === 'plain' ? '; choose one, for example: recollect config set model.provider claude' : ''
    throw new BadRequest(`no model can be asked: ${distiller}${next}`)
  }
  const turns = await services.store.distilledTurns.notDistilledByModel(options.since, options.project)
  const report: RedistillReport = {
    applied: options.apply,
    model: distiller.model.name,
    turns: 0,
    skipped: 0,
    failed: 0,
    inputTokens: 0,
    usd: 0,
    replaced: 0,
    added: 0,
    messages: [],
  }
  const price = findPrice(readPrices(services.home.folder), distiller.model.name)
  for (const [done, { sessionId, number }] of turns.entries()) {
    services.stopSignal.throwIfAborted()
    yield { kind: 'progress', done, of: turns.length, what: options.apply ? 'turns distilled' : 'turns counted' }
    const job: ModelDistillJob = { sessionId, number, force: true }
    if (!options.apply) {
      const tokens = await estimateModelTokens(services.store, distiller, job)
      if (!tokens) report.skipped++
      else {
        report.turns++
        report.inputTokens += tokens.input
        report.usd = price && report.usd !== null ? report.usd + costInUsd(price, { ...tokens, cached: 0 }) : null
      }
      continue
    }
    const stopReason = await redistillOne(services, distiller, job, report)
    if (stopReason) {
      report.messages.push(`stopped: ${stopReason}. Run the command again to continue (${turns.length - done} turns left).`)
      break
    }
  }
  yield { kind: 'done', report }
}

/** Returns a reason to stop with all turns, or null to continue. */
async function redistillOne(
  services: Services,
  distiller: ModelDistiller,
  job: ModelDistillJob,
  report: RedistillReport,
): Promise<string | null> {
  for (let tries = 1; ; tries++) {
    const outcome = await services.withTurnLock(job, () => distillOnce(services, distiller, job))
    if (outcome.kind === 'not-asked') {
      report.skipped++
      return null
    }
    if (outcome.kind === 'distilled') {
      const { changes } = outcome
      services.announce(changes)
      report.turns++
      report.replaced += changes.filter((change) => change.kind === 'observation-removed').length
      report.added += changes.filter((change) => change.kind === 'observation-added').length
      return null
    }
    if (outcome.reason === 'auth' || outcome.reason === 'quota') return outcome.message
    if (tries === MAX_ATTEMPTS_PER_TURN) {
      report.failed++
      return outcome.reason === 'bad-answer' ? null : outcome.message
    }
    await Bun.sleep(Math.min(outcome.retryAfterMs ?? 1000, MAX_RETRY_WAIT_MS))
  }
}

async function distillOnce(services: Services, distiller: ModelDistiller, job: ModelDistillJob) {
  const outcome = await distillTurnWithModel(services.store, distiller, job, services.stopSignal)
  if (outcome.kind !== 'distilled') return outcome
  return { kind: outcome.kind, changes: await services.store.transaction(() => outcome.write(Date.now())) }
}
