/**
 * Retrieval: finding memories again. One question, several cheap signals, one score that can be explained. A question is plain
 * text, never a query language; whatever a person types is legal.
 */
import type { Hit, Signal } from '../core/hit.ts'
import { identifiersIn, wordsInIdentifier } from '../core/identifiers.ts'
import type { ProjectKey } from '../core/ids.ts'
import { shorten } from '../core/text.ts'
import { countTokens } from '../core/tokens.ts'
import type {
  CandidateIds,
  DocumentFilter,
  DocumentKind,
  DocumentLocation,
  DocumentMatch,
  LinkRelation,
  SearchScope,
  Store,
  UnansweredPrompts,
} from '../store/store.ts'
import { foldHits, type HitWithText, hitKey } from './fold.ts'
import { documentText, makeHit, queryCoverage } from './hits.ts'
import { MAX_QUERY_CHARACTERS } from './query-parser.ts'
import type { TimeWindow } from './time-phrases.ts'
import {
  chooseSearchWords,
  FILTERED_SEARCH_FACTOR,
  isUnknownWord,
  MAX_SEARCHED_WORDS,
  MIN_CANDIDATES,
  personNamesIn,
  SMALL_STORE_MAX_DOCUMENTS,
  unknownWordShare,
  type WeightedWord,
  weighWords,
  wordTexts,
} from './word-weights.ts'

export { describeHit } from './hits.ts'

export type RetrievalOptions = {
  project?: ProjectKey | null
  kinds?: DocumentKind[]
  since?: number
  before?: number
  limit?: number
  offset?: number
  /** Looks only at what was said, not at what was done. */
  skipsActivity?: boolean
  /** Leaves out a session: what it did is in its own context already. */
  excludedSessionId?: number
  /** Prompts that are no answer, whatever they hold, and those that may be found only because they stand beside one. */
  unansweredPrompts?: UnansweredPrompts
  /** Files that the question names: whatever names them too is given weight. */
  files?: string[]
  /** The time that the question speaks of: what happened then or nearly then is given weight. */
  timeWindow?: TimeWindow
  /** Somebody typed it, may remember a name only half, and can wait for what it takes to find that; a prompt does not. */
  isTyped?: boolean
  /** It asks for the last of several: what is newer comes first among what fits nearly as well as the best. */
  prefersLatest?: boolean
  /** What else it speaks of: what is of it is given weight. */
  boosts?: QueryBoosts | null
  /** What is asked of the memories themselves. */
  filter?: DocumentFilter
}

/** What a question speaks of by its name. `isAll` when it asks for nothing else: then whatever is of it may answer. */
export type QueryBoosts = { scopes: { signal: 'branch' | 'project'; within: Partial<SearchScope> }[]; isWholeQuery: boolean }

/** How much each signal counts. Chosen on the evaluation sets; docs/decisions has the reasons and the numbers. */
const WEIGHTS: Record<Exclude<Signal, 'variety'>, number> = {
  words: 0.8,
  around: 1.5,
  deeds: 0.4,
  meaning: 0.6,
  names: 0.5,
  author: 0.7,
  time: 1.5,
  branch: 1.5,
  project: 1.5,
  links: 0.5,
  session: 1.3,
  recency: 0.05,
  use: 0.05,
}

/** Finds documents by what they mean. Absent is a legal state: then the words decide alone. */
export type SemanticSearch = (
  question: string,
  project: ProjectKey | null,
  limit: number,
) => Promise<{ documentId: number; score: number; cosine: number }[]>

/** Among fewer documents nothing is common yet, and nothing rare. */
export const YOUNG_STORE_DOCUMENTS = 100

