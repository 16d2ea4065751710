import type { DocumentFilter, SessionFilter, Store } from '../store/store.ts'
import type { QueryFilters } from './query-parser.ts'
import { matchBranches } from './query-references.ts'

/** Turns the filters of a query into a filter on documents, with the session, branches and tags as they are stored. */
export async function lookUpDocumentFilter(store: Store, filters: QueryFilters): Promise<DocumentFilter> {
  const { types, paths, branch, namespaces, tags, notTags, sources, agents } = filters
  const spellings = (list: string[]) => Promise.all(list.map((tag) => tagSpellings(store, tag)))
  return {
    types,
    paths,
    namespaces,
    sources,
    agents,
    session: filters.session === null ? null : await matchSessions(store, filters.session),
    branches: branch === null ? [] : await branchesForFilter(store, branch),
    tags: await spellings(tags),
    notTags: (await spellings(notTags)).flat(),
  }
}

/** The branches that a filter means. For an unknown name, the name itself, which then finds nothing. */
async function branchesForFilter(store: Store, name: string): Promise<string[]> {
  const branches = matchBranches(name, await store.documents.filterValues('branch'))
  return branches.length > 0 ? branches : [name]
}

/** All spellings of a tag in notes. SQLite ignores case only in ASCII, so other letters are compared here. */
async function tagSpellings(store: Store, tag: string): Promise<string[]> {
  if (/^[\0-\x7f]*$/.test(tag)) return [tag]
  return [tag, ...(await store.documents.filterValues('tag')).filter((known) => known !== tag && known.toLowerCase() === tag)]
}

/** Sessions by our number, by the agent's id, or by the start of that id. */
async function matchSessions(store: Store, name: string): Promise<SessionFilter> {
  const numbered = /^\d{1,15}$/.test(name) ? await store.sessions.get(Number(name)) : null
  const isPrefix = name.length >= MIN_SESSION_ID_PREFIX_LENGTH
  const candidates = numbered ? [] : await store.sessions.withIdPrefix(name, MAX_SESSIONS_PER_PREFIX)
  const found = numbered ? [numbered] : candidates.filter(({ contentSessionId }) => isPrefix || contentSessionId === name)
  return {
    ids: found.map(({ id }) => id),
    contentIds: found.map(({ contentSessionId }) => contentSessionId),
    begins: isPrefix && !numbered ? name : null,
  }
}

/** A shorter prefix would often fit several sessions. */
const MIN_SESSION_ID_PREFIX_LENGTH = 4
const MAX_SESSIONS_PER_PREFIX = 200
