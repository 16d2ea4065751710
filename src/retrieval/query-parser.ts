/**
 * Reading a question: which filters it names, which time it speaks of, which words and names are left to look for. Whatever a
 * person types is a legal question; what is no filter and no time is text. The store is not asked here.
 */
import { OBSERVATION_TYPES } from '../core/memory.ts'
import type { DocumentKind } from '../store/store.ts'
import { distinctiveWordsOf, identifiersOf, isAboutRecentWork, isFile, queryWords } from './query-words.ts'
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
  /** What is left to look for, without filters and time words. */
  text: string
  /** Its telling words, lower case, in order. None when the filters say it all: then whatever they let through is meant. */
  words: string[]
  /** What was done is meant, lately or at a time that was named; then there are no words either. */
  asksForRecentWork: boolean
  /** Whether a filter or a time was named. */
  isNarrowed: boolean
  /** It was pasted or is a prompt: it is looked for as it is. */
  isPasted: boolean
  /** What looks like a name of code, whole, as written. */
  identifiers: string[]
  /** Those of them that are files or folders. */
  files: string[]
  filters: QueryFilters
  /** Values of filters that memories may or may not have, where they stand. */
  filterValues: QueryFilterValue[]
  /** Which times were understood, as filters or in the text. A time in the text is a way of speaking: it may prove too narrow. */
  understood: UnderstoodPhrase[]
  /** What was meant as a filter and could not be used as it stands. Unknown values are looked for as text. */
  problems: QueryProblem[]
  /** The words of those values, lower case. */
  rejectedWords: string[]
  /** What is written as a filter is and begins with the name of none. */
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
  kinds: string[]
}

export type UnderstoodPhrase = TimeWindow & { word: string; at: number; meaning: string; from: 'filter' | 'text' }
export type QueryFilterValue = { filter: 'ns' | 'tag' | 'project' | 'branch' | 'session' | 'source'; word: string; at: number }
export type UnknownFilterToken = { key: string; value: string; at: number }
export type QueryProblem = { word: string; at: number; message: string }

/** Reads a question that is asked now. Times are meant in the zone of this machine. */
export function parseQuery(text: string, now: number, zone?: string): ParsedQuery {
  const read = text.slice(0, MAX_QUERY_CHARACTERS)
  const asked = read.trim()
  // What is this long, or has several lines, was pasted or is a prompt; it names no filters and is looked for as it is.
  const isPasted = asked.length > MAX_TYPED_QUERY_CHARACTERS || asked.includes('\n')
  const reading: QueryParserState = {
    ahead: isPasted ? [] : tokenize(read).reverse(),
    clock: clockFor(read, now, zone),
    filters: noFilters(),
    named: [],
    leftOut: { type: [], kind: [] },
    understood: [],
    problems: [],
    rejected: [],
  }
  const kept = parseTokens(reading)
  const { filters, named, understood, problems } = reading
  excludeNames('type', filters.types, TYPES, reading)
  excludeNames('kind', filters.kinds, KINDS, reading)
  for (const token of kept) if (token.filter?.values.length === 0) problems.push(emptyFilterProblem(token, token.filter.key))
  Object.assign(filters, commonWindow(understood, problems))

  const left = isPasted ? asked : kept.map((token) => token.text).join(' ')
  const isNarrowed = Object.values(filters).some((filter) => (Array.isArray(filter) ? filter.length > 0 : filter !== null))
  const isTimed = understood.some((time) => time.from === 'text')
  const aboutDoings = !isPasted && isAboutRecentWork(left, isTimed)
  const words = aboutDoings ? [] : isNarrowed ? distinctiveWordsOf(left) : queryWords(left)
  const identifiers = identifiersOf(left)
  return {
    input: text,
    askedAt: now,
    text: left,
    words,
    asksForRecentWork: aboutDoings,
    isNarrowed,
    isPasted,
    identifiers,
    files: identifiers.filter(isFile),
    filters,
    filterValues: named,
    understood,
    problems: problems.sort((a, b) => a.at - b.at).slice(0, MAX_FILTER_VALUES),
    rejectedWords: reading.rejected,
    unknownFilters: kept.flatMap(unknownFiltersIn),
  }
}