export const ALL_KINDS: DocumentKind[] = ['observation', 'summary', 'prompt', 'note']
/** How many candidates each signal may bring; in a large store, where each costs a page or two that must be read, fewer. */
const MAX_CANDIDATES = 300
const MAX_CANDIDATES_IN_LARGE_STORE = 150
/** Where the words find fewer than these, they may be pieces of names. */
const MIN_WORD_MATCHES = 3
/** A name with such a piece says more than what is merely near by meaning. */
const NAME_PIECE_WEIGHT = 1.5
/** Fewer by meaning: past the nearest everything is a little alike. */
const MAX_SEMANTIC_CANDIDATES = 80
/** How many may come for nothing but that they are of what was spoken of. */
const MAX_NEWEST_CANDIDATES = 50
/** How many more are read than asked for. */
const EXTRA_DOCUMENTS_READ = 12

/** What is left of a hit for each better turn of its session: an answer that is one session's tells less than one of several. */
const REPEATED_SESSION_FACTOR = 0.97

/** What is known about a question, best first. Nothing when no word of it is known. */
export async function search(
  store: Store,
  given: string,
  filters: RetrievalOptions = {},
  meaning: SemanticSearch | null = null,
): Promise<Hit[]> {
  const question = given.slice(0, MAX_QUERY_CHARACTERS)
  const { limit = 20, offset = 0, excludedSessionId } = filters
  const asked = await weighWords(store, question)
  const { scored, cosines } = await scoreDocuments(store, question, asked, filters, meaning)
  const ranked = scored.ranked().filter(({ place }) => excludedSessionId === undefined || place.sessionId !== excludedSessionId)
  const read: HitWithText[] = []
  const turns = new Map<string, Hit>()
  const authors = personNamesIn(question)
  // Some of the best fold into others, so a few more are read than asked for; and many more where authors could lift what is further down.
  let most = offset + limit + EXTRA_DOCUMENTS_READ
  for (const { place, score, signals } of demoteRepeatedSessions(ranked)) {
    if (read.length >= most) break
    const turn = turnKey(place)
    const told = turn === null ? undefined : turns.get(turn)
    if (told && repeatsTurn(place, told.kind)) {
      told.also.push(hitKey({ kind: place.kind, id: place.ref }))
      continue
    }
    const text = await documentText(store, place)
    if (!text) continue
    const author = authors.size > 0 ? await authorOf(store, place, text.title) : null
    if (author !== null) most = (offset + limit) * 2 + 30
    const byAuthor = author !== null && authors.has(author) ? WEIGHTS.author * score : 0
    const found = makeHit(place, text, score + byAuthor, byAuthor ? { ...signals, author: byAuthor } : signals, asked)
    const hit = { ...found, cosine: cosines.get(place.documentId) ?? null }
    if (isWeakTail(hit, read[0]?.hit)) continue
    if (turn !== null && !told) turns.set(turn, hit)
    read.push({ hit, text: `${text.title}\n${text.body}` })
  }
  return foldHits(read).slice(offset, offset + limit)
}

/**
 * Where the best hit has the words, what is merely a little alike is no answer: whoever reads it pays for it. Told before it is counted as
 * read, so that pages are parts of one list.
 */
function isWeakTail(hit: Hit, best: Hit | undefined): boolean {
  return (
    best !== undefined && best.matched > 0 && hit.matched === 0 && hit.score < MIN_TAIL_SCORE_RATIO * best.score && isByMeaningAlone(hit)
  )
}

const MIN_TAIL_SCORE_RATIO = 0.15
const isByMeaningAlone = ({ signals }: Hit) => SIGNALS_BEYOND_MEANING.every((signal) => signals[signal] === undefined)
const SIGNALS_BEYOND_MEANING: Signal[] = ['words', 'around', 'deeds', 'names', 'links', 'branch', 'project']

