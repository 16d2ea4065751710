/**
 * Consolidation turns many notes into fewer, and sessions into lasting notes. It proposes changes (`planConsolidation`, `planReflection`) and
 * tries each on a copy, applies them once a person or a setting allows it (`applyPlan`), and can undo them (`undoPlan`). Without a model only
 * duplicates are folded; with one, every new sentence names the notes it is based on.
 *
 * Nothing is deleted here: notes are superseded, tagged or created, and all of that can be undone for 30 days. This room announces nothing and
 * returns what changed.
 */
import type { ProjectKey } from '../core/ids.ts'
import { asNoteId, type Note, type NoteId } from '../core/note.ts'
import { normalised } from '../notes/notes.ts'
import { findDuplicates } from './duplicates.ts'
import { proposeMerges, proposeReflections } from './model-proposals.ts'
import type { ConsolidationDeps, Plan } from './plan.ts'
import { refuseHarmfulGroups } from './recall-check.ts'
import { awaitsReflection } from './reflection-mark.ts'
import { groupRelatedNotes } from './related-notes.ts'

export { applyPlan, undoPlan } from './apply.ts'
export { type ConsolidationDeps, type Plan, type PlanGroup, planFingerprint } from './plan.ts'
export { readQuestions } from './questions.ts'
export { refuseHarmfulGroups } from './recall-check.ts'

/** A plan looks at this many notes at most, the newest first. */
const MAX_NOTES_PER_PLAN = 20_000
/** Limited because trying a group takes up to a second. */
const MAX_DUPLICATE_GROUPS = 200

/** Proposes changes to the notes of a project, or of all projects. Nothing is written. */
export async function planConsolidation(deps: ConsolidationDeps, project: ProjectKey | null, now: number): Promise<Plan> {
  const notes = await notesOf(deps, project, now, false)
  const all = await findDuplicates(notes)
  const duplicates = all.slice(0, MAX_DUPLICATE_GROUPS)
  const folded = new Set(all.flatMap((group) => group.sources.map((source) => source.id)))
  const rest = notes.filter((note) => !folded.has(note.id))
  const related = deps.model ? await groupRelatedNotes(rest, (note) => nearestNotes(deps, note)) : []
  const merged = await proposeMerges(deps, related, now)
  return {
    kind: 'consolidate',
    project,
    groups: await refuseHarmfulGroups(deps, [...duplicates, ...merged.groups], now),
    said: [
      ...(deps.model ? merged.messages : ['without a text model only duplicates are folded; related notes are not merged']),
      ...(all.length > MAX_DUPLICATE_GROUPS
        ? [`${all.length - MAX_DUPLICATE_GROUPS} more groups of duplicates are left for the next run`]
        : []),
    ],
    model: deps.model?.name ?? null,
    usage: merged.usage,
  }
}

/** Proposes lasting notes from the sessions that have not been reflected on yet. Nothing is written. */
export async function planReflection(deps: ConsolidationDeps, project: ProjectKey | null, now: number): Promise<Plan> {
  const episodics = (await notesOf(deps, project, now, true)).filter((note) => awaitsReflection(note) && normalised(note.body) !== '')
  const plan: Plan = { kind: 'reflect', project, groups: [], said: [], model: null, usage: { input: 0, output: 0, cached: 0 } }
  if (!deps.model) {
    const waiting = episodics.length === 1 ? '1 session waits' : `${episodics.length || 'no'} sessions wait`
    return { ...plan, said: [`${waiting} for reflection, which needs a text model (model.provider)`] }
  }
  for (const ofProject of Map.groupBy(episodics, (note) => `${note.scope} ${note.project}`).values()) {
    const proposals = await proposeReflections(deps, ofProject.toReversed(), now)
    plan.groups.push(...proposals.groups)
    plan.said.push(...proposals.messages)
    for (const part of ['input', 'output', 'cached'] as const) plan.usage[part] += proposals.usage[part]
  }
  return { ...plan, model: deps.model.name, groups: await refuseHarmfulGroups(deps, plan.groups, now) }
}

async function notesOf({ book, outdated }: ConsolidationDeps, project: ProjectKey | null, now: number, episodic: boolean): Promise<Note[]> {
  const types = episodic ? (['episodic'] as const) : (['semantic', 'procedural'] as const)
  // A merged note is accepted, so what waits for the person must not be merged.
  const notes = await book.store.notes.list({ project, types: [...types], state: 'accepted', now, limit: MAX_NOTES_PER_PLAN })
  // Global notes are included only when all projects, or the global ones by name, are requested. Copies of other people's notes stay as they are.
  const wanted = notes.filter((note) => note.author === null && (project === null || note.project === project))
  // A note about code that has changed since must not be merged into a current one.
  const old = outdated ? await outdated(wanted) : new Set<NoteId>()
  return wanted.filter((note) => !old.has(note.id))
}

/** Notes further down the list are only vaguely similar. */
const MAX_NEAREST_NOTES = 8

async function nearestNotes({ meaning, book }: ConsolidationDeps, note: Note): Promise<Set<string>> {
  if (!meaning) return new Set()
  const found = await meaning(`${note.title}\n${note.body}`.slice(0, 2000), note.project, MAX_NEAREST_NOTES * 4)
  const near = new Set<string>()
  for (const { documentId } of found) {
    const location = await book.store.documents.location(documentId)
    if (location?.kind === 'note' && location.ref !== note.id) near.add(asNoteId(location.ref))
    if (near.size === MAX_NEAREST_NOTES) break
  }
  return near
}
