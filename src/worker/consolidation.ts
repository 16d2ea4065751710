import { join } from 'node:path'
import {
  applyPlan,
  type ConsolidationDeps,
  type Plan,
  type PlanGroup,
  planConsolidation,
  planFingerprint,
  planReflection,
  readQuestions,
  refuseHarmfulGroups,
  undoPlan,
} from '../consolidate/consolidate.ts'
import type { ProjectKey } from '../core/ids.ts'
import { reindex } from '../notes/notes.ts'
import { readIfThere } from '../platform/files.ts'
import type { Job, PlanKind } from '../store/store.ts'
import type { ConsolidationLine, ConsolidationReport, PlannedGroup, UndoReport } from '../wire/api.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

export type ConsolidationRunOptions = { apply: boolean; undo: boolean | number; project: ProjectKey | null }

const DAY_MS = 24 * 60 * 60_000
/** At most so many questions to the model by hand, and by itself: the queue waits behind the second. */
const MAX_MODEL_QUESTIONS = { byHand: 20, byItself: 2 }

/** Plans, applies or undoes, and tells how far it is. */
export async function* runConsolidation(desk: Services, kind: PlanKind, wish: ConsolidationRunOptions): AsyncGenerator<ConsolidationLine> {
  if (wish.undo !== false) {
    yield { kind: 'undone', report: await undo(desk, kind, wish.undo === true ? null : wish.undo) }
    return
  }
  const waiting: ConsolidationLine[] = []
  let told = Promise.withResolvers<void>()
  let over = false
  const progress = (done: number, of: number, what: string) => {
    waiting.push({ kind: 'progress', done, of, what })
    told.resolve()
  }
  const working = planOrApply(desk, kind, wish, progress).finally(() => {
    over = true
    told.resolve()
  })
  working.catch(() => {}) // thrown again below, where somebody listens
  while (!over) {
    await told.promise
    told = Promise.withResolvers<void>()
    yield* waiting.splice(0)
  }
  yield { kind: 'done', report: await working }
}

/** What was shown is what is applied. When a note of it has changed since, it is made anew, shown, and not applied. */
async function planOrApply(
  desk: Services,
  kind: PlanKind,
  { apply, project }: ConsolidationRunOptions,
  progress: ConsolidationDeps['progress'],
): Promise<ConsolidationReport> {
  const { store } = desk
  await desk.modelOpened
  const { means, problems } = consolidationDepsOf(desk, progress, MAX_MODEL_QUESTIONS.byHand)
  // A file that somebody has just changed counts, even if nobody has followed it yet.
  desk.announce(await reindex(desk.notebook))
  const now = Date.now()
  const open = apply ? await store.plans.open(kind, project) : null
  const shown = open && now - open.plannedAt < DAY_MS ? (open.content as Plan) : null
  const hasChanged = open !== null && shown !== null && (await planFingerprint(means, shown, now)) !== open.fingerprint
  // Other notes may have come since: whether they are found as before is asked once more.
  const made =
    shown && !hasChanged
      ? { ...shown, groups: await refuseHarmfulGroups(means, shown.groups, now) }
      : await makePlan(means, kind, project, now)
  const plan = { ...made, said: [...new Set([...made.said, ...problems])] }
  const id = shown && open && !hasChanged ? open.id : await savePlan(desk, means, plan, now)
  if (!apply || hasChanged) return reportOf(id, plan, hasChanged ? 'replanned' : 'planned')
  if (plan.groups.every((group) => group.refused !== null)) return reportOf(id, plan, 'planned')
  const left = await applyAndAnnounce(desk, means, id, plan, now)
  const late = left > 0 ? [`${left} of the groups were left out: their notes changed just now`] : []
  return reportOf(id, { ...plan, said: [...plan.said, ...late] }, 'applied')
}

const makePlan = (means: ConsolidationDeps, kind: PlanKind, project: ProjectKey | null, now: number) =>
  kind === 'consolidate' ? planConsolidation(means, project, now) : planReflection(means, project, now)