/** Who says a prompt, in a conversation where each is signed: the ones right before and after it are too, and not all by the same. */
async function authorOf(store: Store, { kind, sessionId, turn }: DocumentLocation, title: string): Promise<string | null> {
  const author = kind === 'prompt' ? signatureOf(title) : null
  if (author === null || sessionId === null || turn === null) return null
  const beside = await Promise.all([turn - 1, turn + 1].map((number) => store.prompts.byNumber(sessionId, number)))
  const others = beside.flatMap((prompt) => (prompt ? [signatureOf(prompt.text)] : []))
  return others.some((other) => other !== author) && !others.includes(null) ? author : null
}

const signatureOf = (text: string): string | null => {
  const name = text.match(/^(\p{L}+):/u)?.[1]?.toLowerCase()
  return name === undefined || NON_AUTHOR_WORDS.has(name) ? null : name
}

/** How pastes, orders and commits begin. */
const NON_AUTHOR_WORDS = new Set(
  `answer bug build chore context docs error example exception failed feat feature fix goal hint idea important info input issue message
  note output plan problem question refactor result step style summary task test todo traceback update warning`.split(/\s+/),
)

/** What may answer, and what each signal gives it. Each that comes later may look at what the earlier ones found. */
async function scoreDocuments(
  store: Store,
  question: string,
  asked: WeightedWord[],
  filters: RetrievalOptions,
  meaning: SemanticSearch | null,
) {
  const {
    project = null,
    kinds = ALL_KINDS,
    since = 0,
    before = Number.MAX_SAFE_INTEGER,
    filter,
    timeWindow: spoken,
    boosts: favoured,
    unansweredPrompts,
  } = filters
  const scored = newScores(unansweredPrompts?.running)
  const bounds = { project, kinds, since, before, limit: MAX_CANDIDATES, ...(filter ? { filter } : {}) }
  const within = await withCandidates(store, bounds)
  const { candidates: lead } = within
  if (lead?.completeFrom === 0 && lead.ids.length === 0) return { scored, cosines: new Map<number, number>() }
  const found = [await matchWords(store, asked, question, within, filters)]
  const parts = favoured?.scopes.map(({ signal, within }) => ({ signal, part: { ...bounds, ...within } })) ?? []
  // What is of the time, the branch or the project that was spoken of might not be among the best of all.
  for (const part of [...(spoken ? [intersectWindow(bounds, spoken)] : []), ...parts.map(({ part }) => part)])
    found.push(await matchWords(store, asked, question, await withCandidates(store, part), filters))
  scored.add('words', bestMatches(found.map(({ words }) => words)))
  const isOwn = ({ documentId }: DocumentMatch) => scored.has(documentId) || !unansweredPrompts?.preceding.has(documentId)
  scored.add('around', bestMatches(found.map(({ around }) => around)).filter(isOwn))
  const left = lead && (await store.documents.count(null)) > SMALL_STORE_MAX_DOCUMENTS ? lead : null
  if (left && scored.size() < MIN_CANDIDATES) await addCandidateTexts(store, scored, asked, left, within)
  scored.add('deeds', bestMatches(found.map(({ deeds }) => deeds)))
  scored.add(
    'deeds',
    bestMatches(found.map(({ unsaid }) => unsaid)),
    UNKNOWN_WORD_WEIGHT * unknownWordShare(asked.slice(0, MAX_SEARCHED_WORDS)),
  )
  // Asked before meaning is: that always finds something.
  const isFound = scored.size() >= MIN_WORD_MATCHES
  const near = meaning
    ? await meaning(question, project, filter ? MAX_SEMANTIC_CANDIDATES * FILTERED_SEARCH_FACTOR : MAX_SEMANTIC_CANDIDATES)
    : []
  await addMeaning(store, scored, near, within)
  // What filters leave of a large store has been read by now, as far as it is new.
  const half = !filters.isTyped || (left && isFiltered(within)) ? [] : await partialNameSpellings(store, question)
  const pieces = isFound || (left && isFiltered(within)) ? [] : namePieces(question).map((name) => [name])
  const files = (filters.files ?? []).slice(0, 3).filter((file) => !half.flat().includes(file))
  for (const file of files) scored.add('names', await store.documents.matchNames(file, within))
  for (const spellings of [...half, ...pieces])
    scored.add('names', await firstFound(spellings, (name) => store.documents.matchNames(name, within)), NAME_PIECE_WEIGHT)
  if (spoken) addTime(scored, spoken)
  for (const { signal, part } of parts) {
    const newest = favoured?.isWholeQuery ? await store.documents.newest({ ...part, limit: MAX_NEWEST_CANDIDATES }) : []
    const ids = [...scored.each(), ...newest.map((place) => ({ place }))].map(({ place }) => place.documentId)
    for (const place of await store.documents.matching([...new Set(ids)], part)) scored.give(place, signal, WEIGHTS[signal])
  }
  await addLinks(store, scored, within)
  addSession(scored)
  addRecency(scored)
  await addUse(store, scored)
  if (filters.prefersLatest) addLatest(scored)
  return { scored, cosines: new Map(near.map(({ documentId, cosine }) => [documentId, cosine])) }
}

