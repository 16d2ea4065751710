import { closestName } from '../core/closest-name.ts'
import { projectName } from '../core/project.ts'
import type { Store } from '../store/store.ts'
import {
  acceptsFilterValue,
  FILTER_KEY_BY_SPELLING,
  type FilterKey,
  type QueryFilterValue,
  type QueryProblem,
  type UnknownFilterToken,
} from './query-parser.ts'
import { matchBranches } from './query-references.ts'
import { isWordInDocuments } from './spelling.ts'

/** The filter values that no memory has, each with a suggestion. For a query that found nothing. */
export async function unknownFilterValues(store: Store, filterValues: QueryFilterValue[]): Promise<QueryProblem[]> {
  const problems: QueryProblem[] = []
  for (const { filter, word, at } of filterValues) {
    if (filter === 'session') problems.push({ word, at, message: `unknown session “${word}”; ${SESSION_HINT}` })
    if (filter === 'session' || filter === 'project') continue
    const values = await store.documents.filterValues(filter)
    if (isAmong(values, filter, word)) continue
    problems.push({ word, at, message: `unknown ${FILTER_NAMES[filter]} “${word}”; ${suggestValue(word, values)}` })
  }
  return problems
}

/** Words that were probably meant as a filter: the name is misspelled, and the filter accepts the value. */
export async function misnamedFilters(store: Store, tokens: UnknownFilterToken[], now: number): Promise<QueryProblem[]> {
  const problems: QueryProblem[] = []
  for (const { key, value, at } of tokens.slice(0, MAX_SUGGESTIONS)) {
    const meant = closestName(key, [...FILTER_KEY_BY_SPELLING.keys()])
    const filter = meant && FILTER_KEY_BY_SPELLING.get(meant)
    // `version:12` does not mean a session.
    if (!filter || !meant.slice(0, 2).includes(key.charAt(0).toLowerCase())) continue
    // If memories contain the key, as in `patch:src/a.ts`, it is a word of its own.
    if (await isWordInDocuments(store, key.toLowerCase())) continue
    if (acceptsFilterValue(filter, value, now) ?? (await isKnownValue(store, filter, value)))
      problems.push({ word: `${key}:`, at, message: `unknown filter ${key}:; did you mean ${meant}:?` })
  }
  return problems
}

async function isKnownValue(store: Store, filter: FilterKey, value: string): Promise<boolean> {
  const wanted = value.toLowerCase()
  if (filter === 'project') return (await store.projects.withSessions()).some((key) => key === wanted || projectName(key) === wanted)
  return isOpenFilter(filter) && isAmong(await store.documents.filterValues(filter), filter, value)
}

const isAmong = (values: string[], filter: OpenFilter, value: string) =>
  filter === 'branch' ? matchBranches(value, values).length > 0 : values.some((known) => known.toLowerCase() === value.toLowerCase())

const isOpenFilter = (filter: FilterKey): filter is OpenFilter => Object.hasOwn(FILTER_NAMES, filter)

const SESSION_HINT = 'use its number, or at least the first four characters of its id'
const FILTER_NAMES = { ns: 'namespace', tag: 'tag', branch: 'branch', source: 'source' }
type OpenFilter = keyof typeof FILTER_NAMES

function suggestValue(word: string, values: string[]): string {
  const close = closestName(word, values)
  if (close) return `did you mean ${close}?`
  return values.length === 0
    ? 'no memory has one yet'
    : `use one of: ${values.slice(0, MAX_SUGGESTIONS).join(', ')}${values.length > MAX_SUGGESTIONS ? ', …' : ''}`
}

const MAX_SUGGESTIONS = 8
