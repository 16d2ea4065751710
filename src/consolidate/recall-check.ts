import { asNoteId, type Note, type NoteId } from '../core/note.ts'
import { indexNote } from '../notes/notes.ts'
import { search } from '../retrieval/search.ts'
import { openStore, type Store } from '../store/store.ts'
import { type ConsolidationDeps, type PlanGroup, resultingNotes } from './plan.ts'
import { type NoteQuestion, questionsFromNote } from './questions.ts'

/** A note counts as found if it is among this many hits. */
const MAX_FOUND_RANK = 5
const MAX_GROUP_QUESTIONS = 40
/** At most this many notes of a project are copied, the newest first; notes in the plan are always copied. */
const MAX_COPIED_NOTES = 5000

/**
 * Tries every group of a plan on an in-memory copy of the notes, one after the other, and refuses a group if a question no longer finds its note
 * afterwards. The real notes are not touched.
 */
export async function refuseHarmfulGroups(deps: ConsolidationDeps, groups: PlanGroup[], now: number): Promise<PlanGroup[]> {
  if (groups.length === 0) return []
  const copy = await openStore(':memory:')
  try {
    await copyNotes(copy, deps, groups, now)
    const tried: PlanGroup[] = []
    for (const group of groups) {
      deps.progress(tried.length, groups.length, 'comparing search results before and after')
      tried.push(group.refused ? group : { ...group, refused: await whyRecallWorsens(copy, deps, group, now) })
      deps.signal.throwIfAborted()
    }
    return tried
  } finally {
    copy.close()
  }
}

async function copyNotes(copy: Store, { book }: ConsolidationDeps, groups: PlanGroup[], now: number): Promise<void> {
  const notes = new Map<NoteId, Note>()
  for (const id of groups.flatMap((group) => group.sources.map((source) => source.id))) {
    const note = await book.store.notes.getVisible(id, now)
    if (note) notes.set(id, note)
  }
  for (const project of new Set(groups.map((group) => group.project))) {
    for (const note of await book.store.notes.list({ project, now, limit: MAX_COPIED_NOTES })) notes.set(note.id, note)
  }
  const all = [...notes.values()]
  for (let from = 0; from < all.length; from += 20) {
    await copy.transaction(async () => {
      for (const note of all.slice(from, from + 20)) await indexNote(withoutCleaning(copy), note, null)
    })
    await Bun.sleep(0)
  }
}

/** Why the group's change would make a note harder to find. If it would not, returns null and leaves the change applied to the copy. */
async function whyRecallWorsens(copy: Store, deps: ConsolidationDeps, group: PlanGroup, now: number): Promise<string | null> {
  const written = await resultingNotes({ book: { ...deps.book, store: copy } }, group, now)
  if (!written) return 'one of its notes is gone'
  const before = new Map<NoteId, Note>()
  const replaced = written.flatMap((note) => note.supersedes)
  for (const id of [...written.map((note) => note.id), ...replaced]) {
    const known = await copy.notes.get(id)
    if (known) before.set(id, known)
  }
  const questions = await questionsAbout(copy, deps, group)
  const foundBefore: { question: NoteQuestion; rank: number }[] = []
  for (const question of questions) {
    const rank = await rankOf(copy, group, question, () => [question.note])
    if (rank > 0) foundBefore.push({ question, rank })
  }
  await copy.transaction(async () => {
    for (const note of written) await indexNote(withoutCleaning(copy), note, null)
    // A replaced note can still be found, but what replaced it must be found without its help.
    for (const id of replaced) await copy.notes.remove(id)
  })
  for (const { question, rank } of foundBefore) {
    if ((await rankOf(copy, group, question, (id) => [id, ...successorsOf(group, id)])) > 0) continue
    await copy.transaction(async () => {
      for (const { id } of written) if (!before.has(id)) await copy.notes.remove(id)
      for (const known of before.values()) await indexNote(withoutCleaning(copy), known, null)
    })
    const title = group.sources.find((source) => source.id === question.note)?.title ?? question.note
    return `searching "${question.text}" finds "${title}" at rank ${rank} now; afterwards neither it nor its replacement would be among the first ${MAX_FOUND_RANK}`
  }
  return null
}

async function questionsAbout(copy: Store, deps: ConsolidationDeps, group: PlanGroup): Promise<NoteQuestion[]> {
  const own: NoteQuestion[] = []
  for (const { id } of group.sources) {
    const note = await copy.notes.get(id)
    if (note) own.push(...(await questionsFromNote(note, copy)))
  }
  // A person's own questions always count, because a change here can also push down a note elsewhere.
  return [...deps.questions, ...own.slice(0, MAX_GROUP_QUESTIONS)]
}

/** The rank of the first acceptable note among the hits; 0 if there is none. */
async function rankOf(copy: Store, group: PlanGroup, question: NoteQuestion, acceptable: (id: NoteId) => NoteId[]): Promise<number> {
  const wanted = new Set(acceptable(question.note))
  await Bun.sleep(0) // hooks go first
  const hits = await search(copy, question.text, { project: group.project, kinds: ['note'], limit: MAX_FOUND_RANK })
  return hits.findIndex((hit) => [hit.id, ...hit.also.map((also) => also.slice('note:'.length))].some((id) => wanted.has(asNoteId(id)))) + 1
}

/** The notes that replace a note. */
function successorsOf({ change }: PlanGroup, id: NoteId): NoteId[] {
  if (change.kind === 'keep-one') return change.supersedes.includes(id) ? [change.keep] : []
  return change.notes.filter((note) => note.supersedes.includes(id) || change.reflected.includes(id)).map((note) => note.id)
}

/** The copied rows have already been cleaned. */
const withoutCleaning = (store: Store) => ({ store, clean: (text: string) => text })
