import type { Hit, QueryTimeReference } from '../core/hit.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { DocumentFilter, DocumentKind, SearchScope, SessionFilter, Store, UnansweredPrompts } from '../store/store.ts'
import {
  combineWindows,
  type ParsedQuery,
  parseQuery,
  type QueryFilters,
  type QueryProblem,
  type UnderstoodPhrase,
} from './query-parser.ts'
import type { QueryReferences } from './query-references.ts'
import { asksForLatest, hasOnlyCommonWords, isAboutRecentWork } from './query-words.ts'
import { ALL_KINDS, describeHit, type QueryBoosts, type SemanticSearch, search, turnKey, YOUNG_STORE_DOCUMENTS } from './search.ts'
import type { TimeWindow } from './time-phrases.ts'

export { parseInstant, TIME_EXAMPLES } from './time-phrases.ts'

export type QueryAnswer = {
  hits: Hit[]
  /** Which times and names were understood, and what was meant as a filter and could not be used. */
  understood: UnderstoodPhrase[]
  problems: QueryProblem[]
  /** Which time was spoken of, and whether something of it is among the first; null when none was. */
  time: QueryTimeReference | null
  /** False when none of it is about the question: the hits are then the nearest few of what there is. */
  isClose: boolean
  /** Why the project that a filter names leaves no place to look in, which is then also among the problems; else null. */
  nowhere: string | null
}

/** `named` finds the project that a `project:` filter means, or says why there is none. */
export type QueryOptions = {
  project: ProjectKey | null
  resolveProject?: (name: string) => Promise<{ project: ProjectKey | null } | { problem: string }>
  kinds?: DocumentKind[] | undefined
  since?: number | undefined
  before?: number | undefined
  limit: number
  offset: number
}

/**
 * Answers a question as a person types it, filters and times included. What is named as a filter cuts. A time in the text is a way
 * of speaking, and people misremember: where there are words to look for it counts for what happened then, and hides nothing else. So does
 * a branch in the text, and a project where all of them are asked.
 */
