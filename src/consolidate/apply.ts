import { type Change, UNDO_DAYS } from '../core/memory.ts'
import type { Note, NoteId } from '../core/note.ts'
import { noteOnDisk, putNote } from '../notes/notes.ts'
import type { PlanKind, StoredPlan } from '../store/store.ts'
import { type ConsolidationDeps, noteFingerprint, type Plan, type PlanGroup, resultingNotes } from './plan.ts'
import { readMark, withMark } from './reflection-mark.ts'

const DAY_MS = 24 * 60 * 60_000

/** Restores one note. Never contains its text. */
type UndoStep = { kind: 'made'; id: NoteId; after: string } | { kind: 'changed'; id: NoteId; before: NoteStateBefore; after: string }

type NoteStateBefore = { tags: string[]; supersedes: NoteId[]; mark: string | null }

/** `skipped` counts groups that were not written because one of their notes had been changed meanwhile. */
export type AppliedPlan = { groups: number; skipped: number; changes: Change[] }

/**
 * Applies a plan, except for groups that were refused or whose notes are gone. The undo steps are recorded first, so that even a plan that was
 * interrupted halfway can be undone.
 */
export async function applyPlan(deps: Pick<ConsolidationDeps, 'book'>, id: number, plan: Plan, now: number): Promise<AppliedPlan> {
  const { book } = deps
  const { store } = book
  const steps: UndoStep[] = []
  const writes: { note: Note; before: string | null }[][] = []
  await store.transaction(async () => {
    for (const group of plan.groups.filter((one) => one.refused === null)) {
      const written = await resultingNotes(deps, group, now)
      if (!written) continue
      const known = await Promise.all(written.map((note) => store.notes.get(note.id)))
      writes.push(written.map((note, index) => ({ note, before: known[index] ? noteFingerprint(known[index]) : null })))
      steps.push(...written.map((note, index) => undoStepFor(note, known[index] ?? null)))
    }
    await (await store.plans()).setApplied(id, withoutTexts(plan), steps, now)
  })
  const changes: Change[] = []
  let groups = 0
  for (const group of writes) {
    // One transaction per group, so that hooks never wait long.
    const written = await store.transaction(() => writeGroup(deps, group))
    if (written) groups++
    changes.push(...(written ?? []))
  }
  return { groups, skipped: plan.groups.filter((group) => group.refused === null).length - groups, changes }
}

/** Returns null, without writing, if a note or its file has changed since the plan was made. */
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

/** An applied plan is stored without the texts of its notes, so that deleting a note deletes its text everywhere. */
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

/** Undoes an applied plan, by default the last one. Notes that were edited since keep their edits and are returned in `edited`. */
export async function undoPlan(deps: Pick<ConsolidationDeps, 'book'>, kind: PlanKind, id: number | null, now: number): Promise<UndoResult> {
  const { store } = deps.book
  const plan = id === null ? await (await store.plans()).lastApplied(kind) : await (await store.plans()).get(id)
  const reason = whyNotUndoable(plan, kind, id, now)
  if (!plan || reason) return { kind: 'refused', reason: reason ?? '' }
  const edited: { id: NoteId; title: string }[] = []
  const changes: Change[] = []
  let restored = 0
  // In reverse order: the last write is undone first.
  for (const step of (plan.undo as UndoStep[]).toReversed()) {
    await store.transaction(async () => {
      const known = await noteOnDisk(deps.book, step.id)
      if (!known || isUntouched(step, known)) return
      if (noteFingerprint(known) !== step.after) {
        edited.push({ id: known.id, title: known.title })
        return
      }
      const restoredFields = step.kind === 'made' ? { deletedAt: now } : fieldsBefore(step.before, known)
      changes.push(...(await putNote(deps.book, { ...known, ...restoredFields, updatedAt: now, machine: deps.book.machine })))
      restored++
    })
  }
  await store.transaction(async () => (await store.plans()).setUndone(plan.id, now))
  return { kind: 'undone', plan: plan.id, restored, edited, changes }
}

function whyNotUndoable(plan: StoredPlan | null, kind: PlanKind, id: number | null, now: number): string | null {
  const undoLast = `'recollect ${kind} --undo' undoes the last applied plan`
  if (!plan && id === null) return `there is no applied plan to undo; 'recollect ${kind}' makes a plan`
  if (!plan) return `there is no plan ${id} (plans are deleted after ${UNDO_DAYS} days); ${undoLast}`
  if (plan.appliedAt === null) return `plan ${plan.id} was never applied; ${undoLast}`
  if (plan.undoneAt !== null) return `plan ${plan.id} was already undone; ${undoLast}`
  return now - plan.appliedAt > UNDO_DAYS * DAY_MS
    ? `plan ${plan.id} was applied more than ${UNDO_DAYS} days ago and can no longer be undone; 'recollect notes' lists the notes`
    : null
}

/** True if the step was recorded but never carried out. */
function isUntouched(step: UndoStep, known: Note): boolean {
  if (step.kind === 'made') return known.deletedAt !== null
  return JSON.stringify(stateBefore(known)) === JSON.stringify(step.before)
}

const stateBefore = (note: Note): NoteStateBefore => ({ tags: note.tags, supersedes: note.supersedes, mark: readMark(note) })

const fieldsBefore = ({ tags, supersedes, mark }: NoteStateBefore, known: Note) => ({ tags, supersedes, unknown: withMark(known, mark) })
