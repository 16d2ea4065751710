import type { Observation } from '../core/memory.ts'
import type { Note } from '../core/note.ts'
import type { NoteVersions } from '../wire/contract/notes.ts'

/** The fields of a note that a person can fill in. */
export type NoteFormValues = Pick<Note, 'title' | 'body' | 'namespace' | 'type' | 'scope' | 'tags' | 'pinned'>

export const emptyDraft = (project: string): NoteFormValues => ({
  title: '',
  body: '',
  namespace: 'context',
  type: 'semantic',
  scope: project ? 'project' : 'global',
  tags: [],
  pinned: false,
})

/** A note that starts with what an observation says. */
export const draftFromObservation = ({ title, narrative, facts, type, project }: Observation): NoteFormValues => ({
  ...emptyDraft(project),
  title,
  body: [narrative, ...facts.map((fact) => `- ${fact}`)].filter(Boolean).join('\n'),
  namespace: type === 'decision' ? 'decisions' : 'learnings',
})

/** Tags as a person writes them, separated by commas. */
export const parseTags = (text: string): string[] => text.split(',').flatMap((tag) => tag.trim() || [])

/** The title of a short note is its whole text, which is then shown once. */
export const isSameText = (body: string, title: string) => body.replace(/\s+/g, ' ').trim() === title.trim()

type NoteStep = { at: number; before: { title: string; body: string }; after: { title: string; body: string }; id: string }

/** Each change of a note, newest first, and then the notes that its first version superseded, with their ids. */
export const noteSteps = (note: Pick<Note, 'title' | 'body'>, { versions, older }: NoteVersions): NoteStep[] => [
  ...versions.map((version, i) => ({ at: version.at, before: version, after: versions[i - 1] ?? note, id: '' })),
  ...older.map((superseded) => ({ at: superseded.at, before: superseded, after: versions.at(-1) ?? note, id: superseded.id })),
]
