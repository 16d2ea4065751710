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
import { duplicatesAmong } from './duplicates.ts'
import { gated } from './gate.ts'
import type { Means, Plan } from './plan.ts'
import { awaitsReflection } from './reflected.ts'
import { relatedGroups } from './related.ts'
import { mergeByModel, reflectByModel } from './write.ts'

export { applyPlan, undoPlan } from './apply.ts'
export { gated } from './gate.ts'
export { fingerprintOf, type Group, type Means, type Plan } from './plan.ts'
export { readQuestions } from './questions.ts'

/** More notes than this are not looked at in one go; the newest are. */
const MOST_NOTES = 20_000
/** Trying a group takes a good part of a second. */
const MOST_GROUPS = 200

/** What could become of the notes of a project, or of all. Nothing is written. */
export async function planConsolidation(means: Means, project: ProjectKey | null, now: number): Promise<Plan> {
  const notes = await notesOf(means, project, now, false)
  const all = await duplicatesAmong(notes)
  const duplicates = all.slice(0, MOST_GROUPS)
  const folded = new Set(all.flatMap((group) => group.sources.map((source) => source.id)))
  const rest = notes.filter((note) => !folded.has(note.id))
  const related = means.model ? await relatedGroups(rest, (note) => nearest(means, note)) : []
  const merged = await mergeByModel(means, related, now)
  return {
    kind: 'consolidate',
    project,
    groups: await gated(means, [...duplicates, ...merged.groups], now),
    said: [
      ...(means.model ? merged.said : ['without a text model only notes that say the same are folded; related ones stay as they are']),
      ...(all.length > MOST_GROUPS ? [`${all.length - MOST_GROUPS} more groups of duplicates are left for the next time`] : []),
    ],
    model: means.model?.name ?? null,
    usage: merged.usage,
  }
}

/** What lasts of the sessions that nobody has reflected on yet. Nothing is written. */
export async function planReflection(means: Means, project: ProjectKey | null, now: number): Promise<Plan> {
  const episodics = (await notesOf(means, project, now, true)).filter((note) => awaitsReflection(note) && normalised(note.body) !== '')
  const plan: Plan = { kind: 'reflect', project, groups: [], said: [], model: null, usage: { input: 0, output: 0, cached: 0 } }
  if (!means.model) {
    const waiting = episodics.length === 1 ? '1 session waits' : `${episodics.length || 'no'} sessions wait`
    return { ...plan, said: [`${waiting} for reflection, which needs a text model (model.provider); nothing is written without one`] }
  }
  for (const there of Map.groupBy(episodics, (note) => `${note.scope} ${note.project}`).values()) {
    const written = await reflectByModel(means, there.toReversed(), now)
    plan.groups.push(...written.groups)
    plan.said.push(...written.said)
    for (const part of ['input', 'output', 'cached'] as const) plan.usage[part] += written.usage[part]
  }
  return { ...plan, model: means.model.name, groups: await gated(means, plan.groups, now) }
}

async function notesOf({ book }: Means, project: ProjectKey | null, now: number, episodic: boolean): Promise<Note[]> {
  const types = episodic ? (['episodic'] as const) : (['semantic', 'procedural'] as const)
  const notes = await book.store.notes.list({ project, types: [...types], now, limit: MOST_NOTES })
  // What holds for every project is looked at when it is asked for by its own name, or with all.
  return notes.filter((note) => project === null || note.project === project)
}

/** How many of the nearest count: past them everything is a little alike. */
const NEAREST = 8

async function nearest({ meaning, book }: Means, note: Note): Promise<Set<string>> {
  if (!meaning) return new Set()
  const found = await meaning(`${note.title}\n${note.body}`.slice(0, 2000), note.project, NEAREST * 4)
  const near = new Set<string>()
  for (const { documentId } of found) {
    const place = await book.store.documents.place(documentId)
    if (place?.kind === 'note' && place.ref !== note.id) near.add(asNoteId(place.ref))
    if (near.size === NEAREST) break
  }
  return near
}