/** With what is known of the documents that the filters and the time leave, where they leave few. */
async function withCandidates(store: Store, bounds: SearchScope): Promise<SearchScope> {
  const lead = await store.documents.candidates(bounds)
  return isFiltered(bounds) || lead.completeFrom === 0 ? { ...bounds, candidates: lead } : bounds
}

const isFiltered = ({ filter, kinds }: SearchScope) => filter !== undefined || kinds.length < ALL_KINDS.length

/** The turn that a memory is of; null for what belongs to none. */
export const turnKey = ({ sessionId, turn }: DocumentLocation): string | null => (turn === null ? null : `${sessionId} ${turn}`)

/**
 * A prompt and its summary tell their turn as a whole, so of a turn that was told by one of them nothing more is told, and of one that was told
 * by an observation only further observations: these tell one thing each.
 */
const repeatsTurn = ({ kind }: DocumentLocation, first: DocumentKind | undefined) =>
  first !== undefined && (kind !== 'observation' || first !== 'observation')

/** Best first, where each further turn of a session counts a little less. */
function demoteRepeatedSessions(ranked: ScoredDocument[]): ScoredDocument[] {
  const before = new Map<number, number>()
  const turns = new Map<string | null, DocumentKind>()
  const less = ranked.map((one) => {
    const { place, score, signals } = one
    if (place.sessionId === null) return one
    const turn = turnKey(place)
    const first = turn === null ? undefined : turns.get(turn)
    const better = before.get(place.sessionId) ?? 0
    if (!repeatsTurn(place, first)) before.set(place.sessionId, better + 1)
    if (!first) turns.set(turn, place.kind)
    const variety = score * (REPEATED_SESSION_FACTOR ** better - 1)
    return better === 0 ? one : { ...one, score: score + variety, signals: { ...signals, variety } }
  })
  return less.sort((a, b) => b.score - a.score || b.place.at - a.place.at)
}

type WordMatches = { words: DocumentMatch[]; around: DocumentMatch[]; deeds: DocumentMatch[]; unsaid: DocumentMatch[] }

/** What holds the words of a question: what was said, what stands around it, what was done, and what was done in words that nobody said. */
async function matchWords(
  store: Store,
  asked: WeightedWord[],
  question: string,
  bounds: SearchScope,
  filters: RetrievalOptions,
): Promise<WordMatches> {
  const { skipsActivity: said, limit = 20, offset = 0 } = filters
  const { words, phrases, scan } = await chooseSearchWords(store, asked, question, bounds)
  const within = { ...bounds, scan, limit: scan ? Math.max(MAX_CANDIDATES_IN_LARGE_STORE, 2 * (offset + limit)) : MAX_CANDIDATES }
  const byWords = await store.documents.match([...words, ...phrases], within)
  const around = await store.documents.matchContext(words, { ...within, alwaysWeighed: byWords.map(({ documentId }) => documentId) })
  const doing = async (some: WeightedWord[]) => (said || some.length === 0 ? [] : store.documents.matchActivity(wordTexts(some), within))
  const telling = asked.slice(0, MAX_SEARCHED_WORDS)
  return { words: byWords, around, deeds: await doing(telling), unsaid: await doing(telling.filter(isUnknownWord)) }
}

