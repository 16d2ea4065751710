import type { Hit, QueryTimeReference } from '../core/hit.ts'
import type { Store } from '../store/store.ts'
import { type ParsedQuery, parseQuery, type QueryProblem, type UnderstoodPhrase } from './query-parser.ts'
import { asksForLatest, isForeignLanguage, queryWords } from './query-words.ts'
import { type MentionedTime, type QueryOptions, type ResolvedQuery, resolveQuery } from './resolve.ts'
import { type SemanticSearch, search } from './search.ts'

export { parseQuery } from './query-parser.ts'
export { findUnansweredPrompts, type QueryOptions } from './resolve.ts'
export { parseInstant, TIME_EXAMPLES } from './time-phrases.ts'

export type QueryAnswer = {
  hits: Hit[]
  /** Whether the hits match words, or are a list: of the newest work, or of what is open. */
  by: 'words' | 'list'
  /** The times, branches and projects that were recognised in the query. */
  understood: UnderstoodPhrase[]
  /** Filters that could not be used, and words that were read differently. */
  problems: QueryProblem[]
  /** The time that the text mentions, and whether one of the first hits is from then; null if it mentions none. */
  time: QueryTimeReference | null
  /** False if no hit is about the query: then the hits are only the nearest ones. */
  isClose: boolean
  /** Why the `project:` filter names no project, also listed in `problems`; otherwise null. */
  nowhere: string | null
}

/**
 * Answers a query as a person types it. Filters decide what may be found. A time, a branch or a project in the text only affects the ranking
 * when there are words to search for, because people misremember.
 */
export async function answerQuery(
  store: Store,
  text: string,
  options: QueryOptions,
  now: number,
  semanticSearch: SemanticSearch | null = null,
): Promise<QueryAnswer> {
  return answerParsedQuery(store, parseQuery(text, now), options, semanticSearch)
}

/** Like `answerQuery`, for a caller that asks the same query several times, in one project and then in all of them. */
export async function answerParsedQuery(
  store: Store,
  parsed: ParsedQuery,
  options: QueryOptions,
  semanticSearch: SemanticSearch | null = null,
): Promise<QueryAnswer> {
  const query = await resolveQuery(store, parsed, options)
  if (query.kind === 'unknown-project') {
    const { understood, problems, reason } = query
    return { hits: [], by: 'words', understood, problems, time: null, isClose: false, nowhere: reason }
  }
  const found = await findHits(store, query, semanticSearch)
  return judge(store, query, found)
}

/** What was found. `problems` are words that were read differently; `isGuess`: one of them may well have been meant as written. */
type FoundHits = { by: 'words' | 'list'; hits: Hit[]; problems: QueryProblem[]; isGuess: boolean }

/** Searches for the words of a query, or lists the newest memories if it has none. */
async function findHits(store: Store, query: ResolvedQuery, semanticSearch: SemanticSearch | null): Promise<FoundHits> {
  const { parsed, asksForRecentWork } = query
  const hasWords = parsed.words.length > 0
  const mayAskForOpenEnds = !query.filter && /open|left|finished|standing|pending|remain|do/i.test(parsed.text)
  const open = mayAskForOpenEnds
    ? await (await import('./newest.ts')).openEnds(store, parsed.text, searchScope(query), query.filterWindow)
    : []
  if (open.length > 0) return { by: 'list', hits: open, problems: [], isGuess: false }
  if (hasWords && !asksForRecentWork) return findByWords(store, query, semanticSearch)
  const hits = await listHits(store, query)
  // If there is no work on the branch or project that the query names, the name may be an ordinary word.
  if (hits.length === 0 && hasWords) return findByWords(store, query, semanticSearch)
  return { by: 'list', hits, problems: [], isGuess: false }
}

async function findByWords(store: Store, query: ResolvedQuery, semanticSearch: SemanticSearch | null): Promise<FoundHits> {
  const { parsed, mentionedTime } = query
  const { text, problems, isGuess } = await correctSpelling(store, query)
  const options = {
    ...searchScope(query),
    ...query.filterWindow,
    files: parsed.files,
    isTyped: !parsed.isPasted,
    prefersLatest: !parsed.isPasted && asksForLatest(parsed.text),
    boosts: query.boosts,
    ...(mentionedTime ? { timeWindow: mentionedTime.window } : {}),
  }
  return { by: 'words', hits: await search(store, text, options, semanticSearch), problems, isGuess }
}