/** The time that several windows leave: times that were spoken of side by side add up, limits cut. */
export function combineWindows(windows: TimeWindow[]): TimeWindow {
  const whole = windows.filter(({ since, before }) => since !== null && before !== null)
  const limits = windows.filter(({ since, before }) => since === null || before === null)
  const least = (side: keyof TimeWindow) => whole.map((window) => window[side]).reduce(lower, null)
  const most = (side: keyof TimeWindow) => whole.map((window) => window[side]).reduce(higher, null)
  return {
    since: limits.map(({ since }) => since).reduce(higher, least('since')),
    before: limits.map(({ before }) => before).reduce(lower, most('before')),
  }
}

const lower = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.min(a, b))
const higher = (a: number | null, b: number | null) => (a === null || b === null ? (a ?? b) : Math.max(a, b))

const MAX_TYPED_QUERY_CHARACTERS = 10_000
/** So much of a question is read; the rest of a paste adds cost and no sense. */
export const MAX_QUERY_CHARACTERS = 50_000
const MAX_FILTER_VALUE_CHARACTERS = 200
/** Of one filter. */
const MAX_FILTER_VALUES = 40

export type FilterKey = 'type' | 'kind' | 'ns' | 'tag' | 'project' | 'branch' | 'path' | 'session' | 'since' | 'before' | 'source'
type FilterTokenValue = { text: string; at: number; quoted: boolean }
/** A word of the question, or a filter with its values. */
type QueryToken = { text: string; at: number; filter?: FilterToken }
type FilterToken = { key: FilterKey; minus: boolean; values: FilterTokenValue[] }

type QueryParserState = {
  /** What is still to be read, the next one last. */
  ahead: QueryToken[]
  clock: Clock
  filters: QueryFilters
  named: QueryFilterValue[]
  /** What must not come, by the filter that says so. */
  leftOut: Record<'type' | 'kind', { name: string; word: string; at: number }[]>
  understood: UnderstoodPhrase[]
  problems: QueryProblem[]
  rejected: string[]
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
  kinds: [],
  since: null,
  before: null,
})

/** How each filter may be spelt, and a value for an example. */
const FILTER_SPELLINGS: Record<FilterKey, [spelt: string, example: string]> = {
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
}
export const FILTER_KEY_BY_SPELLING = new Map(
  Object.entries(FILTER_SPELLINGS).flatMap(([key, [spelt]]) => spelt.split('|').map((name) => [name, key as FilterKey])),
)

const VALUE = `"[^"]{0,${MAX_FILTER_VALUE_CHARACTERS}}"|“[^”]{0,${MAX_FILTER_VALUE_CHARACTERS}}”|'[^']{0,${MAX_FILTER_VALUE_CHARACTERS}}'|[^\\s,]*`
/** A filter, or any word. `file://…` is an address and `Session::get` a name, no filters. */
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

