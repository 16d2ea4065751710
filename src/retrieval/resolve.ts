import type { ProjectKey } from '../core/ids.ts'
import { MEMORY_KINDS } from '../core/memory-kinds.ts'
import type { DocumentFilter, DocumentKind, Store, UnansweredPrompts } from '../store/store.ts'
import { combineWindows, type ParsedQuery, type QueryFilters, type QueryProblem, type UnderstoodPhrase } from './query-parser.ts'
import type { QueryReferences } from './query-references.ts'
import { isAboutRecentWork } from './query-words.ts'
import type { QueryBoosts } from './search-options.ts'
import type { TimeWindow } from './time-phrases.ts'

export type QueryOptions = {
  project: ProjectKey | null
  /** Finds the project that a `project:` filter means, or says why there is none. */
  resolveProject?: (name: string) => Promise<{ project: ProjectKey | null } | { problem: string }>
  kinds?: DocumentKind[] | undefined
  since?: number | undefined
  before?: number | undefined
  limit: number
  offset: number
}

/** A parsed query with everything it names looked up in the store. */
export type ResolvedQuery = {
  kind: 'resolved'
  parsed: ParsedQuery
  options: QueryOptions
  project: ProjectKey | null
  kinds: DocumentKind[]
  filter: DocumentFilter | null
  /** What the filters allow. A time in the text only ranks, so it does not narrow this. */
  filterWindow: TimeLimits
  /** A time in the text, if it says more than the filters do. */
  mentionedTime: MentionedTime | null
  /** The query text without the names of branches and projects. */
  textWithoutReferences: string
  boosts: QueryBoosts | null
  /** It asks for the newest work instead of for words. */
  asksForRecentWork: boolean
  /** It asks for work on a branch of another project, so nothing in this one is close. */
  asksForOtherProject: boolean
  unansweredPrompts: UnansweredPrompts
  understood: UnderstoodPhrase[]
  problems: QueryProblem[]
  /** Words that were meant as filters and could not be used. */
  rejectedWords: string[]
}

export type TimeLimits = { since: number; before: number }
/** `limits`: the filters and the mentioned time together. */
export type MentionedTime = { phrases: UnderstoodPhrase[]; window: TimeWindow; limits: TimeLimits }

/** A `project:` filter names no project, so there is nowhere to search. */
export type UnknownProject = { kind: 'unknown-project'; reason: string; understood: UnderstoodPhrase[]; problems: QueryProblem[] }

/** Looks up what a query refers to: project, branches, sessions, tags and misspelled filters. */
export async function resolveQuery(store: Store, parsed: ParsedQuery, options: QueryOptions): Promise<ResolvedQuery | UnknownProject> {
  const { filters } = parsed
  const misnamed = await misnamedFiltersIn(store, parsed)
  const problems = [...parsed.problems, ...misnamed]
  const searched = filters.project && options.resolveProject ? await options.resolveProject(filters.project) : options
  if ('problem' in searched) {
    const { word, at } = parsed.filterValues.find(({ filter }) => filter === 'project') ?? { word: 'project:', at: 0 }
    const reason = searched.problem
    return { kind: 'unknown-project', reason, understood: parsed.understood, problems: [...problems, { word, at, message: reason }] }
  }
  const filter = await documentFilterOf(store, filters)
  const references = await lookUpReferences(store, parsed, searched.project, filter)
  return {
    kind: 'resolved',
    parsed,
    options,
    project: searched.project,
    kinds: searchedKinds(filters, options.kinds),
    filter,
    ...resolveTime(parsed, options),
    ...resolveReferences(parsed, references),
    unansweredPrompts: await findUnansweredPrompts(store, parsed.askedAt),
    problems,
    rejectedWords: [...parsed.rejectedWords, ...misnamed.map(({ word }) => word.replace(':', '').toLowerCase())],
  }
}

/** Words that were probably meant as filters. They are searched as text too, but no memory needs to contain them. */
async function misnamedFiltersIn(store: Store, { unknownFilters, askedAt }: ParsedQuery): Promise<QueryProblem[]> {
  if (unknownFilters.length === 0) return []
  const { misnamedFilters } = await import('./filter-suggestions.ts')
  return misnamedFilters(store, unknownFilters, askedAt)
}