export async function answerQuery(
  store: Store,
  text: string,
  wish: QueryOptions,
  now: number,
  meaning: SemanticSearch | null = null,
): Promise<QueryAnswer> {
  const question = parseQuery(text, now)
  const { filters, understood, problems } = question
  if (question.unknownFilters.length > 0) await reportMisnamedFilters(store, question, now)
  const kinds = searchedKinds(filters, wish.kinds)
  const documentFilter = await documentFilterFrom(store, filters)
  const place = filters.project && wish.resolveProject ? await wish.resolveProject(filters.project) : wish
  if ('problem' in place) {
    const { word, at } = question.filterValues.find(({ filter }) => filter === 'project') ?? { word: 'project:', at: 0 }
    const message = place.problem
    return { hits: [], understood, problems: [...problems, { word, at, message }], time: null, isClose: false, nowhere: message }
  }
  const { project } = place
  const isTimedInText = understood.some((time) => time.from === 'text')
  const speaksOf = question.isPasted ? null : await (await import('./query-references.ts')).referencesIn(store, question.text, project)
  for (const { word, meaning } of speaksOf?.words ?? [])
    understood.push({ word, at: Math.max(0, text.indexOf(word)), meaning, from: 'text', since: null, before: null })
  const aboutDoings = question.asksForRecentWork || (speaksOf !== null && isAboutRecentWork(speaksOf.rest, isTimedInText))
  // What was done on a branch of another project is not remembered here.
  const isOfElsewhere = speaksOf?.restElsewhere != null && isAboutRecentWork(speaksOf.restElsewhere, isTimedInText)
  let words = aboutDoings ? [] : question.words
  const unansweredPrompts = await findUnansweredPrompts(store, now)
  const within = (window: TimeWindow) => ({
    project,
    kinds,
    since: Math.max(wish.since ?? 0, window.since ?? 0),
    before: Math.min(wish.before ?? Number.MAX_SAFE_INTEGER, window.before ?? Number.MAX_SAFE_INTEGER),
    // Whether something fits the time must not hang on how many are asked for.
    limit: Math.max(JUDGED_HITS, wish.offset + wish.limit),
    files: question.files,
    isTyped: !question.isPasted,
    prefersLatest: !question.isPasted && asksForLatest(question.text),
    unansweredPrompts,
    ...documentFilter,
  })
  let isGuess = false
  const isYoung = (await store.documents.count(null)) < YOUNG_STORE_DOCUMENTS
  const answered = async (hits: Hit[], time: QueryTimeReference | null): Promise<QueryAnswer> => {
    if (hits.length === 0) problems.push(...(await unknownValueProblems(store, question, documentFilter.filter)))
    const first = hits.slice(0, JUDGED_HITS)
    const isClose =
      words.length === 0 ||
      (!isGuess &&
        !isOfElsewhere &&
        (first.some((hit) => isHitAboutQuery(hit, isYoung, favoured?.isWholeQuery ?? false)) ||
          (await isCloseWithoutMisspelling(store, question, first))))
    const end = isClose ? wish.offset + wish.limit : Math.min(wish.offset + wish.limit, MAX_HITS_WHEN_NOT_CLOSE)
    return { hits: hits.slice(wish.offset, end), understood, problems, time, isClose, nowhere: null }
  }

  const spoken = understood.filter((time) => time.from === 'text' && (time.since !== null || time.before !== null))
  const named = combineWindows(understood.filter((time) => time.from === 'filter'))
  const isTimed = spoken.length > 0 && (named.since !== filters.since || named.before !== filters.before)
  const favoured = speaksOf && boostsFor(speaksOf, documentFilter.filter)
  const parts = (favoured?.scopes ?? []).map((part) => part.within)
  const list = async (window: TimeWindow) => {
    // A branch may be called as a project is: then what is of both, or of one.
    for (const part of [Object.assign({}, ...parts), ...(parts.length > 1 ? parts : [])]) {
      const hits = await (aboutDoings ? newestWork : newestHits)(store, { ...within(window), ...part })
      if (hits.length > 0) return hits
    }
    return []
  }
  const listed = async () => {
    // Signs alone, and nothing that would narrow it down: the newest would be no answer.
    if (question.text.trim() !== '' && !aboutDoings && !question.isNarrowed) return []
    const then = await list(filters)
    return then.length === 0 && isTimed ? list(named) : then
  }
  const look = async () => {
    const { respellQuery: respelt } = await import('./spelling.ts')
    const { text: respelling, read, ...reading } = await respelt(store, question, speaksOf?.rest ?? question.text, text)
    problems.push(...read)
    isGuess = reading.isGuess
    return search(
      store,
      respelling,
      { ...within(named), boosts: favoured, ...(isTimed ? { timeWindow: combineWindows(spoken) } : {}) },
      meaning,
    )
  }
  let hits = await (words.length > 0 ? look : listed)()
  // Nothing was done on what it speaks of, or nothing of that kind: then its name is a word like others.
  if (hits.length === 0 && words.length === 0 && !question.asksForRecentWork) {
    words = question.words
    if (words.length > 0) hits = await look()
  }
  if (!isTimed) return answered(hits, null)
  const isThen = ({ at }: Hit) => at >= (filters.since ?? 0) && at < (filters.before ?? Number.MAX_SAFE_INTEGER)
  const isBounded = [named.since, named.before, wish.since, wish.before].some((edge) => edge !== null && edge !== undefined)
  return answered(hits, describeQueryTime(spoken, hits.slice(0, JUDGED_HITS).some(isThen), isBounded))
}

/** What a question speaks of, as parts of what there is. A filter has said already which branch is meant. */
function boostsFor({ branches, project, rest }: QueryReferences, choice: DocumentFilter = NO_DOCUMENT_FILTER): QueryBoosts {
  const parts: QueryBoosts['scopes'] = []
  if (branches.length > 0 && choice.branches.length === 0) parts.push({ signal: 'branch', within: { filter: { ...choice, branches } } })
  if (project !== null) parts.push({ signal: 'project', within: { project } })
  return { scopes: parts, isWholeQuery: hasOnlyCommonWords(rest) }
}

/**
 * Whether a hit has enough of the question to be about it: a share of its words, its meaning, a piece of a name, a name that was only ever
 * written in code, the branch that was spoken of, or the project where nothing else is asked for. Measured as the floor is: it lets 99 % of
 * CommitRecall's questions through, and 30 % of those from another world. In a young store any word does: those that are known are in most
 * memories, and weigh nothing.
 */