async function savePlan(desk: Services, means: ConsolidationDeps, plan: Plan, now: number, shown = true): Promise<number> {
  const fingerprint = await planFingerprint(means, plan, now)
  const { kind, project } = plan
  return desk.store.transaction(() => desk.store.plans.put({ kind, project, fingerprint, content: plan, plannedAt: now }, { shown }))
}

/** Returns how many groups could not be applied after all. */
async function applyAndAnnounce(desk: Services, means: ConsolidationDeps, id: number, plan: Plan, now: number): Promise<number> {
  const { groups, skipped: left, changes } = await applyPlan(means, id, plan, now)
  const details = { groups, notes: changes.length, model: plan.model, ...plan.usage }
  await desk.store.transaction(() => desk.store.audit.add({ at: now, action: plan.kind, subject: `plan ${id}`, details }))
  desk.announce(changes)
  desk.log.info('consolidated', { kind: plan.kind, plan: id, ...details })
  return left
}

async function undo(desk: Services, kind: PlanKind, id: number | null): Promise<UndoReport> {
  const now = Date.now()
  const undone = await undoPlan({ book: desk.notebook }, kind, id, now)
  if (undone.kind === 'refused') throw new BadRequest(undone.reason)
  const { plan, restored, edited, changes } = undone
  await desk.store.transaction(() => desk.store.audit.add({ at: now, action: 'undo', subject: `plan ${plan}`, details: { restored } }))
  desk.announce(changes)
  return { plan, restored, edited }
}

/** By itself only duplicates are folded, unless the person lets the model be asked. */
export async function runConsolidateJob(desk: Services, job: Job): Promise<void> {
  await desk.modelOpened
  const { means } = consolidationDepsOf(desk, () => {}, MAX_MODEL_QUESTIONS.byItself)
  const model = desk.settings.consolidate.auto_model ? means.model : null
  for (const kind of model ? (['consolidate', 'reflect'] as const) : (['consolidate'] as const)) {
    const now = Date.now()
    const plan = await makePlan({ ...means, model }, kind, null, now)
    if (plan.groups.every((group) => group.refused !== null)) continue
    await applyAndAnnounce(desk, means, await savePlan(desk, means, plan, now, false), plan, now)
  }
  await desk.store.transaction(() => desk.store.jobs.complete(job.id))
}

function consolidationDepsOf(
  desk: Services,
  progress: ConsolidationDeps['progress'],
  maxQuestions: number,
): { means: ConsolidationDeps; problems: string[] } {
  const { questions, problems } = readQuestions(readIfThere(join(desk.home.folder, 'questions.jsonl')) ?? '')
  const model = desk.textModel.kind === 'ready' ? desk.textModel.model : null
  // A model that was asked for and is not there is said; that none was asked for, the plan says itself.
  const absent = desk.textModel.kind === 'absent' && desk.settings.model.provider !== 'plain' ? [desk.textModel.reason] : []
  return {
    means: {
      book: desk.notebook,
      model,
      maxInputRatio: desk.settings.model.max_input_ratio,
      maxQuestions,
      meaning: desk.semanticSearch,
      questions,
      signal: desk.stopSignal,
      progress,
    },
    problems: [...absent, ...problems],
  }
}

function reportOf(
  plan: number,
  { kind, project, groups, said, model, usage }: Plan,
  outcome: ConsolidationReport['outcome'],
): ConsolidationReport {
  return { plan, kind, project, outcome, groups: groups.map(describeGroup), messages: said, model, usage }
}

function describeGroup({ how, project, sources, change, reason, refused }: PlanGroup): PlannedGroup {
  const named = (ids: string[]) => sources.filter((source) => ids.includes(source.id))
  const notes = change.kind === 'make' ? change.notes : []
  return {
    how,
    project,
    stays: change.kind === 'keep-one' ? (named([change.keep])[0] ?? null) : null,
    makes: notes.map(({ id, title, body, namespace }) => ({ id, title, body, namespace })),
    hides: named(change.kind === 'keep-one' ? change.supersedes : notes.flatMap((note) => note.supersedes)),
    reflects: named(change.kind === 'make' ? change.reflected : []),
    reason,
    refused,
  }
}
