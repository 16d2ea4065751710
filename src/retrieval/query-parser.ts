/**
 * Parses a query: its filters, the times it mentions, and the words and names that remain. Any input is valid: whatever is neither a filter
 * nor a time is text. This file never reads the store.
 */
import { AGENT_NAMES } from '../core/agent.ts'
import { OBSERVATION_TYPES } from '../core/memory.ts'
import type { DocumentKind } from '../store/store.ts'
import {
  distinctiveWordsOf,
  identifiersOf,
  isAboutRecentWork,
  isFile,
  type NameInQuery,
  possibleNamesIn,
  queryWords,
} from './query-words.ts'
import {
  type Clock,
  clockFor,
  describeWindow,
  findUnspacedTimes,
  MAX_PHRASE_WORDS,
  parseTimePhrase,
  TIME_EXAMPLES,
  type TimeWindow,
} from './time-phrases.ts'

export type ParsedQuery = {
  /** The whole query, as it was typed. */
  input: string
  askedAt: number
  /** The text to search for, without filters and time phrases. */
  text: string
  /** Its distinctive words, in lower case and in order. Empty if there is nothing to search for but what the filters allow. */
  words: string[]
  /** It asks what was done, recently or at a mentioned time. Then `words` is empty too. */
  asksForRecentWork: boolean
  /** It has a filter or mentions a time. */
  isNarrowed: boolean
  /** It was pasted, or is a prompt: all of it is text. */
  isPasted: boolean
  /** Whole names that look like code, as written. */
  identifiers: string[]
  /** Those identifiers that are files or folders. */
  files: string[]
  /** Words that may name a branch or a project. */
  possibleNames: NameInQuery[]
  filters: QueryFilters
  /** Values of filters that a memory may or may not have. */
  filterValues: QueryFilterValue[]
  /** The recognised times, in filters or in the text. A time in the text may be misremembered, so it should not exclude anything. */
  understood: UnderstoodPhrase[]
  /** Filters that could not be used as written. Unknown values are searched for as text. */
  problems: QueryProblem[]
  /** The words of those values, in lower case. */
  rejectedWords: string[]
  /** `key:value` tokens whose key is not a known filter. */
  unknownFilters: UnknownFilterToken[]
}

export type QueryFilters = TimeWindow & {
  types: string[]
  namespaces: string[]
  tags: string[]
  notTags: string[]
  project: string | null
  branch: string | null
  paths: string[]
  session: string | null
  sources: string[]
  agents: string[]
  kinds: string[]
}

export type UnderstoodPhrase = TimeWindow & { word: string; at: number; meaning: string; from: 'filter' | 'text' }
export type QueryFilterValue = { filter: 'ns' | 'tag' | 'project' | 'branch' | 'session' | 'source'; word: string; at: number }
export type UnknownFilterToken = { key: string; value: string; at: number }
export type QueryProblem = { word: string; at: number; message: string }

/** Parses a query. Times are relative to `now`, in the time zone of this machine. */
export function parseQuery(text: string, now: number, zone?: string): ParsedQuery {
  const readText = text.slice(0, MAX_QUERY_CHARACTERS)
  const trimmed = readText.trim()
  // A long text, or one with several lines, was pasted or is a prompt, so it has no filters.
  const isPasted = trimmed.length > MAX_TYPED_QUERY_CHARACTERS || trimmed.includes('\n')
  const state: QueryParserState = {
    ahead: isPasted ? [] : tokenize(readText).reverse(),
    clock: clockFor(readText, now, zone),
    filters: noFilters(),
    values: [],
    excluded: { type: [], kind: [] },
    understood: [],
    problems: [],
    rejectedWords: [],
  }
  const textTokens = parseTokens(state)
  const { filters, understood, problems } = state
  excludeNames('type', filters.types, TYPES, state)
  excludeNames('kind', filters.kinds, KINDS, state)
  for (const token of textTokens) if (token.filter?.values.length === 0) problems.push(emptyFilterProblem(token, token.filter.key))
  Object.assign(filters, commonWindow(understood, problems))

  const remaining = isPasted ? trimmed : textTokens.map((token) => token.text).join(' ')
  const isNarrowed = Object.values(filters).some((filter) => (Array.isArray(filter) ? filter.length > 0 : filter !== null))
  const mentionsTime = understood.some((time) => time.from === 'text')
  const asksForRecentWork = !isPasted && isAboutRecentWork(remaining, mentionsTime)
  const words = asksForRecentWork ? [] : isNarrowed ? distinctiveWordsOf(remaining) : queryWords(remaining)
  const identifiers = identifiersOf(remaining)
  return {
    input: text,
    askedAt: now,
    text: remaining,
    words,
    asksForRecentWork,
    isNarrowed,
    isPasted,
    identifiers,
    files: identifiers.filter(isFile),
    possibleNames: isPasted ? [] : possibleNamesIn(remaining),
    filters,
    filterValues: state.values,
    understood,
    problems: problems.sort((a, b) => a.at - b.at).slice(0, MAX_FILTER_VALUES),
    rejectedWords: state.rejectedWords,
    unknownFilters: textTokens.flatMap(unknownFiltersIn),
  }
}

