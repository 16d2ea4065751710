import type { Hit } from '../core/hit.ts'
import type { ProjectKey } from '../core/ids.ts'
import { asNoteId, type Note } from '../core/note.ts'
import type { DocumentKind, Place, Store } from '../store/store.ts'
import { type Filters, type Problem, readQuestion, type Understood, windowOf } from './question.ts'
import { ALL_KINDS, describe, type Meaning, search } from './search.ts'

export type Answer = {
  hits: Hit[]
  /** Which times were understood, and what was meant as a filter and could not be used. */
  understood: Understood[]
  problems: Problem[]
}

/** `named` finds the project that a `project:` filter means. */
export type Wish = {
  project: ProjectKey | null
  named?: (name: string) => Promise<ProjectKey | null>
  kinds?: DocumentKind[]
  since?: number
  before?: number
  limit: number
  offset: number
}

/**
 * Answers a question as a person types it, filters and times included. What is named as a filter cuts. A time in the text is a way
 * of speaking: if nothing is found inside it, it is let go and the rest of the question decides.
 */
export async function answer(store: Store, text: string, wish: Wish, now: number, meaning: Meaning | null = null): Promise<Answer> {
  const question = readQuestion(text, now)
  const { filters, understood, problems } = question
  const kinds = kindsOf(filters, wish.kinds)
  const keeps = await keeperOf(store, filters)
  const project = filters.project && wish.named ? await wish.named(filters.project) : wish.project
  const within = (window: { since: number | null; before: number | null }) => ({
    project,
    kinds,
    since: Math.max(wish.since ?? 0, window.since ?? 0),
    before: Math.min(wish.before ?? Number.MAX_SAFE_INTEGER, window.before ?? Number.MAX_SAFE_INTEGER),
    limit: wish.limit,
    offset: wish.offset,
    files: question.files,
    keeps,
  })
  const look = (window: { since: number | null; before: number | null }) =>
    question.words.length > 0 ? search(store, question.text, within(window), meaning) : newest(store, within(window))
  const hits = await look(filters)
  if (hits.length > 0 || !understood.some((time) => time.from === 'text')) return { hits, understood, problems }
  return { hits: await look(windowOf(understood.filter((time) => time.from === 'filter'))), understood, problems }
}

function kindsOf(filters: Filters, wished: DocumentKind[] = ALL_KINDS): DocumentKind[] {
  // A type is a type of observations, a namespace or a tag belongs to notes.
  const meant =
    filters.types.length > 0 || filters.paths.length > 0
      ? ['observation', 'note']
      : filters.namespaces.length + filters.tags.length > 0
        ? ['note']
        : ALL_KINDS
  return wished.filter((kind) => meant.includes(kind) && (filters.kinds.length === 0 || filters.kinds.includes(kind)))
}

/** The filters that need the memory itself to decide. */
async function keeperOf(store: Store, filters: Filters): Promise<(place: Place) => Promise<boolean>> {
  const { types, paths, branch, session, namespaces, tags, notTags, sources } = filters
  const lists = [types, paths, namespaces, tags, notTags, sources]
  const plain = lists.every((list) => list.length === 0) && branch === null && session === null
  if (plain) return async () => true
  return async (place) => {
    if (place.kind === 'observation' && (types.length > 0 || paths.length > 0)) {
      const [o] = await store.observations.get([Number(place.ref)])
      if (!o || (types.length > 0 && !types.includes(o.type))) return false
      const files = [...o.filesModified, ...o.filesRead].map((path) => path.toLowerCase())
      if (paths.length > 0 && !paths.some((path) => files.some((file) => file.includes(path.toLowerCase())))) return false
    }
    if (place.kind === 'note') return keepsNote(await store.notes.get(asNoteId(place.ref)), filters)
    if (sources.length > 0 && !sources.includes(await writerOf(store, place))) return false
    if (branch !== null && (await store.prompts.branchOf(place.kind, Number(place.ref)))?.toLowerCase() !== branch.toLowerCase())
      return false
    if (session === null) return true
    const of = place.sessionId === null ? null : await store.sessions.get(place.sessionId)
    return of?.contentSessionId.startsWith(session) === true || String(of?.id) === session
  }
}

/** A note belongs to no branch; of a session it is when it came from it. */
function keepsNote(note: Note | null, { types, paths, branch, session, namespaces, tags, notTags, sources }: Filters): boolean {
  if (!note || branch !== null) return false
  const its = note.tags.map((tag) => tag.toLowerCase())
  return (
    (types.length === 0 || types.includes(note.type)) &&
    (paths.length === 0 || paths.some((path) => `${note.title}\n${note.body}`.toLowerCase().includes(path.toLowerCase()))) &&
    (session === null || note.session?.startsWith(session) === true) &&
    (namespaces.length === 0 || namespaces.includes(note.namespace)) &&
    (sources.length === 0 || sources.includes(note.source)) &&
    tags.every((tag) => its.includes(tag)) &&
    !notTags.some((tag) => its.includes(tag))
  )
}

/** Who wrote a memory of the journal: a distiller by its name, or the person or machine that a prompt came from. */
async function writerOf(store: Store, { kind, ref }: Place): Promise<string> {
  switch (kind) {
    case 'observation':
      return (await store.observations.get([Number(ref)]))[0]?.model ?? ''
    case 'summary':
      return (await store.summaries.get(Number(ref)))?.model ?? ''
    default:
      return (await store.prompts.get(Number(ref)))?.origin ?? ''
  }
}

/** Where only filters were named: whatever they let through, newest first. */
async function newest(
  store: Store,
  within: Parameters<Store['documents']['newest']>[0] & { offset: number; keeps(place: Place): Promise<boolean> },
): Promise<Hit[]> {
  const hits: Hit[] = []
  // A filter may let few through: then many are looked at.
  for (const place of await store.documents.newest({ ...within, limit: Math.max(2000, (within.limit + within.offset) * 5) })) {
    const hit = (await within.keeps(place)) ? await describe(store, place) : null
    if (hit) hits.push(hit)
    if (hits.length >= within.limit + within.offset) break
  }
  return hits.slice(within.offset)
}
