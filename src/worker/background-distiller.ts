import { join } from 'node:path'
import {
  distillTurnWithModel,
  type Mode,
  type ModelDistiller,
  type ModelDistillJob,
  queueModelDistill,
  readMode,
} from '../capture/turns.ts'
import type { MemorySessionId } from '../core/ids.ts'
import type { Job, TurnRef } from '../core/job.ts'
import { readIfThere } from '../platform/files.ts'
import type { Home } from '../platform/paths.ts'
import type { StartSettings } from '../platform/settings.ts'
import { shippedFilesFolder } from '../platform/shipped-files.ts'
import type { FailureReason } from '../providers/text.ts'
import { queueAnchoring } from './automatic-jobs.ts'
import { readActionWith, type Services } from './services.ts'

export type BackgroundDistiller = { start(job: Job<'model-distill'>): void; stop(): Promise<void> }

/** How often to try after each kind of failure. Afterwards the rule-based memories stay, and `recollect redistill` can ask again. */
const MAX_ATTEMPTS: Record<FailureReason, number> = { auth: 1, quota: 1, 'bad-answer': 2, rate: 6, network: 6 }
const FIRST_RETRY_WAIT_MS = 15_000
const MAX_RETRY_WAIT_MS = 15 * 60_000
/** How long a stopping worker waits for a model. The next worker repeats a request that was cut off. */
const MAX_STOP_WAIT_MS = 500

/** How long to wait after the n-th attempt: longer each time, and at least as long as the model asked for. */
export function retryWaitMs(attempts: number, requestedMs: number | null): number {
  return Math.max(requestedMs ?? 0, Math.min(MAX_RETRY_WAIT_MS, FIRST_RETRY_WAIT_MS * 2 ** Math.max(0, attempts - 1)))
}

/** Queues a turn for the model if the settings name one. Call inside the transaction that distilled the turn by rules. */
export async function queueDistillingByModel(services: Services, turn: TurnRef, now: number): Promise<void> {
  if (services.settings.model.provider !== 'plain') await queueModelDistill(services.store, turn, now)
}

/** Distills turns with the model, one at a time and beside the queue, so a slow model does not delay other jobs. */
export function openBackgroundDistiller(services: Services, afterChanges: () => Promise<unknown>): BackgroundDistiller {
  let running: Promise<void> = Promise.resolve()
  const seen = new Map<number, MemorySessionId>()

  const run = async (job: Job<'model-distill'>) => {
    if (services.stopSignal.aborted) return // the job stays in the queue
    const outcome = await distillOne(services, seen, job.payload)
    if (outcome.kind === 'failed' && job.attempts < MAX_ATTEMPTS[outcome.reason]) {
      const runAfter = Date.now() + retryWaitMs(job.attempts, outcome.retryAfterMs)
      await services.store.transaction(() => services.store.jobs.retry(job.id, runAfter, outcome.message.slice(0, 300)))
      services.queue.kick()
      return
    }
    const changes = await services.store.transaction(async () => {
      const changes = outcome.kind === 'distilled' ? await outcome.write(Date.now()) : []
      await services.store.jobs.complete(job.id)
      return changes
    })
    services.announce(changes)
    if (outcome.kind === 'failed')
      services.log.warn('the model could not distill a turn; its rule-based memories stay', {
        reason: outcome.reason,
        message: outcome.message,
      })
    else services.log.info('model distilled a turn', { key: job.key, outcome: outcome.kind, changes: changes.length })
    if (changes.length === 0) return
    await services.store.transaction(() => queueAnchoring(services.store, job.payload, Date.now()))
    await afterChanges()
    services.queue.kick()
  }
  return {
    start: (job) => {
      running = running
        .then(() => services.withTurnLock(job.payload, () => run(job)))
        .catch((cause) => (services.stopSignal.aborted ? undefined : services.queue.takeBack(job, cause)))
    },
    stop: async () => {
      await Promise.race([running, Bun.sleep(MAX_STOP_WAIT_MS)])
    },
  }
}

async function distillOne(services: Services, seen: ModelDistiller['seen'], job: ModelDistillJob) {
  await services.modelOpened
  const distiller = distillerOf(services, seen)
  if (typeof distiller === 'string') return { kind: 'not-asked' as const, reason: distiller }
  return distillTurnWithModel(services.store, distiller, job, services.stopSignal)
}

/** The model with its mode, or the reason why no turn can be distilled by a model. */
export function distillerOf(services: Services, seen: ModelDistiller['seen']): ModelDistiller | string {
  if (services.textModel.kind === 'absent') return services.textModel.reason
  const mode = loadMode(services.home, services.settings)
  if (typeof mode === 'string') return mode
  return {
    model: services.textModel.model,
    mode,
    maxInputRatio: services.settings.model.max_input_ratio,
    clean: services.notebook.clean,
    readAction: readActionWith(services.agents),
    seen,
  }
}

/** The mode that the settings name: the person's own file, else the shipped one; or the reason why neither can be used. */
export function loadMode(home: Home, { model }: StartSettings): Mode | string {
  const name = `${model.mode}.${model.language}.toml`
  const own = join(home.folder, 'modes', name)
  const text = readIfThere(own) ?? readIfThere(join(shippedFilesFolder(), 'assets', 'modes', name))
  if (text === null) return `model.mode: there is no mode ${name}; write one to ${own}`
  const read = readMode(text)
  return read.kind === 'read' ? read.mode : `model.mode: ${own} cannot be used: ${read.reason}`
}
