import { fingerprint } from '../core/hash.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Note, NoteId } from '../core/note.ts'
import { type Notebook, writeNote } from '../notes/notes.ts'
import type { TextModel, Usage } from '../providers/text.ts'
import type { SemanticSearch } from '../retrieval/search.ts'
import type { PlanKind } from '../store/store.ts'
import type { NoteQuestion } from './questions.ts'
import { markReflected } from './reflection-mark.ts'

/** What consolidation needs. */
export type ConsolidationDeps = {
  book: Notebook
  /** Without one (null), only duplicates are folded. */
  model: TextModel | null
  /** The largest allowed ratio of a request's tokens to the tokens of its notes. */
  maxInputRatio: number
  /** How many requests one plan may send to the model. */
  maxQuestions: number
  /** Search by meaning; null without an embedder. */
  meaning: SemanticSearch | null
  /** A person's own questions, which must find their notes afterwards as well. */
  questions: NoteQuestion[]
  /** Of these notes, those whose code was changed or deleted since. They are not merged: the mark would be lost. */
  outdated?: (notes: Note[]) => Promise<Set<NoteId>>
  signal: AbortSignal
  /** Called now and then with the progress. */
  progress(done: number, of: number, what: string): void
}

/** `same` and `near` fold duplicates; `merged` and `reflected` are written by a model, with sources. */
export type PlanGroupMethod = 'same' | 'near' | 'merged' | 'reflected'

export type PlanGroup = {
  how: PlanGroupMethod
  project: ProjectKey
  /** All notes that the group changes or is based on. */
  sources: { id: NoteId; title: string }[]
  /** Why these notes form a group; shown to the person. */
  reason: string
  change: PlanGroupChange
  /** Why the group will not be applied; null if it will. */
  refused: string | null
}

export type PlanGroupChange =
  /** One note stays, takes over the tags of the others and supersedes them. */
  | { kind: 'keep-one'; keep: NoteId; tags: string[]; supersedes: NoteId[] }
  /** New notes are created. A merged note supersedes its sources; the sources of a reflection are tagged instead. */
  | { kind: 'make'; notes: Note[]; reflected: NoteId[] }

export type Plan = {
  kind: PlanKind
  project: ProjectKey | null
  groups: PlanGroup[]
  /** Messages for the person, for example that there is no model or that the model failed. */
  said: string[]
  model: string | null
  usage: Usage
}

/** Changes with any change to the note's file. */
export const noteFingerprint = (note: Note) => fingerprint(writeNote(note))

/** Changes when any note of the plan is changed or deleted. */
export async function planFingerprint(deps: Pick<ConsolidationDeps, 'book'>, plan: Pick<Plan, 'groups'>, now: number): Promise<string> {
  const ids = [...new Set(plan.groups.flatMap((group) => group.sources.map((source) => source.id)))].sort()
  const prints: string[] = []
  for (const id of ids) {
    const note = await deps.book.store.notes.getVisible(id, now)
    prints.push(`${id} ${note ? noteFingerprint(note) : 'gone'}`)
  }
  return fingerprint(prints.join('\n'))
}

/** The new and changed notes of a group, as they will be written. Null if one of its notes is gone. */
export async function resultingNotes(deps: Pick<ConsolidationDeps, 'book'>, group: PlanGroup, now: number): Promise<Note[] | null> {
  const { book } = deps
  const { change } = group
  const changed = async (id: NoteId, alter: (known: Note) => Partial<Note>): Promise<Note | null> => {
    const known = await book.store.notes.getVisible(id, now)
    return known && { ...known, ...alter(known), updatedAt: now, machine: book.machine }
  }
  if (change.kind === 'keep-one') {
    const kept = await changed(change.keep, (known) => ({
      tags: change.tags,
      supersedes: [...new Set([...known.supersedes, ...change.supersedes])],
    }))
    return kept && [kept]
  }
  const tagged = await Promise.all(change.reflected.map((id) => changed(id, markReflected)))
  return tagged.some((note) => note === null) ? null : [...change.notes, ...tagged.filter((note) => note !== null)]
}
