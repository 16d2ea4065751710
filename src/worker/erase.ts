/**
 * Hard deletion: after it, no byte of what was deleted is left in the home. It is a job, so that one that is interrupted continues with the next
 * worker; every step may run twice.
 */
import type { Job } from '../core/job.ts'
import { asNoteId } from '../core/note.ts'
import { readIfThere } from '../platform/files.ts'
import { filesBelow, freeBytes, removeFile } from '../platform/folder.ts'
import { listSetAside } from '../store/store.ts'
import { queueSync } from './automatic-jobs.ts'
import { syncSettings } from './background-sync.ts'
import { hide, unitsOf } from './forget.ts'
import type { Services } from './services.ts'
import { drainSpool } from './spool.ts'

export type EraseProgress = { done: number; of: number; what: string }

const running = new Map<number, EraseProgress>()

/** How far the erase job with this id is; null while it waits. */
export const eraseProgress = (jobId: number): EraseProgress | null => running.get(jobId) ?? null

const PAGES_PER_MERGE = 64

export async function runEraseJob(services: Services, job: Job<'erase'>): Promise<void> {
  const { store } = services
  const steps: [what: string, work: () => Promise<unknown>][] = []
  const { at, ...plan } = job.payload
  const units = [...plan.units, ...unitsOf(plan)]
  const deletedNotes = [...plan.notes, ...plan.derivedNotes]
  const notes = [...deletedNotes, ...plan.rewritten.map(({ note }) => note)].map(asNoteId)
  steps.push(['reading what hooks left', () => drainSpool(services)])
  steps.push([
    'removing memories',
    async () => {
      await hide(services, plan, true, at)
      await store.transaction(async () => {
        for (const unit of units) await (await store.deletions()).eraseUnit(unit)
        await (await store.ownMachines()).queueErased(units, notes)
        await (await store.plans()).dropMentioning(deletedNotes)
      })
    },
  ])
  steps.push(['rewriting the text index', () => rewriteIndexes(services)])
  steps.push([
    'rewriting the history of notes',
    async () => {
      const { eraseFromHistory, eraseFromMirrors } = await import('../sync/sync.ts')
      await eraseFromHistory(services.notebook, notes, Date.now())
      await eraseFromMirrors(services.notebook, plan.folders, notes, Date.now())
    },
  ])
  steps.push(['removing other copies', async () => removeOtherCopies(services, units)])
  steps.push(['overwriting the database', () => rewriteDatabase(services)])
  await store.withSecureDelete(async () => {
    for (const [done, [what, work]] of steps.entries()) {
      services.stopSignal.throwIfAborted()
      running.set(job.id, { done, of: steps.length, what })
      const started = performance.now()
      await work()
      services.log.info('erasing', { what, ms: Math.round(performance.now() - started) })
    }
  })
  running.delete(job.id)
  await store.transaction(async () => {
    await store.jobs.complete(job.id)
    await store.audit.add({ at: Date.now(), action: 'erased', subject: `job ${job.id}`, details: {} })
    // The other machines delete the notes with their next sync.
    if (notes.length > 0 && syncSettings(services).remote) await queueSync(store, Date.now(), Date.now())
  })
}

/** In small steps, so that hooks never wait long. */
async function rewriteIndexes({ store, stopSignal }: Services): Promise<void> {
  await store.space.beginRewrite(PAGES_PER_MERGE)
  while (await store.space.merge(PAGES_PER_MERGE)) {
    stopSignal.throwIfAborted()
    await Bun.sleep(0)
  }
}

/** Databases that were set aside cannot be searched reliably, so they go as a whole; of payloads that could not be read, those of the sessions. */
async function removeOtherCopies(services: Services, units: string[]): Promise<void> {
  for (const path of listSetAside(services.home.database)) for (const suffix of ['', '-wal', '-shm']) removeFile(path + suffix)
  const sessions = await services.store.tombstones.sessionsOf(units)
  for (const { path } of filesBelow(services.home.spool, [''])) {
    const isWaiting = path.slice(services.home.spool.length + 1).match(/^[^/]+\.json$/) !== null
    if (!isWaiting && sessions.some((session) => readIfThere(path)?.includes(session))) removeFile(path)
  }
}

/** Only a new file is sure to contain nothing of the old rows. */
async function rewriteDatabase({ store, home }: Services): Promise<void> {
  const { bytes } = store.space.usage()
  const free = freeBytes(home.folder)
  if (free < 2 * bytes)
    throw new Error(
      `the disk is too full to overwrite the database: ${megabytes(2 * bytes)} are needed and ${megabytes(free)} are free. Free some space; the deletion then continues by itself, or with 'recollect restart'.`,
    )
  await store.space.rewrite()
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1024 / 1024)} MB`