/** Replaces misspelled words. Most queries have no unknown word, so the spelling code is loaded only for those that do. */
async function correctSpelling(store: Store, query: ResolvedQuery): Promise<Omit<FoundHits, 'by' | 'hits'> & { text: string }> {
  const { text } = query.parsed
  const words = queryWords(query.textWithoutReferences)
  const isTyped = words.length <= MAX_CORRECTED_QUERY_WORDS && !isForeignLanguage(text)
  const correctable = isTyped ? words.filter((word) => CORRECTABLE_WORD.test(word) && !query.rejectedWords.includes(word)) : []
  const known = new Set(correctable.length > 0 ? await store.documents.knownWords(correctable) : [])
  const unknown = correctable.filter((word) => !known.has(word)).slice(0, MAX_CORRECTED_WORDS)
  if (unknown.length === 0) return { text, problems: [], isGuess: false }
  const { respellQuery } = await import('./spelling.ts')
  return respellQuery(store, query, unknown)
}

/** Only English letters are tried, and shorter words are one typo away from too many others. */
const CORRECTABLE_WORD = /^[a-z]{5,20}$/
/** A longer text was not typed in a hurry. */
const MAX_CORRECTED_QUERY_WORDS = 12
/** Each costs some milliseconds. */
const MAX_CORRECTED_WORDS = 4

async function listHits(store: Store, query: ResolvedQuery): Promise<Hit[]> {
  const { parsed, filterWindow, mentionedTime, asksForRecentWork } = query
  // Only punctuation, and no filter: the newest memories would not answer it.
  if (parsed.text.trim() !== '' && !asksForRecentWork && !parsed.isNarrowed) return []
  const { newestHits, newestWork } = await import('./newest.ts')
  const list = asksForRecentWork ? newestWork : newestHits
  const boosted = (query.boosts?.scopes ?? []).map(({ within }) => within)
  // A branch and a project may have the same name: first what belongs to both, then to one of them.
  const scopes = [Object.assign({}, ...boosted), ...(boosted.length > 1 ? boosted : [])]
  for (const window of mentionedTime ? [mentionedTime.limits, filterWindow] : [filterWindow]) {
    for (const scope of scopes) {
      const hits = await list(store, { ...searchScope(query), ...window, ...scope })
      if (hits.length > 0) return hits
    }
  }
  return []
}

function searchScope({ project, kinds, filter, options: { offset, limit }, unansweredPrompts }: ResolvedQuery) {
  // At least as many as `judge` looks at: whether an answer is close must not depend on the page size.
  return { project, kinds, ...(filter ? { filter } : {}), unansweredPrompts, limit: Math.max(JUDGED_HITS, offset + limit) }
}

/** Decides whether the hits are about the query, and collects what the person should know about them. */
async function judge(store: Store, query: ResolvedQuery, found: FoundHits): Promise<QueryAnswer> {
  const { options, mentionedTime } = query
  const { hits } = found
  const { isCloseAnswer, withSomethingInCommon } = await import('./closeness.ts')
  const isClose = found.by === 'list' || (!found.isGuess && (await isCloseAnswer(store, query, hits.slice(0, JUDGED_HITS))))
  const shown = isClose ? hits : (await withSomethingInCommon(store, hits)).slice(0, MAX_HITS_WHEN_NOT_CLOSE)
  return {
    hits: shown.slice(options.offset, options.offset + options.limit),
    by: found.by,
    understood: query.understood,
    problems: [...query.problems, ...found.problems, ...(hits.length === 0 ? await unknownValueProblems(store, query) : [])],
    time: mentionedTime && describeMentionedTime(mentionedTime, query, hits),
    isClose,
    nowhere: null,
  }
}

/** How many of the first hits decide how well a query is answered. */
const JUDGED_HITS = 5
const MAX_HITS_WHEN_NOT_CLOSE = 20

/** Filter values that no memory has. A session that exists may just have nothing to show. */
async function unknownValueProblems(store: Store, { parsed, filter }: ResolvedQuery): Promise<QueryProblem[]> {
  const hasSession = filter !== null && (filter.session?.ids.length ?? 0) > 0
  const values = hasSession ? parsed.filterValues.filter((value) => value.filter !== 'session') : parsed.filterValues
  if (values.length === 0) return []
  const { unknownFilterValues } = await import('./filter-suggestions.ts')
  return unknownFilterValues(store, values)
}

function describeMentionedTime({ phrases, limits }: MentionedTime, { filterWindow }: ResolvedQuery, hits: Hit[]): QueryTimeReference {
  const kept = hits.slice(0, JUDGED_HITS).some(({ at }) => at >= limits.since && at < limits.before)
  const meaning = phrases.map((phrase) => phrase.meaning).join(', ')
  const then = /^(?:since|before) /.test(meaning) ? meaning : `${meaning.includes(' ') ? 'from' : 'on'} ${meaning}`
  const isLimited = filterWindow.since > 0 || filterWindow.before < Number.MAX_SAFE_INTEGER
  const elsewhere = isLimited ? 'from the time that the filters allow' : 'from all times'
  return { meaning, kept, said: kept ? `Memories ${then} rank higher.` : `No match ${then}; showing results ${elsewhere}.` }
}
