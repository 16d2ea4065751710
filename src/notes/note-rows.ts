import { entitiesIn } from '../core/entities.ts'
import { fingerprint } from '../core/hash.ts'
import type { Note } from '../core/note.ts'
import type { Store } from '../store/store.ts'
import { normalised } from './similarity.ts'

/**
 * Writes the rows of a note from its file. Must run inside a transaction. Secrets and private parts that a person wrote into the file stay in
 * the file only: the rows, from which search and briefs are made, never contain them.
 */
export async function indexNote(
  { store, clean }: { store: Store; clean(text: string): string },
  written: Note,
  file: { size: number; mtimeMs: number } | null,
): Promise<void> {
  const note = {
    ...cleanFields(written, clean),
    title: clean(written.title),
    body: clean(written.body),
    tags: cleanList(written.tags, clean).filter(Boolean),
  }
  await store.notes.put(note, contentFingerprint(note))
  await store.notes.putFile({ path: note.path, bytes: file?.size ?? 0, changedAt: file?.mtimeMs ?? 0, id: note.id, problem: null })
  await indexAnchors(store, note)
  const of = { kind: 'note', ref: note.id, project: note.project, at: note.updatedAt } as const
  await store.links.setMentions(of, entitiesIn(`${note.title}\n${note.body}`))
  const to = { kind: 'note', ref: note.id } as const
  const from = (older: string) => ({ kind: 'note', ref: older }) as const
  await store.links.add(
    note.supersedes.map((older) => ({ from: from(older), to, relation: 'supersedes', origin: 'its front matter', at: note.updatedAt })),
  )
}

/** Most notes speak of no code. */
async function indexAnchors(store: Store, note: Note): Promise<void> {
  if (!note.unknown.some((line) => /^(?:anchors|verified):/.test(line))) return
  const { anchorsOfNote, verificationOfNote } = await import('./note-anchors.ts')
  const statements = await store.anchors()
  const ref = { kind: 'note', ref: note.id } as const
  await statements.set(ref, note.deletedAt === null ? anchorsOfNote(note) : [])
  const verified = verificationOfNote(note)
  if (verified) await statements.setVerified(ref, verified)
}

/** The front matter that a person or another program may have filled with anything. Its lines are one text. */
export function cleanFields<N extends Pick<Note, 'machine' | 'author' | 'session' | 'model' | 'unknown'>>(
  note: N,
  clean: (text: string) => string,
): N {
  return {
    ...note,
    machine: clean(note.machine),
    author: note.author === null ? null : clean(note.author),
    session: note.session === null ? null : clean(note.session),
    model: note.model === null ? null : clean(note.model),
    unknown: cleanList(note.unknown, clean),
  }
}

/** Cleans a list as one text, line by line. A part that is removed takes its lines along. */
export const cleanList = (list: string[], clean: (text: string) => string): string[] =>
  list.length === 0 ? [] : clean(list.join('\n')).split('\n')

/**
 * Equal for two notes of one project and scope with the same words, regardless of line breaks, case and punctuation. A copy of another person's
 * note equals no other: when the person writes the same, they get a note of their own.
 */
export const contentFingerprint = (note: Pick<Note, 'id' | 'author' | 'scope' | 'project' | 'body'>) =>
  fingerprint(note.author === null ? `${note.scope} ${note.project}\n${normalised(note.body)}` : `copy ${note.id}`)