const isHitAboutQuery = ({ coverage, matched, cosine, signals }: Hit, isYoung: boolean, isAllSpoken: boolean) =>
  (isYoung && matched > 0) ||
  coverage >= MIN_ANSWER_COVERAGE ||
  (cosine ?? 0) >= 0.5 ||
  (signals.deeds ?? 0) > 0.5 ||
  (signals.names ?? 0) > 0 ||
  (signals.branch ?? 0) > 0 ||
  (isAllSpoken && (signals.project ?? 0) > 0)
const MIN_ANSWER_COVERAGE = 0.3
/** How many are shown where none is. */
const MAX_HITS_WHEN_NOT_CLOSE = 10
/** How many of the first hits tell how well a question is answered. */
const JUDGED_HITS = 5

/** Whether there would be enough of a question in one of these without what is misspelt in it. */
async function isCloseWithoutMisspelling(
  store: Store,
  { text, rejectedWords: rejected, isPasted }: ParsedQuery,
  hits: Hit[],
): Promise<boolean> {
  return (
    !isPasted && hits.length > 0 && (await import('./misspelling.ts')).anyHitCoversRest(store, text, rejected, hits, MIN_ANSWER_COVERAGE)
  )
}

/** Which prompts still wait for their answer. Whoever asks has often just been asked it: the question is no answer to itself. */
export const findUnansweredPrompts = (store: Store, now: number): Promise<UnansweredPrompts> =>
  store.documents.unansweredPrompts(now - MAX_TURN_MS)

/** A session that was silent for longer has no turn that still runs. */
const MAX_TURN_MS = 24 * 3_600_000

function describeQueryTime(spoken: UnderstoodPhrase[], kept: boolean, isBounded: boolean): QueryTimeReference {
  const meaning = spoken.map((time) => time.meaning).join(', ')
  const then = /^(?:since|before) /.test(meaning) ? meaning : `${meaning.includes(' ') ? 'from' : 'on'} ${meaning}`
  const elsewhere = isBounded ? 'from the time that the filters leave' : 'from all times'
  return { meaning, kept, said: kept ? `What happened ${then} counts most.` : `Nothing fits ${then}; shown ${elsewhere}.` }
}

function searchedKinds(filters: QueryFilters, wished: DocumentKind[] = ALL_KINDS): DocumentKind[] {
  // A type is a type of observations, a namespace or a tag belongs to notes.
  const meant =
    filters.types.length > 0 || filters.paths.length > 0
      ? ['observation', 'note']
      : filters.namespaces.length + filters.tags.length > 0
        ? ['note']
        : ALL_KINDS
  return wished.filter((kind) => meant.includes(kind) && (filters.kinds.length === 0 || filters.kinds.includes(kind)))
}

/** Says which words of a question were probably meant as filters. They are looked for, and nothing need hold the names of filters. */
async function reportMisnamedFilters(
  store: Store,
  { unknownFilters: unnamed, problems, rejectedWords: rejected }: ParsedQuery,
  now: number,
): Promise<void> {
  const { misnamedFilters: misnamedIn } = await import('./filter-suggestions.ts')
  for (const problem of await misnamedIn(store, unnamed, now)) {
    problems.push(problem)
    rejected.push(problem.word.replace(':', '').toLowerCase())
  }
}

/** What a question that found nothing names as a filter and no memory has. */
async function unknownValueProblems(
  store: Store,
  { filterValues: named }: ParsedQuery,
  documentFilter: DocumentFilter | undefined,
): Promise<QueryProblem[]> {
  const asked = documentFilter?.session?.ids.length ? named.filter(({ filter }) => filter !== 'session') : named
  if (asked.length === 0) return []
  const { unknownFilterValues: unknownIn } = await import('./filter-suggestions.ts')
  return unknownIn(store, asked)
}

/** The filters that ask something of the memories themselves; none when there are none. */
async function documentFilterFrom(store: Store, filters: QueryFilters): Promise<{ filter?: DocumentFilter }> {
  const { types, paths, branch, namespaces, tags, notTags, sources } = filters
  const lists = [types, paths, namespaces, tags, notTags, sources]
  if (lists.every((list) => list.length === 0) && branch === null && filters.session === null) return {}
  const session = filters.session === null ? null : await sessionsForFilter(store, filters.session)
  const branches = branch === null ? [] : await branchesForFilter(store, branch)
  const spelt = (list: string[]) => Promise.all(list.map((tag) => tagSpellings(store, tag)))
  const spelling = { tags: await spelt(tags), notTags: (await spelt(notTags)).flat() }
  return { filter: { types, paths, branches, namespaces, ...spelling, sources, session } }
}

