import type { Change } from '../core/memory.ts'
import type { Note, NoteId } from '../core/note.ts'
import { forgetNote, putNote } from '../notes/notes.ts'
import type { PlanKind, StoredPlan } from '../store/store.ts'
import { type Group, type Means, type Plan, printOfNote, writtenBy } from './plan.ts'

/** How long what was applied can be taken back. */
export const UNDO_DAYS = 30
const DAY = 24 * 60 * 60_000

/** What is needed to take one note back to what it was. Never its text. */
type Step =
  | { kind: 'made'; id: NoteId; after: string }
  | { kind: 'changed'; id: NoteId; before: { tags: string[]; supersedes: NoteId[] }; after: string }

export type Applied = { groups: number; changes: Change[] }

/**
 * Writes what a plan says; groups that were refused, or whose notes are gone, are left out. How to take it back is recorded first: whatever
 * stops it half way, what was written can be undone.
 */
export async function applyPlan(means: Pick<Means, 'book'>, id: number, plan: Plan, now: number): Promise<Applied> {
  const { book } = means
  const { store } = book
  const steps: Step[] = []
  const writes: { note: Note; before: string | null }[][] = []
  await store.transaction(async () => {
    for (const group of plan.groups.filter((one) => one.refused === null)) {
      const written = await writtenBy(means, group, now)
      if (!written) continue
      const known = await Promise.all(written.map((note) => store.notes.get(note.id)))
      writes.push(written.map((note, index) => ({ note, before: known[index] ? printOfNote(known[index]) : null })))
      steps.push(...written.map((note, index) => stepFor(note, known[index] ?? null)))
    }
    await store.plans.setApplied(id, withoutTexts(plan), steps, now)
  })
  const changes: Change[] = []
  for (const group of writes) {
    // One transaction a group, so that a hook never waits long behind it.
    const written = await store.transaction(async () => {
      for (const { note, before } of group) {
        const known = await store.notes.get(note.id)
        if ((known ? printOfNote(known) : null) !== before) return [] // somebody was quicker: theirs counts
      }
      const made: Change[] = []
      for (const { note } of group) made.push(...(await putNote(book, note)))
      return made
    })
    changes.push(...written)
  }
  return { groups: writes.length, changes }
}

function stepFor(note: Note, known: Note | null): Step {
  const after = printOfNote(note)
  return known
    ? { kind: 'changed', id: note.id, before: { tags: known.tags, supersedes: known.supersedes }, after }
    : { kind: 'made', id: note.id, after }
}

/** What is kept of an applied plan: the notes themselves hold the texts, and only as long as nobody deletes them. */
function withoutTexts(plan: Plan): Plan {
  const bare = (group: Group): Group =>
    group.change.kind === 'make'
      ? { ...group, change: { ...group.change, notes: group.change.notes.map((note) => ({ ...note, body: '' })) } }
      : group
  return { ...plan, groups: plan.groups.map(bare) }
}

export type Undone =
  | { kind: 'undone'; plan: number; restored: number; edited: { id: NoteId; title: string }[]; changes: Change[] }
  | { kind: 'refused'; reason: string }

/** Takes an applied plan back, the last one unless another is named. Notes that were edited since stay as they are, and are named. */
export async function undoPlan(means: Pick<Means, 'book'>, kind: PlanKind, id: number | null, now: number): Promise<Undone> {
  const { store } = means.book
  const plan = id === null ? await store.plans.lastApplied(kind) : await store.plans.get(id)
  const reason = whyNot(plan, id, now)
  if (!plan || reason) return { kind: 'refused', reason: reason ?? '' }
  const edited: { id: NoteId; title: string }[] = []
  const changes: Change[] = []
  let restored = 0
  // In the other direction: what was written last is taken back first.
  for (const step of (plan.undo as Step[]).toReversed()) {
    const known = await store.notes.get(step.id)
    if (!known || isUntouched(step, known)) continue
    if (printOfNote(known) !== step.after) {
      edited.push({ id: known.id, title: known.title })
      continue
    }
    changes.push(...(await takeBack(means, step, known, now)))
    restored++
  }
  await store.transaction(() => store.plans.setUndone(plan.id, now))
  return { kind: 'undone', plan: plan.id, restored, edited, changes }
}

function whyNot(plan: StoredPlan | null, id: number | null, now: number): string | null {
  if (!plan)
    return id === null ? 'nothing was applied that could be undone' : `there is no plan ${id}; it may be older than ${UNDO_DAYS} days`
  if (plan.appliedAt === null) return `plan ${plan.id} was never applied`
  if (plan.undoneAt !== null) return `plan ${plan.id} has been undone already`
  return now - plan.appliedAt > UNDO_DAYS * DAY ? `plan ${plan.id} was applied more than ${UNDO_DAYS} days ago` : null
}

/** It was to be changed, and something stopped that. */
function isUntouched(step: Step, known: Note): boolean {
  if (step.kind === 'made') return known.deletedAt !== null
  return JSON.stringify([known.tags, known.supersedes]) === JSON.stringify([step.before.tags, step.before.supersedes])
}

async function takeBack(means: Pick<Means, 'book'>, step: Step, known: Note, now: number): Promise<Change[]> {
  const { book } = means
  if (step.kind === 'made') return (await forgetNote(book, known.id, now))?.changes ?? []
  return book.store.transaction(() => putNote(book, { ...known, ...step.before, updatedAt: now, machine: book.machine }))
}
