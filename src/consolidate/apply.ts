import type { Change } from '../core/memory.ts'
import type { Note, NoteId } from '../core/note.ts'
import { noteOnDisk, putNote } from '../notes/notes.ts'
import { type PlanKind, type StoredPlan, UNDO_DAYS } from '../store/store.ts'
import { type ConsolidationDeps, noteFingerprint, type Plan, type PlanGroup, resultingNotes } from './plan.ts'
import { readMark, withMark } from './reflection-mark.ts'

const DAY_MS = 24 * 60 * 60_000

/** What is needed to take one note back to what it was. Never its text. */
type UndoStep = { kind: 'made'; id: NoteId; after: string } | { kind: 'changed'; id: NoteId; before: NoteStateBefore; after: string }

type NoteStateBefore = { tags: string[]; supersedes: NoteId[]; mark: string | null }

/** `left` counts the groups of which a note changed at the last moment: whoever changed it was quicker, and theirs counts. */
export type AppliedPlan = { groups: number; skipped: number; changes: Change[] }

/**
 * Writes what a plan says; groups that were refused, or whose notes are gone, are left out. How to take it back is recorded first: whatever
 * stops it half way, what was written can be undone.
 */
export async function applyPlan(means: Pick<ConsolidationDeps, 'book'>, id: number, plan: Plan, now: number): Promise<AppliedPlan> {
  const { book } = means
  const { store } = book
  const steps: UndoStep[] = []
  const writes: { note: Note; before: string | null }[][] = []
  await store.transaction(async () => {
    for (const group of plan.groups.filter((one) => one.refused === null)) {
      const written = await resultingNotes(means, group, now)
      if (!written) continue
      const known = await Promise.all(written.map((note) => store.notes.get(note.id)))
      writes.push(written.map((note, index) => ({ note, before: known[index] ? noteFingerprint(known[index]) : null })))
      steps.push(...written.map((note, index) => undoStepFor(note, known[index] ?? null)))
    }
    await store.plans.setApplied(id, withoutTexts(plan), steps, now)
  })
  const changes: Change[] = []
  let groups = 0
  for (const group of writes) {
    // One transaction a group, so that a hook never waits long behind it.
    const written = await store.transaction(() => writeGroup(means, group))
    if (written) groups++
    changes.push(...(written ?? []))
  }
  return { groups, skipped: plan.groups.filter((group) => group.refused === null).length - groups, changes }
}

/** Null when a note is no longer what it was, in its file too. */
async function writeGroup(
  { book }: Pick<ConsolidationDeps, 'book'>,
  group: { note: Note; before: string | null }[],
): Promise<Change[] | null> {
  for (const { note, before } of group) {
    const known = await noteOnDisk(book, note.id)
    if ((known ? noteFingerprint(known) : null) !== before) return null
  }
  const changes: Change[] = []
  for (const { note } of group) changes.push(...(await putNote(book, note)))
  return changes
}

function undoStepFor(note: Note, known: Note | null): UndoStep {
  const after = noteFingerprint(note)
  return known ? { kind: 'changed', id: note.id, before: stateBefore(known), after } : { kind: 'made', id: note.id, after }
}

/** What is kept of an applied plan: the notes themselves hold the texts, and only as long as nobody deletes them. */
function withoutTexts(plan: Plan): Plan {
  const bare = (group: PlanGroup): PlanGroup =>
    group.change.kind === 'make'
      ? { ...group, change: { ...group.change, notes: group.change.notes.map((note) => ({ ...note, body: '' })) } }
      : group
  return { ...plan, groups: plan.groups.map(bare) }
}

export type UndoResult =
  | { kind: 'undone'; plan: number; restored: number; edited: { id: NoteId; title: string }[]; changes: Change[] }
  | { kind: 'refused'; reason: string }

/** Takes an applied plan back, the last one unless another is named. Notes that were edited since stay as they are, and are named. */
export async function undoPlan(
  means: Pick<ConsolidationDeps, 'book'>,
  kind: PlanKind,
  id: number | null,
  now: number,
): Promise<UndoResult> {
  const { store } = means.book
  const plan = id === null ? await store.plans.lastApplied(kind) : await store.plans.get(id)
  const reason = whyNotUndoable(plan, id, now)
  if (!plan || reason) return { kind: 'refused', reason: reason ?? '' }
  const edited: { id: NoteId; title: string }[] = []
  const changes: Change[] = []
  let restored = 0
  // In the other direction: what was written last is taken back first.
  for (const step of (plan.undo as UndoStep[]).toReversed()) {
    await store.transaction(async () => {
      const known = await noteOnDisk(means.book, step.id)
      if (!known || isUntouched(step, known)) return
      if (noteFingerprint(known) !== step.after) {
        edited.push({ id: known.id, title: known.title })
        return
      }
      const back = step.kind === 'made' ? { deletedAt: now } : fieldsBefore(step.before, known)
      changes.push(...(await putNote(means.book, { ...known, ...back, updatedAt: now, machine: means.book.machine })))
      restored++
    })
  }
  await store.transaction(() => store.plans.setUndone(plan.id, now))
  return { kind: 'undone', plan: plan.id, restored, edited, changes }
}

function whyNotUndoable(plan: StoredPlan | null, id: number | null, now: number): string | null {
  if (!plan)
    return id === null ? 'nothing was applied that could be undone' : `there is no plan ${id}; it may be older than ${UNDO_DAYS} days`
  if (plan.appliedAt === null) return `plan ${plan.id} was never applied`
  if (plan.undoneAt !== null) return `plan ${plan.id} has been undone already`
  return now - plan.appliedAt > UNDO_DAYS * DAY_MS ? `plan ${plan.id} was applied more than ${UNDO_DAYS} days ago` : null
}

/** It was to be changed, and something stopped that. */
function isUntouched(step: UndoStep, known: Note): boolean {
  if (step.kind === 'made') return known.deletedAt !== null
  return JSON.stringify(stateBefore(known)) === JSON.stringify(step.before)
}

const stateBefore = (note: Note): NoteStateBefore => ({ tags: note.tags, supersedes: note.supersedes, mark: readMark(note) })

const fieldsBefore = ({ tags, supersedes, mark }: NoteStateBefore, known: Note) => ({ tags, supersedes, unknown: withMark(known, mark) })