/** The branches that a filter means; itself where there is none, so that nothing is found. */
async function branchesForFilter(store: Store, name: string): Promise<string[]> {
  const { matchBranches: branchesCalled } = await import('./query-references.ts')
  const branches = branchesCalled(name, await store.documents.filterValues('branch'))
  return branches.length > 0 ? branches : [name]
}

/** A tag as notes write it. The database takes only the letters of English for the same in capitals, so others are compared here. */
async function tagSpellings(store: Store, tag: string): Promise<string[]> {
  if (/^[\0-\x7f]*$/.test(tag)) return [tag]
  return [tag, ...(await store.documents.filterValues('tag')).filter((known) => known !== tag && known.toLowerCase() === tag)]
}

/** A session by our number, by the host's id, or by what that begins with: enough of it that hardly another begins so too. */
async function sessionsForFilter(store: Store, name: string): Promise<SessionFilter> {
  const numbered = /^\d{1,15}$/.test(name) ? await store.sessions.get(Number(name)) : null
  const isBeginning = name.length >= MIN_SESSION_ID_PREFIX_LENGTH
  const alike = numbered ? [] : await store.sessions.withIdPrefix(name, MAX_SESSIONS_PER_PREFIX)
  const found = numbered ? [numbered] : alike.filter(({ contentSessionId }) => isBeginning || contentSessionId === name)
  return {
    ids: found.map(({ id }) => id),
    contentIds: found.map(({ contentSessionId }) => contentSessionId),
    begins: isBeginning && !numbered ? name : null,
  }
}

const MIN_SESSION_ID_PREFIX_LENGTH = 4
const MAX_SESSIONS_PER_PREFIX = 200

type ListingBounds = SearchScope & { unansweredPrompts: UnansweredPrompts }

/** Where only filters were named: whatever they let through, newest first. `turns` are those that were told already. */
async function newestHits(store: Store, within: ListingBounds, turns = new Set<string>()): Promise<Hit[]> {
  const hits: Hit[] = []
  // Notes that are hidden and turns that were told are passed by: more are asked for than are wanted, and more again where too few are left.
  for (let seen = 0, most = within.limit * 5; ; most *= 8) {
    const places = await store.documents.newest({ ...within, limit: most })
    for (const place of places.slice(seen)) {
      const turn = turnKey(place)
      // In a list of what happened, what was made of a turn stands beside what was asked for.
      if (turn !== null && turns.has(turn) && place.kind !== 'observation') continue
      const hit = within.unansweredPrompts.running.has(place.documentId) ? null : await describeHit(store, place)
      if (hit) hits.push(hit)
      if (hit && turn !== null) turns.add(turn)
      if (hits.length >= within.limit) return hits
    }
    if (places.length < most) return hits
    seen = places.length
  }
}

/** What was done, newest first: what was made of it, then prompts alone, and last those that no person wrote. */
async function newestWork(store: Store, within: ListingBounds): Promise<Hit[]> {
  const { kinds, filter: choice = NO_DOCUMENT_FILTER, limit } = within
  const made = kinds.filter((kind) => kind !== 'prompt')
  const turns = new Set<string>()
  const hits = made.length > 0 ? await newestHits(store, { ...within, kinds: made }, turns) : []
  const origins = kinds.includes('prompt') ? ['person', 'machine'].filter((one) => allowsOrigin(choice, one)) : []
  for (const origin of origins) {
    if (hits.length >= limit) break
    hits.push(
      ...(await newestHits(
        store,
        { ...within, kinds: ['prompt'], filter: { ...choice, sources: [origin] }, limit: limit - hits.length },
        turns,
      )),
    )
  }
  return hits
}

const allowsOrigin = ({ sources }: DocumentFilter, origin: string) => sources.length === 0 || sources.includes(origin)
const NO_DOCUMENT_FILTER: DocumentFilter = {
  session: null,
  paths: [],
  branches: [],
  types: [],
  namespaces: [],
  tags: [],
  notTags: [],
  sources: [],
}
