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
import type { Job } from '../core/job.ts'
import { reindex } from '../notes/notes.ts'
import { readIfThere } from '../platform/files.ts'
import type { PlanKind } from '../store/store.ts'
import type { ConsolidationLine, ConsolidationReport, PlannedGroup, UndoReport } from '../wire/contract/upkeep.ts'
import { BadRequest } from './server.ts'
import type { Services } from './services.ts'

export type ConsolidationRunOptions = { apply: boolean; project: ProjectKey | null }

const DAY_MS = 24 * 60 * 60_000
/** Requests to the model per run: by a person's command, and in the background, where other jobs wait. */
const MAX_MODEL_REQUESTS = { byCommand: 20, inBackground: 2 }

/** Plans or applies a consolidation, and reports its progress. */
export async function* runConsolidation(
  services: Services,
  kind: PlanKind,
  options: ConsolidationRunOptions,
): AsyncGenerator<ConsolidationLine> {
  const waiting: ConsolidationLine[] = []
  let news = Promise.withResolvers<void>()
  let isOver = false
  const progress = (done: number, of: number, what: string) => {
    waiting.push({ kind: 'progress', done, of, what })
    news.resolve()
  }
  const working = planOrApply(services, kind, options, progress).finally(() => {
    isOver = true
    news.resolve()
  })
  working.catch(() => {}) // the last line throws it again
  while (!isOver) {
    await news.promise
    news = Promise.withResolvers<void>()
    yield* waiting.splice(0)
  }
  yield { kind: 'done', report: await working }
}

/** Applies the plan that the person saw. If one of its notes has changed since, makes a new plan and applies nothing. */
async function planOrApply(
  services: Services,
  kind: PlanKind,
  { apply, project }: ConsolidationRunOptions,
  progress: ConsolidationDeps['progress'],
): Promise<ConsolidationReport> {
  const { store } = services
  await services.modelOpened
  const { deps, problems } = consolidationDepsOf(services, progress, MAX_MODEL_REQUESTS.byCommand)
  // A file may have been changed so recently that it is not indexed yet.
  services.announce(await reindex(services.notebook))
  const now = Date.now()
  const open = apply ? await (await store.plans()).open(kind, project) : null
  const shown = open && now - open.plannedAt < DAY_MS ? (open.content as Plan) : null
  const hasChanged = open !== null && shown !== null && (await planFingerprint(deps, shown, now)) !== open.fingerprint
  // Check the plan's effect on search again, because notes may have been added since.
  const made =
    shown && !hasChanged
      ? { ...shown, groups: await refuseHarmfulGroups(deps, shown.groups, now) }
      : await makePlan(deps, kind, project, now)
  const plan = { ...made, said: [...new Set([...made.said, ...problems])] }
  const id = shown && open && !hasChanged ? open.id : await savePlan(services, deps, plan, now)
  if (!apply || hasChanged) return reportOf(id, plan, hasChanged ? 'replanned' : 'planned')
  if (plan.groups.every((group) => group.refused !== null)) return reportOf(id, plan, 'planned')
  const skipped = await applyAndAnnounce(services, deps, id, plan, now)
  const late = skipped > 0 ? [`${skipped} of the groups were skipped because their notes have just changed`] : []
  return reportOf(id, { ...plan, said: [...plan.said, ...late] }, 'applied')
}

const makePlan = (deps: ConsolidationDeps, kind: PlanKind, project: ProjectKey | null, now: number) =>
  kind === 'consolidate' ? planConsolidation(deps, project, now) : planReflection(deps, project, now)

async function savePlan(services: Services, deps: ConsolidationDeps, plan: Plan, now: number, shown = true): Promise<number> {
  const fingerprint = await planFingerprint(deps, plan, now)
  const { kind, project } = plan
  return services.store.transaction(async () =>
    (await services.store.plans()).put({ kind, project, fingerprint, content: plan, plannedAt: now }, { shown }),
  )
}

/** Returns how many groups could not be applied. */
async function applyAndAnnounce(services: Services, deps: ConsolidationDeps, id: number, plan: Plan, now: number): Promise<number> {
  const { groups, skipped, changes } = await applyPlan(deps, id, plan, now)
  const details = { groups, notes: changes.length, model: plan.model, ...plan.usage }
  await services.store.transaction(() => services.store.audit.add({ at: now, action: plan.kind, subject: `plan ${id}`, details }))
  services.announce(changes)
  services.log.info('consolidated', { kind: plan.kind, plan: id, ...details })
  return skipped
}

/** Undoes an applied plan, by default the last one. */
export async function undoConsolidation(services: Services, kind: PlanKind, id: number | null): Promise<UndoReport> {
  const now = Date.now()
  const undone = await undoPlan({ book: services.notebook }, kind, id, now)
  if (undone.kind === 'refused') throw new BadRequest(undone.reason)
  const { plan, restored, edited, changes } = undone
  await services.store.transaction(() =>
    services.store.audit.add({ at: now, action: 'undo', subject: `plan ${plan}`, details: { restored } }),
  )
  services.announce(changes)
  return { plan, restored, edited }
}

/** Merges duplicates in the background. Asks the model only if the settings allow it. */
export async function runConsolidateJob(services: Services, job: Job<'consolidate'>): Promise<void> {
  await services.modelOpened
  const { deps } = consolidationDepsOf(services, () => {}, MAX_MODEL_REQUESTS.inBackground)
  const model = services.settings.consolidate.auto_model ? deps.model : null
  for (const kind of model ? (['consolidate', 'reflect'] as const) : (['consolidate'] as const)) {
    const now = Date.now()
    const plan = await makePlan({ ...deps, model }, kind, null, now)
    if (plan.groups.every((group) => group.refused !== null)) continue
    await applyAndAnnounce(services, deps, await savePlan(services, deps, plan, now, false), plan, now)
  }
  await services.store.transaction(() => services.store.jobs.complete(job.id))
}

function consolidationDepsOf(
  services: Services,
  progress: ConsolidationDeps['progress'],
  maxQuestions: number,
): { deps: ConsolidationDeps; problems: string[] } {
  const { questions, problems } = readQuestions(readIfThere(join(services.home.folder, 'questions.jsonl')) ?? '')
  const model = services.textModel.kind === 'ready' ? services.textModel.model : null
  // Reports a configured model that is absent. The plan itself says when no model is configured.
  const absent = services.textModel.kind === 'absent' && services.settings.model.provider !== 'plain' ? [services.textModel.reason] : []
  return {
    deps: {
      book: services.notebook,
      model,
      maxInputRatio: services.settings.model.max_input_ratio,
      maxQuestions,
      meaning: services.semanticSearch,
      questions,
      outdated: async (notes) => {
        const { marksByProject } = await import('./code-check.ts')
        const marks = await marksByProject(
          services,
          notes.map(({ id, project }) => ({ kind: 'note' as const, id, project })),
        )
        return new Set(notes.flatMap(({ id }) => (marks.has(`note:${id}`) ? [id] : [])))
      },
      signal: services.stopSignal,
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