/** The time that both leave. */
function intersectWindow(within: SearchScope, { since, before }: TimeWindow): SearchScope {
  return { ...within, since: Math.max(within.since, since ?? 0), before: Math.min(within.before, before ?? Number.MAX_SAFE_INTEGER) }
}

/** Each document once, as good as it is in any of the lists. */
function bestMatches(lists: DocumentMatch[][]): DocumentMatch[] {
  if (lists.length === 1) return lists[0] ?? []
  const best = new Map<number, DocumentMatch>()
  for (const one of lists.flat())
    if (one.score > (best.get(one.documentId)?.score ?? Number.NEGATIVE_INFINITY)) best.set(one.documentId, one)
  return [...best.values()]
}

/** That matters more than all other signals together where the whole question is a name that nobody spoke of. */
const UNKNOWN_WORD_WEIGHT = 4

type ScoredDocument = { place: DocumentLocation; score: number; signals: Partial<Record<Signal, number>> }

/** Signals added up: each is brought to the same measure by its best, then counts by its weight. */
function newScores(leftOut: ReadonlySet<number> = new Set()) {
  const all = new Map<number, ScoredDocument>()
  const give = (place: DocumentLocation, signal: Signal, amount: number) => {
    if (leftOut.has(place.documentId)) return
    const scored = all.get(place.documentId) ?? { place, score: 0, signals: {} }
    scored.score += amount
    scored.signals[signal] = (scored.signals[signal] ?? 0) + amount
    all.set(place.documentId, scored)
  }
  return {
    give,
    add(signal: keyof typeof WEIGHTS, found: DocumentMatch[], weight = WEIGHTS[signal]): void {
      const matches = found.filter((match) => !leftOut.has(match.documentId))
      const best = Math.max(...matches.map((match) => match.score), Number.MIN_VALUE)
      for (const match of matches) give(match, signal, (weight * Math.max(0, match.score)) / best)
    },
    has: (documentId: number) => all.has(documentId),
    get: (documentId: number) => all.get(documentId),
    size: () => all.size,
    each: () => all.values(),
    ranked: (): ScoredDocument[] => [...all.values()].sort((a, b) => b.score - a.score || b.place.at - a.place.at),
  }
}

type Scores = ReturnType<typeof newScores>

/**
 * Where filters leave documents and the words that could be looked for are in few of them, the newest that are left are read and held against
 * the question: common words are looked for among the newest of everything, and of these a filter may leave none.
 */
async function addCandidateTexts(
  store: Store,
  scored: Scores,
  asked: WeightedWord[],
  lead: CandidateIds,
  within: SearchScope,
): Promise<void> {
  const held: DocumentMatch[] = []
  for (const place of await store.documents.newestOf(lead, { ...within, limit: MAX_CANDIDATES_IN_LARGE_STORE })) {
    const text = scored.has(place.documentId) ? null : await documentText(store, place)
    const { coverage, matched } = text ? queryCoverage(`${text.title}\n${text.body}`, asked) : { coverage: 0, matched: 0 }
    if (matched > 0) held.push({ ...place, score: coverage })
  }
  scored.add('words', held, WEIGHTS.words * Math.max(0, ...held.map((match) => match.score)))
}

