/**
 * What a question speaks of by its name without naming a filter: “what did we do on feature/blue-whale”, “the crash in tide-pool”. Only a name
 * that can hardly be another word counts, and only one that there is. Like a time that is spoken of it hides nothing.
 */
import type { ProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import type { DocumentFilter, Store } from '../store/store.ts'
import { hasOnlyCommonWords } from './query-words.ts'
import { NO_DOCUMENT_FILTER, type QueryBoosts } from './search-options.ts'

export type QueryReferences = {
  /** Any of these is meant, as they are written. */
  branches: string[]
  project: ProjectKey | null
  /** The words by which they are named, and what each means. */
  words: { word: string; meaning: string }[]
  /** The text without the names, also that of the project in which is asked. */
  rest: string
  /** The same where it names nothing of this project but a branch of another; else null. */
  restElsewhere: string | null
}

/** The known branches that a text names, and, where all projects are asked, the project; null where it names nothing. */
export async function referencesIn(store: Store, text: string, askedIn: ProjectKey | null): Promise<QueryReferences | null> {
  const named = candidateNames(text)
  if (named.length === 0) return null
  const branches = named.some(({ word }) => isDistinctiveName(word)) ? await store.documents.filterValues('branch', askedIn) : []
  const projects = await store.projects.withSessions()
  const found = named
    .map((name) => ({
      ...name,
      branches: isDistinctiveName(name.word) ? matchBranches(name.word, branches) : [],
      project: matchProject(name.word, projects),
    }))
    // Of several projects none is meant more than the others.
    .map((name, _, all) => (askedIn === null && projectsOf(all).size > 1 ? { ...name, project: null } : name))
    .filter((name) => name.branches.length > 0 || (name.project !== null && (askedIn === null || name.project === askedIn)))
  if (found.length === 0) return otherProjectReferences(store, text, named, askedIn)
  const project = askedIn === null ? ([...projectsOf(found)][0] ?? null) : null
  return {
    branches: [...new Set(found.flatMap((name) => name.branches))],
    project,
    words: found.flatMap(({ word, branches, project: its }) => [
      ...(branches.length > 0 ? [{ word, meaning: `the branch ${branches.slice(0, MAX_BRANCHES_LISTED).join(', ')}` }] : []),
      ...(its !== null && its === project ? [{ word, meaning: `the project ${its}` }] : []),
    ]),
    rest: withoutNames(text, found),
    restElsewhere: null,
  }
}

/** Whether a text that names nothing of the project in which is asked names a branch of another one. */
async function otherProjectReferences(
  store: Store,
  text: string,
  named: NameInQuery[],
  askedIn: ProjectKey | null,
): Promise<QueryReferences | null> {
  const telling = askedIn === null ? [] : named.filter(({ word }) => isDistinctiveName(word))
  const known = telling.length > 0 ? await store.documents.filterValues('branch') : []
  const found = telling.filter(({ word }) => matchBranches(word, known).length > 0)
  return found.length === 0 ? null : { branches: [], project: null, words: [], rest: text, restElsewhere: withoutNames(text, found) }
}

/** The references as scopes whose documents rank higher. A `branch:` filter already decides the branch. */
export function boostsFor({ branches, project, rest }: QueryReferences, filter: DocumentFilter | null): QueryBoosts {
  const scopes: QueryBoosts['scopes'] = []
  const { branches: filtered, ...others } = filter ?? NO_DOCUMENT_FILTER
  if (branches.length > 0 && filtered.length === 0) scopes.push({ signal: 'branch', within: { filter: { ...others, branches } } })
  if (project !== null) scopes.push({ signal: 'project', within: { project } })
  return { scopes, isWholeQuery: hasOnlyCommonWords(rest) }
}

const withoutNames = (text: string, names: NameInQuery[]) => names.reduceRight((rest, { word, at }) => withoutName(rest, word, at), text)

const projectsOf = (names: { project: ProjectKey | null }[]) => new Set(names.flatMap(({ project }) => project ?? []))

/** Which of the known branches a name means: those that are called so, else those whose name ends so behind a slash. */
export function matchBranches(name: string, known: string[]): string[] {
  const wanted = name.toLowerCase()
  const whole = known.filter((branch) => branch.toLowerCase() === wanted)
  return whole.length > 0 ? whole : known.filter((branch) => branch.toLowerCase().endsWith(`/${wanted}`))
}

/** The project that a name means, by its key or its short name; null where there is none, or several. */
function matchProject(name: string, known: ProjectKey[]): ProjectKey | null {
  const wanted = name.toLowerCase()
  const called = known.filter((project) => project === wanted || projectName(project) === wanted)
  return called.length === 1 ? (called[0] ?? null) : null
}

type NameInQuery = { word: string; at: number }

/** What may be a name in a text. A plain word may be one of a project where it stands as one: “in tidepool”, “the tidepool project”. */
function candidateNames(text: string): NameInQuery[] {
  const all = [...text.matchAll(CHUNK)].map(({ 0: chunk, index }) => ({
    word: trimName(chunk),
    at: index + chunk.indexOf(trimName(chunk)),
  }))
  const isPlace = ({ word }: NameInQuery, i: number) =>
    word.length >= MIN_NAME_LETTERS &&
    !hasOnlyCommonWords(word) &&
    (WORD_BEFORE_NAME.test(all[i - 1]?.word ?? '') || WORD_AFTER_NAME.test(all[i + 1]?.word ?? ''))
  return all.filter((name, i) => isDistinctiveName(name.word) || isPlace(name, i)).slice(0, MAX_NAMES_LOOKED_UP)
}

/** What stands between spaces, quotes and brackets. */
const CHUNK = /[^\s"'`“”‘’«»()[\]{}<>,;:!?「」、。，？！]+/g
const trimName = (chunk: string) => chunk.replace(/^(?:[^\p{L}\p{N}]+|origin\/)+|[^\p{L}\p{N}]+$/gu, '')

const WORD_BEFORE_NAME = /^(?:in|on|im|auf|dans|en|project|projekt|projet|proyecto|repo|repository)$/i
const WORD_AFTER_NAME = /^(?:project|projekt|repo|repository)$/i

/** `feature/blue-whale`, `blue-whale`, `app-1234`: no plain word, whatever branches there are, and nothing as short as `v2` or `x-y`. */
const isDistinctiveName = (name: string) =>
  name.length <= MAX_NAME_CHARACTERS &&
  /[-_/\d]/.test(name) &&
  /\p{L}/u.test(name) &&
  (name.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= MIN_NAME_LETTERS

const MIN_NAME_LETTERS = 5
const MAX_NAME_CHARACTERS = 250
/** A question names few; more words that look like names are a list of them. */
const MAX_NAMES_LOOKED_UP = 20
const MAX_BRANCHES_LISTED = 3

/** A text without a name in it, and without what it is called beside it: “the blue-whale branch”. */
function withoutName(text: string, word: string, at: number): string {
  const before = text
    .slice(0, at)
    .replace(/(?:(?<![\p{L}\p{N}])(?:branch|project|repo|repository|zweig|projekt) ?)?(?:origin\/)?["'`“‘«(]*$/iu, '')
  const after = text
    .slice(at + word.length)
    .replace(/^["'`”’»)]*(?: (?:branch|project|repo|repository|zweig|projekt)(?![\p{L}\p{N}]))?/iu, '')
  return `${before} ${after}`
}