/** Whether a value is one that a filter takes, as far as that can be said without asking what memories have; null where it cannot. */
export function acceptsFilterValue(key: FilterKey, value: string, now: number): boolean | null {
  switch (key) {
    case 'type':
      return resolveName(value, TYPES) !== null
    case 'kind':
      return resolveName(value, KINDS) !== null
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
    // Too long for a value: whatever it is, it is looked for as it stands.
    if (!values) return { text: match[0], at }
    return {
      text: values.length > 0 ? match[0] : `${key}:`,
      at: at + match[0].indexOf(key),
      filter: { key: known, minus: minus !== '', values },
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

/** Takes filters and times out of what is ahead; returns what is left. */
function parseTokens(reading: QueryParserState): QueryToken[] {
  const { ahead } = reading
  const kept: QueryToken[] = []
  for (let token = ahead.pop(); token; token = ahead.pop()) {
    const isTaken = token.filter ? takeFilter(token.filter, reading) : takeTime(token, reading)
    if (!isTaken) kept.push(token)
    // What stood on both sides meets now and may be a time together, so that what is left holds none: “last type:bugfix week”.
    else ahead.push(...kept.splice(-MAX_PHRASE_WORDS).reverse())
  }
  return kept
}

function takeFilter({ key, minus, values }: FilterToken, reading: QueryParserState): boolean {
  if (values.length === 0) return takeSpacedFilter(key, reading)
  const unusable: FilterTokenValue[] = []
  for (const value of values) {
    const cannot = minus && !['tag', 'type', 'kind'].includes(key)
    const message = cannot ? `-${key}: leaves nothing out; -type:, -kind: and -tag: do` : applyFilterValue(key, minus, value, reading)
    if (!message) continue
    reading.problems.push({ word: value.text, at: value.at, message })
    // What should not be found is not looked for either.
    if (minus) continue
    unusable.push(value)
    reading.rejected.push(...queryWords(value.text))
  }
  for (const value of unusable.reverse()) reading.ahead.push(...tokenize(value.text, value.at).reverse())
  return true
}

/** A space after the colon is forgiven where what follows can be nothing else: a type, a kind, a time. */
function takeSpacedFilter(key: FilterKey, reading: QueryParserState): boolean {
  const next = reading.ahead.at(-1)
  if (!next || next.filter) return false
  const value = { text: next.text.replace(/[.,;!?]{1,9}$/, ''), at: next.at, quoted: false }
  const isClear =
    (key === 'type' && isKnownName(value.text, TYPES)) ||
    (key === 'kind' && isKnownName(value.text, KINDS)) ||
    key === 'since' ||
    key === 'before'
  if (!isClear) return false
  reading.ahead.pop()
  if (applyFilterValue(key, false, value, reading) === null) return true
  reading.ahead.push(next)
  return false
}

/** Puts a value where it belongs; returns what is wrong with it, or null. */
function applyFilterValue(key: FilterKey, minus: boolean, value: FilterTokenValue, reading: QueryParserState): string | null {
  const { filters, leftOut } = reading
  const { text } = value
  switch (key) {
    case 'type':
    case 'kind': {
      const known = key === 'type' ? TYPES : KINDS
      const name = resolveName(text, known)
      if (name === null) return describeUnknownValue(text, key, known)
      if (minus) leftOut[key].push({ name, word: text, at: value.at })
      return minus ? null : addValue(key === 'type' ? filters.types : filters.kinds, name)
    }
    case 'since':
    case 'before':
      return applyTimeFilter(key, value, reading)
    case 'path':
      return addValue(filters.paths, text.replace(/^\.\//, ''))
  }
  const message = applyOpenFilterValue(key, minus, text, filters)
  if (message === null && !minus) reading.named.push({ filter: key, word: text, at: value.at })
  return message
}

/** A value of a filter that takes any. */
function applyOpenFilterValue(key: QueryFilterValue['filter'], minus: boolean, text: string, filters: QueryFilters): string | null {
  switch (key) {
    case 'ns':
      return addValue(filters.namespaces, text.toLowerCase())
    case 'tag':
      return addValue(minus ? filters.notTags : filters.tags, text.toLowerCase())
    case 'source':
      return addValue(filters.sources, text.toLowerCase())
    case 'project':
    case 'branch':
    case 'session': {
      const wanted = key === 'project' ? text.toLowerCase() : text
      if (filters[key] !== null && filters[key] !== wanted) return `a question has one ${key}, and this one has ${filters[key]}`
      filters[key] = wanted
      return null
    }
  }
}

/** Makes a list of names what is left of it, or of all there are. Where nothing would be left, nothing is left out. */
function excludeNames(key: 'type' | 'kind', list: string[], { names }: FilterVocabulary, { leftOut, problems }: QueryParserState): void {
  const out = leftOut[key]
  const left = (list.length > 0 ? list : names).filter((name) => !out.some((one) => one.name === name))
  const [first] = out
  if (first && left.length === 0) problems.push({ word: first.word, at: first.at, message: `-${key}: would leave no ${key} at all` })
  else if (first) list.splice(0, list.length, ...left)
}

const addValue = (list: string[], value: string) => {
  if (list.length < MAX_FILTER_VALUES && !list.includes(value)) list.push(value)
  return null
}

const TYPES: FilterVocabulary = {
  names: [...OBSERVATION_TYPES, 'procedural', 'semantic', 'episodic'],
  alias: { fix: 'bugfix', refactoring: 'refactor' },
}
const KINDS: FilterVocabulary = { names: ['observation', 'summary', 'prompt', 'note'] satisfies DocumentKind[], alias: {} }
type FilterVocabulary = { names: string[]; alias: Record<string, string> }

function describeUnknownValue(text: string, what: string, known: FilterVocabulary): string {
  const near = known.names.find((name) => editsBetween(text.toLowerCase(), name) < 3)
  return `there is no ${what} “${text}”; ${near ? `did you mean ${near}?` : `there are ${known.names.join(', ')}`}`
}

/** The name that was meant: itself, its plural, another word for it, or the only one that begins so. */
function resolveName(text: string, { names, alias }: FilterVocabulary): string | null {
  const word = singular(text.toLowerCase())
  const begun = names.filter((name) => word.length > 1 && name.startsWith(word))
  return names.find((name) => name === word) ?? (Object.hasOwn(alias, word) ? alias[word] : begun.length === 1 ? begun[0] : null) ?? null
}

const isKnownName = (text: string, { names }: FilterVocabulary) => names.includes(singular(text.toLowerCase()))

const singular = (word: string) =>
  word
    .replace(/ies$/, 'y')
    .replace(/xes$/, 'x')
    .replace(/(?<=..)s$/, '')

/** How many letters must be typed differently. Only asked of short words. */
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

/** `since:last week` means both words, quoted or not. */
function applyTimeFilter(key: 'since' | 'before', value: FilterTokenValue, reading: QueryParserState): string | null {
  const time = parseTimePhrase([value.text, ...(value.quoted ? [] : wordsAhead(reading))].join(' '), reading.clock, true)
  const own = value.text.split(' ').length
  if (!time || time.boundary === null || time.wordCount < own)
    return `“${value.text}” is no time that ${key}: understands; it takes ${TIME_EXAMPLES}`
  const word = [value.text, ...takeWords(time.wordCount - own, reading)].join(' ')
  recordTime(reading, { since: null, before: null, [key]: time.boundary }, word, value.at, 'filter')
  return null
}

/** A time in the text that begins with this word, or stands inside it where a script sets no spaces. */
function takeTime(token: QueryToken, reading: QueryParserState): boolean {
  const inside = findUnspacedTimes(token.text, reading.clock)
  if (inside.length > 0) {
    for (const { word, at, ...window } of inside) recordTime(reading, window, word, token.at + at, 'text')
    const starts = [0, ...inside.map(({ word, at }) => at + word.length)]
    const ends = [...inside.map(({ at }) => at), token.text.length]
    const left = starts.flatMap((start, i) => tokenize(token.text.slice(start, ends[i]), token.at + start))
    reading.ahead.push(...left.reverse())
    return true
  }
  const time = parseTimePhrase([token.text, ...wordsAhead(reading)].join(' '), reading.clock)
  if (!time) return false
  const word = [token.text, ...takeWords(time.wordCount - 1, reading)].join(' ')
  recordTime(reading, time, word, token.at, 'text')
  return true
}

/** The next words, up to a filter. */
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
  reading: QueryParserState,
  { since, before }: TimeWindow,
  word: string,
  at: number,
  from: UnderstoodPhrase['from'],
): void {
  const meaning = describeWindow({ since, before }, reading.clock.now.timeZoneId)
  reading.understood.push({ word: word.replace(/[)"'”.,;:!?…]+$/, ''), at, meaning, from, since, before })
}

function emptyFilterProblem({ text, at }: QueryToken, key: FilterKey): QueryProblem {
  return { word: text, at, message: `${text} needs its value right behind it, as in ${key}:${FILTER_SPELLINGS[key][1]}` }
}

/** What all the times leave. If that is nothing, what was only spoken of does not count. */
function commonWindow(understood: UnderstoodPhrase[], problems: QueryProblem[]): TimeWindow {
  const all = combineWindows(understood)
  const last = understood.at(-1)
  if (!last || all.since === null || all.before === null || all.since < all.before) return all
  const said = understood.filter(({ since, before }) => since !== before).map(({ word }) => word)
  problems.push({ word: last.word, at: last.at, message: `these times have nothing in common: ${said.slice(0, 4).join('; ')}` })
  return combineWindows(understood.filter(({ from }) => from === 'filter'))
}