async function documentFilterOf(store: Store, filters: QueryFilters): Promise<DocumentFilter | null> {
  const { types, paths, branch, namespaces, tags, notTags, sources, agents, session } = filters
  const hasNone =
    [types, paths, namespaces, tags, notTags, sources, agents].every((list) => list.length === 0) && branch === null && session === null
  if (hasNone) return null
  const { lookUpDocumentFilter } = await import('./document-filter.ts')
  return lookUpDocumentFilter(store, filters)
}

/** A type or a path belongs to observations, notes and commits, a namespace or a tag to notes. */
function searchedKinds(filters: QueryFilters, allowed: DocumentKind[] = [...MEMORY_KINDS]): DocumentKind[] {
  const tagged = filters.namespaces.length > 0 ? ['note'] : filters.tags.length > 0 ? ['note', 'observation'] : MEMORY_KINDS
  const possible: readonly string[] = filters.types.length > 0 || filters.paths.length > 0 ? ['observation', 'note', 'commit'] : tagged
  return allowed.filter((kind) => possible.includes(kind) && (filters.kinds.length === 0 || filters.kinds.includes(kind)))
}

function resolveTime({ filters, understood }: ParsedQuery, options: QueryOptions): Pick<ResolvedQuery, 'filterWindow' | 'mentionedTime'> {
  const limits = (window: TimeWindow): TimeLimits => ({
    since: Math.max(options.since ?? 0, window.since ?? 0),
    before: Math.min(options.before ?? Number.MAX_SAFE_INTEGER, window.before ?? Number.MAX_SAFE_INTEGER),
  })
  const fromFilters = combineWindows(understood.filter(({ from }) => from === 'filter'))
  const phrases = understood.filter(({ from, since, before }) => from === 'text' && (since !== null || before !== null))
  const saysMore = phrases.length > 0 && (fromFilters.since !== filters.since || fromFilters.before !== filters.before)
  return {
    filterWindow: limits(fromFilters),
    mentionedTime: saysMore ? { phrases, window: combineWindows(phrases), limits: limits(filters) } : null,
  }
}

async function lookUpReferences(
  store: Store,
  parsed: ParsedQuery,
  project: ProjectKey | null,
  filter: DocumentFilter | null,
): Promise<(QueryReferences & { boosts: QueryBoosts }) | null> {
  if (parsed.possibleNames.length === 0) return null
  const { boostsFor, referencesIn } = await import('./query-references.ts')
  const references = await referencesIn(store, parsed, project)
  return references && { ...references, boosts: boostsFor(references, filter) }
}

function resolveReferences(
  parsed: ParsedQuery,
  references: (QueryReferences & { boosts: QueryBoosts }) | null,
): Pick<ResolvedQuery, 'textWithoutReferences' | 'boosts' | 'asksForRecentWork' | 'asksForOtherProject' | 'understood'> {
  const mentionsTime = parsed.understood.some(({ from }) => from === 'text')
  const understood = (references?.words ?? []).map(({ word, meaning }): UnderstoodPhrase => {
    return { word, at: Math.max(0, parsed.input.indexOf(word)), meaning, from: 'text', since: null, before: null }
  })
  const isForRecentWork = (text: string | null | undefined) => typeof text === 'string' && isAboutRecentWork(text, mentionsTime)
  return {
    textWithoutReferences: references?.rest ?? parsed.text,
    boosts: references?.boosts ?? null,
    asksForRecentWork: parsed.asksForRecentWork || isForRecentWork(references?.rest),
    asksForOtherProject: isForRecentWork(references?.restElsewhere),
    understood: [...parsed.understood, ...understood],
  }
}

/** Prompts without an answer yet. The person has often just asked one of them, and a question does not answer itself. */
export const findUnansweredPrompts = (store: Store, now: number): Promise<UnansweredPrompts> =>
  store.documents.unansweredPrompts(now - MAX_TURN_MS)

/** After this long without an event, no turn of a session is still running. */
const MAX_TURN_MS = 24 * 3_600_000
