import { join } from 'node:path'
import type { DistillJob } from '../capture/capture.ts'
import {
  distillTurnWithModel,
  type Mode,
  type ModelDistiller,
  type ModelDistillJob,
  queueModelDistill,
  readMode,
} from '../capture/turns.ts'
import type { MemorySessionId } from '../core/ids.ts'
import { claudeCode } from '../integrations/agent.ts'
import { readIfThere } from '../platform/files.ts'
import type { Home } from '../platform/paths.ts'
import type { StartSettings } from '../platform/settings.ts'
import { shippedFilesFolder } from '../platform/shipped-files.ts'
import type { FailureReason } from '../providers/text.ts'
import type { Job } from '../store/store.ts'
import type { Services } from './services.ts'

export type BackgroundDistiller = { start(job: Job): void; stop(): Promise<void> }

/** How often each kind of trouble is worth another try. What stays told by plain rules, `recollect redistill` finds. */
const MAX_ATTEMPTS: Record<FailureReason, number> = { auth: 1, quota: 1, 'bad-answer': 2, rate: 6, network: 6 }
const FIRST_RETRY_WAIT_MS = 15_000
const MAX_RETRY_WAIT_MS = 15 * 60_000
/** How long a worker that leaves waits for a model. What it breaks off, the next one asks again. */
const MAX_STOP_WAIT_MS = 500

/** How long to wait after the n-th try: a model that is busy is not pestered. */
export function retryWaitMs(attempts: number, asked: number | null): number {
  return Math.max(asked ?? 0, Math.min(MAX_RETRY_WAIT_MS, FIRST_RETRY_WAIT_MS * 2 ** Math.max(0, attempts - 1)))
}

/** Asks for a model to tell a turn, when there is one to ask. Inside the transaction that told it plainly. */
export async function queueDistillingByModel(desk: Services, job: DistillJob, now: number): Promise<void> {
  if (desk.settings.model.provider !== 'plain') await queueModelDistill(desk.store, job, now)
}

/** Has models tell turns, one after the other and beside the other jobs: a slow model must not keep the rest waiting. */
export function openBackgroundDistiller(desk: Services, afterwards: () => Promise<unknown>): BackgroundDistiller {
  let running: Promise<void> = Promise.resolve()
  const seen = new Map<number, MemorySessionId>()

  const run = async (job: Job) => {
    if (desk.stopSignal.aborted) return // it is still on the list
    const outcome = await distillOne(desk, seen, job.payload as ModelDistillJob)
    if (outcome.kind === 'failed' && job.attempts < MAX_ATTEMPTS[outcome.reason]) {
      const runAfter = Date.now() + retryWaitMs(job.attempts, outcome.retryAfterMs)
      await desk.store.transaction(() => desk.store.jobs.retry(job.id, runAfter, outcome.message.slice(0, 300)))
      desk.queue.kick()
      return
    }
    const changes = await desk.store.transaction(async () => {
      const changes = outcome.kind === 'distilled' ? await outcome.write(Date.now()) : []
      await desk.store.jobs.complete(job.id)
      return changes
    })
    desk.announce(changes)
    if (outcome.kind === 'failed')
      desk.log.warn('a turn stays as plain rules told it', { reason: outcome.reason, message: outcome.message })
    else desk.log.info('a model told a turn', { key: job.key, outcome: outcome.kind, changes: changes.length })
    if (changes.length === 0) return
    await afterwards()
    desk.queue.kick()
  }
  return {
    start: (job) => {
      running = running
        .then(() => desk.withTurnLock(job.payload as ModelDistillJob, () => run(job)))
        .catch((cause) => (desk.stopSignal.aborted ? undefined : desk.queue.takeBack(job, cause)))
    },
    stop: async () => {
      await Promise.race([running, Bun.sleep(MAX_STOP_WAIT_MS)])
    },
  }
}

async function distillOne(desk: Services, seen: ModelDistiller['seen'], job: ModelDistillJob) {
  await desk.modelOpened
  const teller = distillerOf(desk, seen)
  if (typeof teller === 'string') return { kind: 'not-asked' as const, reason: teller }
  return distillTurnWithModel(desk.store, teller, job, desk.stopSignal)
}

/** What telling needs, or why nothing can be told. */
export function distillerOf(desk: Services, seen: ModelDistiller['seen']): ModelDistiller | string {
  if (desk.textModel.kind === 'absent') return desk.textModel.reason
  const mode = loadMode(desk.home, desk.settings)
  if (typeof mode === 'string') return mode
  return {
    model: desk.textModel.model,
    mode,
    maxInputRatio: desk.settings.model.max_input_ratio,
    clean: desk.notebook.clean,
    readAction: claudeCode.readAction,
    seen,
  }
}

/** The mode of the settings: the person's own file, else the one that comes along; or why neither can be used. */
export function loadMode(home: Home, { model }: StartSettings): Mode | string {
  const name = `${model.mode}.${model.language}.toml`
  const own = join(home.folder, 'modes', name)
  const text = readIfThere(own) ?? readIfThere(join(shippedFilesFolder(), 'assets', 'modes', name))
  if (text === null) return `model.mode: there is no mode ${name}; write one to ${own}`
  const read = readMode(text)
  return read.kind === 'read' ? read.mode : `model.mode: ${own} cannot be used: ${read.reason}`
}
