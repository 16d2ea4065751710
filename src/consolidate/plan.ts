import { fingerprint } from '../core/hash.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Note, NoteId } from '../core/note.ts'
import { type Notebook, writeNote } from '../notes/notes.ts'
import type { TextModel, Usage } from '../providers/text.ts'
import type { SemanticSearch } from '../retrieval/search.ts'
import type { PlanKind } from '../store/store.ts'
import type { NoteQuestion } from './questions.ts'
import { markReflected } from './reflection-mark.ts'

/** What consolidating has at hand. */
export type ConsolidationDeps = {
  book: Notebook
  /** Null when there is none, and then nothing is written anew. */
  model: TextModel | null
  /** How many times the text it is about a question to the model may be. */
  maxInputRatio: number
  /** How many questions one plan may ask the model. */
  maxQuestions: number
  /** Finds by what is meant; null while there is nothing that could. */
  meaning: SemanticSearch | null
  /** Questions that a person wants answered after as well as before. */
  questions: NoteQuestion[]
  signal: AbortSignal
  /** Told now and then how far it is. */
  progress(done: number, of: number, what: string): void
}

/** `same` and `near` fold duplicates; `merged` and `reflected` are a model's words, each tied to its sources. */
export type PlanGroupMethod = 'same' | 'near' | 'merged' | 'reflected'

export type PlanGroup = {
  how: PlanGroupMethod
  project: ProjectKey
  /** Every note it speaks about. */
  sources: { id: NoteId; title: string }[]
  /** Why these, in words for the person. */
  reason: string
  change: PlanGroupChange
  /** Why it will not be applied; null when it will. */
  refused: string | null
}

export type PlanGroupChange =
  /** One of them stays, takes the tags of the others and hides them. */
  | { kind: 'keep-one'; keep: NoteId; tags: string[]; supersedes: NoteId[] }
  /** New notes are made. A merged one hides its sources; those of a reflection are tagged instead. */
  | { kind: 'make'; notes: Note[]; reflected: NoteId[] }

export type Plan = {
  kind: PlanKind
  project: ProjectKey | null
  groups: PlanGroup[]
  /** What the person should know besides: no model, a model in trouble, too little text. */
  said: string[]
  model: string | null
  usage: Usage
}

/** A note as its file has it, in short: any change to it is another print. */
export const noteFingerprint = (note: Note) => fingerprint(writeNote(note))

/** Of all notes that a plan speaks about, as they are now. A note that is gone counts too. */
export async function planFingerprint(means: Pick<ConsolidationDeps, 'book'>, plan: Pick<Plan, 'groups'>, now: number): Promise<string> {
  const ids = [...new Set(plan.groups.flatMap((group) => group.sources.map((source) => source.id)))].sort()
  const prints: string[] = []
  for (const id of ids) {
    const note = await means.book.store.notes.getVisible(id, now)
    prints.push(`${id} ${note ? noteFingerprint(note) : 'gone'}`)
  }
  return fingerprint(prints.join('\n'))
}

/** What the notes of a group become: new and changed ones, as they will be written. Null when one of them is gone. */
export async function resultingNotes(means: Pick<ConsolidationDeps, 'book'>, group: PlanGroup, now: number): Promise<Note[] | null> {
  const { book } = means
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