/** Combines several windows: bounded ones are joined (“in March and in May”), open ones limit the result (“since March”). */
export function combineWindows(windows: TimeWindow[]): TimeWindow {
  const bounded = windows.filter(({ since, before }) => since !== null && before !== null)
  const open = windows.filter(({ since, before }) => since === null || before === null)
  const earliest = bounded.map(({ since }) => since).reduce(lower, null)
  const latest = bounded.map(({ before }) => before).reduce(higher, null)
  return {
    since: open.map(({ since }) => since).reduce(higher, earliest),
    before: open.map(({ before }) => before).reduce(lower, latest),
  }
}

const lower = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b))
const higher = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.max(a, b))

const MAX_TYPED_QUERY_CHARACTERS = 10_000
/** The rest of a longer paste would add cost and no meaning. */
export const MAX_QUERY_CHARACTERS = 50_000
const MAX_FILTER_VALUE_CHARACTERS = 200
/** For each filter. */
const MAX_FILTER_VALUES = 40

export type FilterKey = 'type' | 'kind' | 'ns' | 'tag' | 'project' | 'branch' | 'path' | 'session' | 'since' | 'before' | 'source' | 'agent'
type FilterTokenValue = { text: string; at: number; quoted: boolean }
/** A word of the query, or a filter with its values. */
type QueryToken = { text: string; at: number; filter?: FilterToken }
type FilterToken = { key: FilterKey; isExcluding: boolean; values: FilterTokenValue[] }

type QueryParserState = {
  /** The tokens that are not parsed yet, the next one last. */
  ahead: QueryToken[]
  clock: Clock
  filters: QueryFilters
  values: QueryFilterValue[]
  /** The values of `-type:` and `-kind:`. */
  excluded: Record<'type' | 'kind', { name: string; word: string; at: number }[]>
  understood: UnderstoodPhrase[]
  problems: QueryProblem[]
  rejectedWords: string[]
}

const noFilters = (): QueryFilters => ({
  types: [],
  namespaces: [],
  tags: [],
  notTags: [],
  project: null,
  branch: null,
  paths: [],
  session: null,
  sources: [],
  agents: [],
  kinds: [],
  since: null,
  before: null,
})

/** The spellings of each filter, and an example value. */
const FILTER_SPELLINGS: Record<FilterKey, [spellings: string, example: string]> = {
  type: ['type|types', 'bugfix'],
  kind: ['kind|kinds', 'summary'],
  ns: ['ns|namespace|namespaces', 'decisions'],
  tag: ['tag|tags', 'auth'],
  project: ['project|projects', 'app'],
  branch: ['branch|branches', 'main'],
  path: ['path|paths|file|files', 'src/auth'],
  session: ['session|sessions', '12'],
  since: ['since|after', '7d'],
  before: ['before|until', 'march'],
  source: ['source|sources', 'import'],
  agent: ['agent|agents', 'codex'],
}
export const FILTER_KEY_BY_SPELLING = new Map(
  Object.entries(FILTER_SPELLINGS).flatMap(([key, [spellings]]) => spellings.split('|').map((name) => [name, key as FilterKey])),
)

const VALUE = `"[^"]{0,${MAX_FILTER_VALUE_CHARACTERS}}"|“[^”]{0,${MAX_FILTER_VALUE_CHARACTERS}}”|'[^']{0,${MAX_FILTER_VALUE_CHARACTERS}}'|[^\\s,]*`
/** A filter, or any word. `file://…` is a URL and `Session::get` a name, not filters. */
const TOKEN = new RegExp(
  `[([]?(?<minus>[-–−]?)(?<key>${[...FILTER_KEY_BY_SPELLING.keys()].join('|')})[:：](?!//|[:：])(?<values>(?:${VALUE})(?:,(?:${VALUE}))*)(?=\\s|$)|\\S+`,
  'gi',
)

