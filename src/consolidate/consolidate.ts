/**
 * Consolidation: many notes into fewer, sessions into what lasts of them. It proposes (`planConsolidation`, `planReflection`), tries every
 * proposal on a copy, applies what a person or a setting lets it (`applyPlan`), and takes it back (`undoPlan`). It never writes prose of
 * its own: without a model only duplicates are folded; with one, every sentence is tied to the notes it came from.
 *
 * Nothing is deleted here: notes are superseded, tagged or made, and each of that can be undone for a while. It announces nothing; it
 * returns what changed.
 */
import type { ProjectKey } from '../core/ids.ts'
import { asNoteId, type Note } from '../core/note.ts'
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

/** More notes than this are not looked at in one go; the newest are. */
const MAX_NOTES_PER_PLAN = 20_000
/** Trying a group takes a good part of a second. */
const MAX_DUPLICATE_GROUPS = 200

/** What could become of the notes of a project, or of all. Nothing is written. */
export async function planConsolidation(means: ConsolidationDeps, project: ProjectKey | null, now: number): Promise<Plan> {
  const notes = await notesOf(means, project, now, false)
  const all = await findDuplicates(notes)
  const duplicates = all.slice(0, MAX_DUPLICATE_GROUPS)
  const folded = new Set(all.flatMap((group) => group.sources.map((source) => source.id)))
  const rest = notes.filter((note) => !folded.has(note.id))
  const related = means.model ? await groupRelatedNotes(rest, (note) => nearestNotes(means, note)) : []
  const merged = await proposeMerges(means, related, now)
  return {
    kind: 'consolidate',
    project,
    groups: await refuseHarmfulGroups(means, [...duplicates, ...merged.groups], now),
    said: [
      ...(means.model ? merged.said : ['without a text model only notes that say the same are folded; related ones stay as they are']),
      ...(all.length > MAX_DUPLICATE_GROUPS
        ? [`${all.length - MAX_DUPLICATE_GROUPS} more groups of duplicates are left for the next time`]
        : []),
    ],
    model: means.model?.name ?? null,
    usage: merged.usage,
  }
}

/** What lasts of the sessions that nobody has reflected on yet. Nothing is written. */
export async function planReflection(means: ConsolidationDeps, project: ProjectKey | null, now: number): Promise<Plan> {
  const episodics = (await notesOf(means, project, now, true)).filter((note) => awaitsReflection(note) && normalised(note.body) !== '')
  const plan: Plan = { kind: 'reflect', project, groups: [], said: [], model: null, usage: { input: 0, output: 0, cached: 0 } }
  if (!means.model) {
    const waiting = episodics.length === 1 ? '1 session waits' : `${episodics.length || 'no'} sessions wait`
    return { ...plan, said: [`${waiting} for reflection, which needs a text model (model.provider); nothing is written without one`] }
  }
  for (const there of Map.groupBy(episodics, (note) => `${note.scope} ${note.project}`).values()) {
    const written = await proposeReflections(means, there.toReversed(), now)
    plan.groups.push(...written.groups)
    plan.said.push(...written.said)
    for (const part of ['input', 'output', 'cached'] as const) plan.usage[part] += written.usage[part]
  }
  return { ...plan, model: means.model.name, groups: await refuseHarmfulGroups(means, plan.groups, now) }
}

async function notesOf({ book }: ConsolidationDeps, project: ProjectKey | null, now: number, episodic: boolean): Promise<Note[]> {
  const types = episodic ? (['episodic'] as const) : (['semantic', 'procedural'] as const)
  const notes = await book.store.notes.list({ project, types: [...types], now, limit: MAX_NOTES_PER_PLAN })
  // What holds for every project is looked at when it is asked for by its own name, or with all.
  return notes.filter((note) => project === null || note.project === project)
}

/** How many of the nearest count: past them everything is a little alike. */
const MAX_NEAREST_NOTES = 8

async function nearestNotes({ meaning, book }: ConsolidationDeps, note: Note): Promise<Set<string>> {
  if (!meaning) return new Set()
  const found = await meaning(`${note.title}\n${note.body}`.slice(0, 2000), note.project, MAX_NEAREST_NOTES * 4)
  const near = new Set<string>()
  for (const { documentId } of found) {
    const place = await book.store.documents.location(documentId)
    if (place?.kind === 'note' && place.ref !== note.id) near.add(asNoteId(place.ref))
    if (near.size === MAX_NEAREST_NOTES) break
  }
  return near
}
