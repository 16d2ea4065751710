import { RESTORABLE_DAYS } from '../../core/memory.ts'
import { memoryId } from '../../core/memory-kinds.ts'
import type { ForgetLine, ForgetReport, forget, RestorableItem } from '../../wire/contract/forget.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import { eraseProgress } from '../erase.ts'
import { type DeletionPlan, type DeletionRequest, hide, planDeletion, previewOf, unitItem } from '../forget.ts'
import { parseRequestTime, resolveProject } from '../request-params.ts'
import { restore } from '../restore.ts'
import type { Handlers } from '../router.ts'
import { BadRequest, Conflict } from '../server.ts'
import type { Services } from '../services.ts'
import { withFailure } from './lines.ts'

export const handlers = {
  'POST /api/forget/preview': async (services, request) => {
    const wanted = deletionRequest(request)
    return previewOf(services, await planDeletion(services, wanted), wanted.hard)
  },
  'POST /api/forget': async (services, { fingerprint, ...request }) => {
    const wanted = deletionRequest(request)
    const plan = await planDeletion(services, wanted)
    const { fingerprint: now, ...preview } = await previewOf(services, plan, wanted.hard)
    if (fingerprint !== undefined && fingerprint !== now)
      throw new Conflict('something else would be deleted by now; look at the preview again. Nothing was deleted.')
    return withFailure(services, 'a deletion failed', deletionLines(services, plan, preview))
  },
  'POST /api/restore': (services, { ids }) => restore(services, ids, Date.now()),
  'GET /api/forgotten': listForgotten,
} satisfies Handlers<typeof forget>

function deletionRequest(request: ParsedRequest<typeof forget, 'POST /api/forget/preview'>): DeletionRequest {
  const { ids, since, before, ...rest } = request
  if (ids && Object.entries({ ...rest, since, before }).some(([name, value]) => name !== 'hard' && value !== undefined))
    throw new BadRequest('pass either ids or filters (session, query, since, before, project), not both. Nothing was deleted.')
  return { ...rest, ids, since: parseRequestTime(since), before: parseRequestTime(before) }
}

/** Deletes and waits until it is done. For routes about one kind of memory. */
export async function deleteNow(services: Services, request: DeletionRequest): Promise<void> {
  const plan = await planDeletion(services, request)
  const { fingerprint: _, ...preview } = await previewOf(services, plan, request.hard)
  for await (const line of deletionLines(services, plan, preview)) if (line.kind === 'failed') throw new Error(line.error)
}

const DAY_MS = 24 * 60 * 60_000

/** Carries a deletion out. The audit entry says how much was deleted, but nothing about what it was. */
async function* deletionLines(
  services: Services,
  plan: DeletionPlan,
  preview: Omit<ForgetReport, 'restorableUntil'>,
): AsyncGenerator<ForgetLine> {
  const now = Date.now()
  const { hard, counts } = preview
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  if (total > 0) {
    if (hard) yield* waitForErase(services, await queueErase(services, plan, counts, now))
    else {
      await recordDeletion(services, 'forget', counts, now)
      await hide(services, plan, false, now)
    }
  }
  yield { kind: 'done', report: { ...preview, restorableUntil: hard ? null : now + RESTORABLE_DAYS * DAY_MS } }
}

/** Queues a hard deletion, which continues even if this worker dies. Returns the number of the job. */
export async function queueErase(services: Services, plan: DeletionPlan, counts: ForgetReport['counts'], now: number): Promise<number> {
  const { store } = services
  const id = await store.transaction(async () => {
    await store.audit.add({ at: now, action: 'erase', subject: subjectOf(counts), details: { ...counts } })
    return store.jobs.add('erase', String(now), { at: now, ...plan }, now)
  })
  services.queue.kick()
  return id
}

const recordDeletion = ({ store }: Services, action: string, counts: ForgetReport['counts'], at: number) =>
  store.transaction(() => store.audit.add({ at, action, subject: subjectOf(counts), details: { ...counts } }))

const subjectOf = (counts: ForgetReport['counts']) =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ')

async function* waitForErase(services: Services, jobId: number): AsyncGenerator<ForgetLine> {
  let last = ''
  for (;;) {
    const state = await services.store.jobs.state(jobId)
    if (state === null) return
    if (state.error !== null) throw new Error(`${state.error} (the memories are hidden; the worker tries again to erase them)`)
    const progress = eraseProgress(jobId) ?? { done: 0, of: 1, what: 'waiting for other work' }
    if (JSON.stringify(progress) !== last) yield { kind: 'progress', ...progress }
    last = JSON.stringify(progress)
    await Bun.sleep(50)
  }
}

async function listForgotten(services: Services, request: ParsedRequest<typeof forget, 'GET /api/forgotten'>): Promise<RestorableItem[]> {
  const { store, settings } = services
  const project = await resolveProject(services, request.project)
  const until = (at: number, days: number) => (days > 0 ? at + days * DAY_MS : null)
  const units = (await (await store.deletions()).units(project, request.limit)).map((unit) => {
    const { because: _, ...item } = unitItem(unit, 'chosen')
    return { ...item, forgottenAt: unit.at, restorableUntil: until(unit.at, RESTORABLE_DAYS) }
  })
  const notes = await store.notes.list({ project, hidden: true, now: Date.now(), limit: 10_000 })
  const hidden = notes.flatMap(({ id, title, project, createdAt, deletedAt }) =>
    deletedAt === null
      ? []
      : [
          {
            kind: 'note' as const,
            id: memoryId('note', id),
            title,
            project,
            at: createdAt,
            forgottenAt: deletedAt,
            restorableUntil: until(deletedAt, settings.retention.deleted_notes_days),
          },
        ],
  )
  return [...units, ...hidden].sort((a, b) => b.forgottenAt - a.forgottenAt).slice(0, request.limit)
}
