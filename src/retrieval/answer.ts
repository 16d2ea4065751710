import type { Hit } from '../core/hit.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Choice, DocumentKind, NamedSession, Place, Store, Within } from '../store/store.ts'
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
  const choice = await choiceOf(store, filters)
  const project = filters.project && wish.named ? await wish.named(filters.project) : wish.project
  const within = (window: { since: number | null; before: number | null }) => ({
    project,
    kinds,
    since: Math.max(wish.since ?? 0, window.since ?? 0),
    before: Math.min(wish.before ?? Number.MAX_SAFE_INTEGER, window.before ?? Number.MAX_SAFE_INTEGER),
    limit: wish.limit,
    offset: wish.offset,
    files: question.files,
    ...choice,
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

/** The filters that ask something of the memories themselves; none when there are none. */
async function choiceOf(store: Store, filters: Filters): Promise<{ choice?: Choice }> {
  const { types, paths, branch, namespaces, tags, notTags, sources } = filters
  const lists = [types, paths, namespaces, tags, notTags, sources]
  if (lists.every((list) => list.length === 0) && branch === null && filters.session === null) return {}
  const session = filters.session === null ? null : await sessionsNamed(store, filters.session)
  return { choice: { types, paths, branch, namespaces, tags, notTags, sources, session } }
}

/** A session by our number or by the beginning of the host's id. */
async function sessionsNamed(store: Store, name: string): Promise<NamedSession> {
  const numbered = /^\d{1,15}$/.test(name) ? await store.sessions.get(Number(name)) : null
  const found = [...(numbered ? [numbered] : []), ...(await store.sessions.beginning(name, MOST_SESSIONS))]
  return { ids: found.map(({ id }) => id), contentIds: found.map(({ contentSessionId }) => contentSessionId), begins: name }
}

const MOST_SESSIONS = 200

/** Where only filters were named: whatever they let through, newest first. */
async function newest(store: Store, within: Within & { offset: number }): Promise<Hit[]> {
  const few = await store.documents.chosen(within)
  // Notes that are hidden are passed by, so more are asked for than are wanted.
  const places =
    few?.sort(byTime) ?? (await store.documents.newest({ ...within, limit: Math.max(2000, (within.limit + within.offset) * 5) }))
  const hits: Hit[] = []
  for (const place of places) {
    const hit = await describe(store, place)
    if (hit) hits.push(hit)
    if (hits.length >= within.limit + within.offset) break
  }
  return hits.slice(within.offset)
}

const byTime = (a: Place, b: Place) => b.at - a.at || b.documentId - a.documentId