async function addMeaning(
  store: Store,
  scored: Scores,
  found: { documentId: number; score: number }[],
  within: SearchScope,
): Promise<void> {
  const scores = new Map(found.map(({ documentId, score }) => [documentId, score]))
  // So short a text is near to anything, and says nothing.
  const idle = await store.documents.acknowledgements([...scores.keys()].filter((id) => !scored.has(id)))
  for (const place of await store.documents.matching(
    [...scores.keys()].filter((id) => !idle.has(id)),
    within,
  ))
    scored.give(place, 'meaning', WEIGHTS.meaning * (scores.get(place.documentId) ?? 0))
}

/** The best lend to what they are linked with: a failure to what put it right, a change to the next one of the same files. */
async function addLinks(store: Store, scored: Scores, within: SearchScope): Promise<void> {
  const lenders = scored.ranked().slice(0, MAX_LINK_SOURCES)
  const best = lenders[0]?.score ?? 0
  const lent = new Map<number, number>()
  for (const { place, score } of lenders) {
    for (const side of ['before', 'after'] as const) {
      for (const { from, to, relation } of await store.links.of(place, side, MAX_LINKS_PER_SIDE)) {
        const other = side === 'before' ? from : to
        const at = BOOSTED_RELATIONS.has(relation) ? await store.documents.locationOf(other.kind, other.ref) : null
        if (at) lent.set(at.documentId, Math.max(score / best, lent.get(at.documentId) ?? 0))
      }
    }
  }
  for (const place of await store.documents.matching([...lent.keys()], within))
    scored.give(place, 'links', WEIGHTS.links * (lent.get(place.documentId) ?? 0))
}

const MAX_LINK_SOURCES = 5
/** Of one memory in each direction, the nearest in time. */
const MAX_LINKS_PER_SIDE = 6
/** What comes next in a session, and what a prompt led to, is the business of the session and of what stands around. */
const BOOSTED_RELATIONS: ReadonlySet<LinkRelation> = new Set<LinkRelation>(['same-file', 'co-changed', 'failed-then-fixed', 'supersedes'])

/**
 * A session that answers well in several turns lends weight to all of them. A turn counts once, by its best: its prompt, its summary and its
 * observations tell the same.
 */
function addSession(scored: Scores): void {
  const sessions = new Map<number, Map<number, number>>()
  for (const { place, score } of scored.each()) {
    if (place.sessionId === null) continue
    const turns = sessions.get(place.sessionId) ?? new Map<number, number>()
    const turn = place.turn ?? -place.documentId
    turns.set(turn, Math.max(score, turns.get(turn) ?? 0))
    sessions.set(place.sessionId, turns)
  }
  const strength = new Map([...sessions].map(([id, turns]) => [id, sum([...turns.values()].sort((a, b) => b - a).slice(0, 3))]))
  const best = Math.max(...strength.values(), Number.MIN_VALUE)
  for (const { place } of [...scored.each()]) {
    if (place.sessionId !== null) scored.give(place, 'session', (WEIGHTS.session * (strength.get(place.sessionId) ?? 0)) / best)
  }
}

/**
 * What happened at the time that was spoken of. People misremember, and speak of things after they happened, so what lies beside it counts
 * too: at half its length away, or a day where it is short, half as much.
 */
function addTime(scored: Scores, { since, before }: TimeWindow): void {
  const length = since === null || before === null ? 0 : before - since
  const half = Math.max(DAY_MS, length / 2)
  for (const { place } of [...scored.each()]) {
    const away = Math.max(0, (since ?? 0) - place.at, place.at - (before ?? Number.MAX_SAFE_INTEGER))
    scored.give(place, 'time', (WEIGHTS.time * half) / (half + away))
  }
}

const DAY_MS = 86_400_000

/** A light preference for what is newer, enough to settle a tie. */
function addRecency(scored: Scores): void {
  const times = [...scored.each()].map(({ place }) => place.at)
  const [oldest, newest] = [Math.min(...times), Math.max(...times)]
  if (!(newest > oldest)) return
  for (const { place } of [...scored.each()]) scored.give(place, 'recency', (WEIGHTS.recency * (place.at - oldest)) / (newest - oldest))
}