/** `tpye:bugfix`; not `http://x`, `std::vector`, `src/a.ts:12`, `TODO:` or `a:b:c`. */
const UNKNOWN_FILTER_PATTERN = /^[([]?[-–−]?(?<key>[a-z]{3,12})[:：](?!\/\/)(?<value>[^\s:：,]{1,200})(?=,|$)/i

function unknownFiltersIn({ text, at, filter }: QueryToken): UnknownFilterToken[] {
  const { key, value } = (!filter && UNKNOWN_FILTER_PATTERN.exec(text)?.groups) || {}
  return key && value ? [{ key, value: value.replace(/^["'“`*]+|[.;!?…"'”`*\])]+$/g, ''), at: at + text.indexOf(key) }] : []
}

/** Whether a filter accepts a value; null if that depends on the stored memories. */
export function acceptsFilterValue(key: FilterKey, value: string, now: number): boolean | null {
  switch (key) {
    case 'type':
      return resolveName(value, TYPES) !== null
    case 'kind':
      return resolveName(value, KINDS) !== null
    case 'agent':
      return resolveName(value, AGENTS) !== null
    case 'since':
    case 'before':
      return (parseTimePhrase(value, clockFor(value, now), true)?.boundary ?? null) !== null
    case 'path':
      return isFile(value) || /[\p{L}\p{N}]\/[\p{L}\p{N}]/u.test(value)
    case 'session':
      return /^(?:\d{1,15}|[0-9a-f][0-9a-f-]{3,35})$/.test(value)
    default:
      return null
  }
}

function tokenize(text: string, start = 0): QueryToken[] {
  return [...text.matchAll(TOKEN)].map((match) => {
    const { minus, key = '', values: raw = '' } = match.groups ?? {}
    const at = start + match.index
    const known = FILTER_KEY_BY_SPELLING.get(key.toLowerCase())
    if (!known) return { text: match[0], at }
    const values = valuesIn(raw, at + match[0].length - raw.length, /^[([]/.test(match[0]))
    // Too long for a value, so it is text.
    if (!values) return { text: match[0], at }
    return {
      // Read only if it has no value: then the key is searched as text.
      text: `${key}:`,
      at: at + match[0].indexOf(key),
      filter: { key: known, isExcluding: minus !== '', values },
    }
  })
}

function valuesIn(raw: string, start: number, inBrackets: boolean): FilterTokenValue[] | null {
  const values: FilterTokenValue[] = []
  for (const { 0: value, index } of raw.matchAll(new RegExp(`(?<=^|,)(?:${VALUE})(?=,|$)`, 'g'))) {
    if (value.length > MAX_FILTER_VALUE_CHARACTERS + 2) return null
    const quoted = /^(?:"[^"]*"|“[^”]*”|'[^']*')$/.test(value)
    const end = inBrackets ? /[.;!?…"'”`*\])]+$/ : /[.;!?…"'”`*]+$/
    const text = quoted ? value.slice(1, -1).replace(/\s+/g, ' ').trim() : value.replace(/^["'“`*]+/, '').replace(end, '')
    if (/[\p{L}\p{N}]/u.test(text)) values.push({ text, at: start + index + value.search(/[^\s"'“`*]/), quoted })
  }
  return values
}

/** Takes the filters and times out of the tokens ahead, and returns the other tokens. */
function parseTokens(state: QueryParserState): QueryToken[] {
  const { ahead } = state
  const textTokens: QueryToken[] = []
  for (let token = ahead.pop(); token; token = ahead.pop()) {
    const isTaken = token.filter ? takeFilter(token.filter, state) : takeTime(token, state)
    if (!isTaken) textTokens.push(token)
    // The words on both sides of a filter may form a time together: “last type:bugfix week”.
    else ahead.push(...textTokens.splice(-MAX_PHRASE_WORDS).reverse())
  }
  return textTokens
}

function takeFilter({ key, isExcluding, values }: FilterToken, state: QueryParserState): boolean {
  if (values.length === 0) return takeSpacedFilter(key, state)
  const unusable: FilterTokenValue[] = []
  for (const value of values) {
    const cannotExclude = isExcluding && !['tag', 'type', 'kind'].includes(key)
    const message = cannotExclude
      ? `-${key}: is not supported; only -type:, -kind: and -tag: exclude`
      : applyFilterValue(key, isExcluding, value, state)
    if (!message) continue
    state.problems.push({ word: value.text, at: value.at, message })
    // A value that should be excluded is not searched for.
    if (isExcluding) continue
    unusable.push(value)
    state.rejectedWords.push(...queryWords(value.text))
  }
  for (const value of unusable.reverse()) state.ahead.push(...tokenize(value.text, value.at).reverse())
  return true
}

/** Allows a space after the colon if the next word is clearly the value: a type, a kind or a time. */
function takeSpacedFilter(key: FilterKey, state: QueryParserState): boolean {
  const next = state.ahead.at(-1)
  if (!next || next.filter) return false
  const value = { text: next.text.replace(/[.,;!?]{1,9}$/, ''), at: next.at, quoted: false }
  const isClear =
    (key === 'type' && isKnownName(value.text, TYPES)) ||
    (key === 'kind' && isKnownName(value.text, KINDS)) ||
    key === 'since' ||
    key === 'before'
  if (!isClear) return false
  state.ahead.pop()
  if (applyFilterValue(key, false, value, state) === null) return true
  state.ahead.push(next)
  return false
}

/** Adds a value to the filters. Returns what is wrong with it, or null. */
function applyFilterValue(key: FilterKey, isExcluding: boolean, value: FilterTokenValue, state: QueryParserState): string | null {
  const { filters, excluded } = state
  const { text } = value
  switch (key) {
    case 'type':
    case 'kind': {
      const known = key === 'type' ? TYPES : KINDS
      const name = resolveName(text, known)
      if (name === null) return describeUnknownValue(text, key, known)
      if (isExcluding) excluded[key].push({ name, word: text, at: value.at })
      return isExcluding ? null : addValue(key === 'type' ? filters.types : filters.kinds, name)
    }
    case 'agent': {
      const name = resolveName(text, AGENTS)
      return name === null ? describeUnknownValue(text, key, AGENTS) : addValue(filters.agents, name)
    }
    case 'since':
    case 'before':
      return applyTimeFilter(key, value, state)
    case 'path':
      return addValue(filters.paths, text.replace(/^\.\//, ''))
  }
  const message = applyOpenFilterValue(key, isExcluding, text, filters)
  if (message === null && !isExcluding) state.values.push({ filter: key, word: text, at: value.at })
  return message
}

/** For filters that accept any value. */
function applyOpenFilterValue(key: QueryFilterValue['filter'], isExcluding: boolean, text: string, filters: QueryFilters): string | null {
  switch (key) {
    case 'ns':
      return addValue(filters.namespaces, text.toLowerCase())
    case 'tag':
      return addValue(isExcluding ? filters.notTags : filters.tags, text.toLowerCase())
    case 'source':
      return addValue(filters.sources, text.toLowerCase())
    case 'project':
    case 'branch':
    case 'session': {
      const wanted = key === 'project' ? text.toLowerCase() : text
      if (filters[key] !== null && filters[key] !== wanted)
        return `only one ${key}: is allowed, and the query already has ${key}:${filters[key]}`
      filters[key] = wanted
      return null
    }
  }
}

/** Removes the excluded names from a list, or from all names if the list is empty. Excluding everything is ignored. */
function excludeNames(key: 'type' | 'kind', list: string[], { names }: FilterVocabulary, { excluded, problems }: QueryParserState): void {
  const remaining = (list.length > 0 ? list : names).filter((name) => !excluded[key].some((one) => one.name === name))
  const [first] = excluded[key]
  if (!first) return
  if (remaining.length > 0) list.splice(0, list.length, ...remaining)
  else problems.push({ word: first.word, at: first.at, message: `ignored, because -${key}: would exclude every ${key}` })
}

const addValue = (list: string[], value: string) => {
  if (list.length < MAX_FILTER_VALUES && !list.includes(value)) list.push(value)
  return null
}

const TYPES: FilterVocabulary = {
  names: [...OBSERVATION_TYPES, 'procedural', 'semantic', 'episodic'],
  alias: { fix: 'bugfix', refactoring: 'refactor' },
}
const KINDS: FilterVocabulary = { names: ['observation', 'summary', 'prompt', 'note', 'commit'] satisfies DocumentKind[], alias: {} }
const AGENTS: FilterVocabulary = { names: [...AGENT_NAMES], alias: {} }
type FilterVocabulary = { names: string[]; alias: Record<string, string> }

function describeUnknownValue(text: string, what: string, known: FilterVocabulary): string {
  const near = known.names.find((name) => editsBetween(text.toLowerCase(), name) < 3)
  return `unknown ${what} “${text}”; ${near ? `did you mean ${near}?` : `use one of: ${known.names.join(', ')}`}`
}

/** The name that a text means: the name itself, its plural, an alias, or the only name with that beginning. */
function resolveName(text: string, { names, alias }: FilterVocabulary): string | null {
  const word = singular(text.toLowerCase())
  const matches = names.filter((name) => word.length > 1 && name.startsWith(word))
  return (
    names.find((name) => name === word) ?? (Object.hasOwn(alias, word) ? alias[word] : matches.length === 1 ? matches[0] : null) ?? null
  )
}

const isKnownName = (text: string, { names }: FilterVocabulary) => names.includes(singular(text.toLowerCase()))

const singular = (word: string) =>
  word
    .replace(/ies$/, 'y')
    .replace(/xes$/, 'x')
    .replace(/(?<=..)s$/, '')

/** The edit distance of two short words; 3 stands for 3 or more if their lengths differ. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3
  let above = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (const [i, letter] of [...a].entries()) {
    const row = [i + 1]
    for (const [j, other] of [...b].entries())
      row.push(Math.min((row[j] ?? 0) + 1, (above[j + 1] ?? 0) + 1, (above[j] ?? 0) + Number(letter !== other)))
    above = row
  }
  return above.at(-1) ?? 0
}

/** `since:last week` takes both words, quoted or not. */
function applyTimeFilter(key: 'since' | 'before', value: FilterTokenValue, state: QueryParserState): string | null {
  const time = parseTimePhrase([value.text, ...(value.quoted ? [] : wordsAhead(state))].join(' '), state.clock, true)
  const ownWords = value.text.split(' ').length
  if (!time || time.boundary === null || time.wordCount < ownWords)
    return `“${value.text}” is not a time for ${key}:; use for example ${TIME_EXAMPLES}`
  const word = [value.text, ...takeWords(time.wordCount - ownWords, state)].join(' ')
  recordTime(state, { since: null, before: null, [key]: time.boundary }, word, value.at, 'filter')
  return null
}

/** Takes a time that starts with this word, or that is inside it in a script without spaces. */
function takeTime(token: QueryToken, state: QueryParserState): boolean {
  const inside = findUnspacedTimes(token.text, state.clock)
  if (inside.length > 0) {
    for (const { word, at, ...window } of inside) recordTime(state, window, word, token.at + at, 'text')
    const starts = [0, ...inside.map(({ word, at }) => at + word.length)]
    const ends = [...inside.map(({ at }) => at), token.text.length]
    const rest = starts.flatMap((start, i) => tokenize(token.text.slice(start, ends[i]), token.at + start))
    state.ahead.push(...rest.reverse())
    return true
  }
  const time = parseTimePhrase([token.text, ...wordsAhead(state)].join(' '), state.clock)
  if (!time) return false
  const word = [token.text, ...takeWords(time.wordCount - 1, state)].join(' ')
  recordTime(state, time, word, token.at, 'text')
  return true
}

/** The next words, up to the next filter. */
function wordsAhead({ ahead }: QueryParserState): string[] {
  const near = ahead.slice(-MAX_PHRASE_WORDS).reverse()
  const end = near.findIndex((token) => token.filter)
  return near.slice(0, end < 0 ? undefined : end).map((token) => token.text)
}

function takeWords(count: number, { ahead }: QueryParserState): string[] {
  const taken = ahead.splice(ahead.length - count)
  return taken.reverse().map((token) => token.text)
}

function recordTime(
  state: QueryParserState,
  { since, before }: TimeWindow,
  word: string,
  at: number,
  from: UnderstoodPhrase['from'],
): void {
  const meaning = describeWindow({ since, before }, state.clock.now.timeZoneId)
  state.understood.push({ word: word.replace(/[)"'”.,;:!?…]+$/, ''), at, meaning, from, since, before })
}

function emptyFilterProblem({ text, at }: QueryToken, key: FilterKey): QueryProblem {
  return { word: text, at, message: `${text} has no value; write it without a space, as in ${key}:${FILTER_SPELLINGS[key][1]}` }
}

/** The overlap of all times. If there is none, the times in the text are ignored. */
function commonWindow(understood: UnderstoodPhrase[], problems: QueryProblem[]): TimeWindow {
  const all = combineWindows(understood)
  const last = understood.at(-1)
  if (!last || all.since === null || all.before === null || all.since < all.before) return all
  const words = understood.filter(({ since, before }) => since !== before).map(({ word }) => word)
  problems.push({ word: last.word, at: last.at, message: `these times do not overlap: ${words.slice(0, 4).join('; ')}` })
  return combineWindows(understood.filter(({ from }) => from === 'filter'))
}
