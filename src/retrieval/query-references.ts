/**
 * Finds the branches and the project that a query names without a filter: “what did we do on feature/blue-whale”, “the crash in tide-pool”.
 * Only existing names count, and only those that can hardly be an ordinary word. Like a time in the text, they exclude nothing.
 */
import type { ProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import type { DocumentFilter, Store } from '../store/store.ts'
import type { ParsedQuery } from './query-parser.ts'
import { hasOnlyCommonWords, isDistinctiveName, type NameInQuery } from './query-words.ts'
import { NO_DOCUMENT_FILTER, type QueryBoosts } from './search-options.ts'

export type QueryReferences = {
  /** Any of these may be meant; as stored. */
  branches: string[]
  project: ProjectKey | null
  /** The words that name them, and what each means. */
  words: { word: string; meaning: string }[]
  /** The text without these names and without the name of the searched project. */
  rest: string
  /** If it names only a branch of another project: the text without that name; otherwise null. */
  restElsewhere: string | null
}

/** The branches that a query names and, in a search of all projects, the project. Null if it names none. */
export async function referencesIn(
  store: Store,
  { text, possibleNames: candidates }: ParsedQuery,
  searchedProject: ProjectKey | null,
): Promise<QueryReferences | null> {
  const branches = candidates.some(({ word }) => isDistinctiveName(word))
    ? await store.documents.filterValues('branch', searchedProject)
    : []
  const projects = await store.projects.withSessions()
  const found = candidates
    .map((name) => ({
      ...name,
      branches: isDistinctiveName(name.word) ? matchBranches(name.word, branches) : [],
      project: matchProject(name.word, projects),
    }))
    // If several projects are named, none of them is preferred.
    .map((name, _, all) => (searchedProject === null && projectsOf(all).size > 1 ? { ...name, project: null } : name))
    .filter((name) => name.branches.length > 0 || (name.project !== null && (searchedProject === null || name.project === searchedProject)))
  if (found.length === 0) return otherProjectReferences(store, text, candidates, searchedProject)
  const project = searchedProject === null ? ([...projectsOf(found)][0] ?? null) : null
  return {
    branches: [...new Set(found.flatMap((name) => name.branches))],
    project,
    words: found.flatMap(({ word, branches, project: named }) => [
      ...(branches.length > 0 ? [{ word, meaning: `the branch ${branches.slice(0, MAX_BRANCHES_LISTED).join(', ')}` }] : []),
      ...(named !== null && named === project ? [{ word, meaning: `the project ${named}` }] : []),
    ]),
    rest: withoutNames(text, found),
    restElsewhere: null,
  }
}

/** For a text that names nothing of the searched project: whether it names a branch of another one. */
async function otherProjectReferences(
  store: Store,
  text: string,
  candidates: NameInQuery[],
  searchedProject: ProjectKey | null,
): Promise<QueryReferences | null> {
  const distinctive = searchedProject === null ? [] : candidates.filter(({ word }) => isDistinctiveName(word))
  const known = distinctive.length > 0 ? await store.documents.filterValues('branch') : []
  const found = distinctive.filter(({ word }) => matchBranches(word, known).length > 0)
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

/** The known branches that a name means: those with that name, or else those whose name ends with it after a slash. */
export function matchBranches(name: string, known: string[]): string[] {
  const wanted = name.toLowerCase()
  const exact = known.filter((branch) => branch.toLowerCase() === wanted)
  return exact.length > 0 ? exact : known.filter((branch) => branch.toLowerCase().endsWith(`/${wanted}`))
}

/** The project that a name means, by its key or its short name; null if there are none or several. */
function matchProject(name: string, known: ProjectKey[]): ProjectKey | null {
  const wanted = name.toLowerCase()
  const matches = known.filter((project) => project === wanted || projectName(project) === wanted)
  return matches.length === 1 ? (matches[0] ?? null) : null
}

const MAX_BRANCHES_LISTED = 3

/** A text without a name, and without “branch” or “project” next to it: “the blue-whale branch”. */
function withoutName(text: string, word: string, at: number): string {
  const before = text
    .slice(0, at)
    .replace(/(?:(?<![\p{L}\p{N}])(?:branch|project|repo|repository|zweig|projekt) ?)?(?:origin\/)?["'`“‘«(]*$/iu, '')
  const after = text
    .slice(at + word.length)
    .replace(/^["'`”’»)]*(?: (?:branch|project|repo|repository|zweig|projekt)(?![\p{L}\p{N}]))?/iu, '')
  return `${before} ${after}`
}