/** What fits nearly as well as the best, in the order of time. */
function addLatest(scored: Scores): void {
  const ranked = scored.ranked()
  const best = ranked[0]?.score ?? 0
  const near = ranked.filter(({ score }) => score >= LATEST_MIN_SCORE_RATIO * best).sort((a, b) => a.place.at - b.place.at)
  for (const [older, { place, score }] of near.entries())
    scored.give(place, 'recency', best - score + (older / near.length) * LATEST_BOOST_RATIO * best)
}

const LATEST_MIN_SCORE_RATIO = 0.85
/** How far the newest of them is lifted over the best: no further than what is folded into one may be apart. */
const LATEST_BOOST_RATIO = 0.1

/** What was read in full before is a little likelier to be wanted again; ten times is as good as more. */
async function addUse(store: Store, scored: Scores): Promise<void> {
  const ids = scored.ranked().slice(0, MAX_CANDIDATES)
  const uses = await store.documents.useCounts(ids.map(({ place }) => place.documentId))
  for (const { place } of ids) {
    const times = uses.get(place.documentId) ?? 0
    if (times > 0) scored.give(place, 'use', WEIGHTS.use * Math.min(1, Math.log2(1 + times) / Math.log2(11)))
  }
}

/** Pieces worth looking for inside names, the longest first. */
function namePieces(question: string): string[] {
  const words = question.slice(0, 1000).match(/[\p{L}\p{N}_]{3,64}/gu) ?? []
  return [...new Set(words)].sort((a, b) => b.length - a.length).slice(0, 3)
}

/**
 * Names of code of which nothing is known as a whole, each as it may be spelt: it may be the beginning of one, as `manual_commit_g`, or have
 * other signs between its parts, or none.
 */
async function partialNameSpellings(store: Store, question: string): Promise<string[][]> {
  const names = identifiersIn(question, 3).map((name) => ({ name, parts: wordsInIdentifier(name) }))
  if (names.length === 0) return []
  const known = new Set(await store.documents.knownWords(names.map(({ parts }) => parts.join(' '))))
  const half = names.filter(({ parts }) => !known.has(parts.join(' ')))
  // In a large store each spelling may take as long as all words.
  if ((await store.documents.count(null)) > SMALL_STORE_MAX_DOCUMENTS) return half.slice(0, 1).map(({ name }) => [name])
  return half.map(({ name, parts }) => [name, ...['-', '_', ''].map((sign) => parts.join(sign))])
}

async function firstFound(names: string[], find: (name: string) => Promise<DocumentMatch[]>): Promise<DocumentMatch[]> {
  for (const name of new Set(names)) {
    const found = await find(name)
    if (found.length > 0) return found
  }
  return []
}

/** A place in time, told in a line. */
export type TimelineHit = Pick<Hit, 'kind' | 'id' | 'type' | 'title' | 'project' | 'sessionId' | 'at' | 'tokens'> & { anchor: boolean }

/** What happened around a document or a moment, in the order it happened: prompts, observations, summaries and notes interleaved. */
export async function timeline(
  store: Store,
  around: { project: ProjectKey | null; at: number; documentId?: number },
  depth: { before: number; after: number },
): Promise<TimelineHit[]> {
  const places = await store.documents.timelineAround(around.project, around.at, depth.before, depth.after, around.documentId)
  const moments: TimelineHit[] = []
  for (const place of places) {
    const text = await documentText(store, place)
    if (!text) continue
    const { kind, ref, project, sessionId, at, documentId } = place
    const tokens = countTokens(`${text.title}\n${text.body}`)
    moments.push({
      kind,
      id: ref,
      type: text.type,
      title: shorten(text.title, 120),
      project,
      sessionId,
      at,
      tokens,
      anchor: documentId === around.documentId,
    })
  }
  return moments
}

const sum = (values: number[]) => values.reduce((a, b) => a + b, 0)
