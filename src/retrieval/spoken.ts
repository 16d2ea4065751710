/**
 * What a question speaks of by its name without naming a filter: “what did we do on feature/blue-whale”, “the crash in tide-pool”. Only a name
 * that can hardly be another word counts, and only one that there is. Like a time that is spoken of it hides nothing.
 */
import type { ProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import type { Store } from '../store/store.ts'
import { isPlain } from './words.ts'

export type Spoken = {
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
export async function spokenIn(store: Store, text: string, askedIn: ProjectKey | null): Promise<Spoken | null> {
  const named = namesIn(text)
  if (named.length === 0) return null
  const branches = named.some(({ word }) => isTelling(word)) ? await store.documents.values('branch', askedIn) : []
  const projects = await store.projects.known()
  const found = named
    .map((name) => ({
      ...name,
      branches: isTelling(name.word) ? branchesCalled(name.word, branches) : [],
      project: projectCalled(name.word, projects),
    }))
    // Of several projects none is meant more than the others.
    .map((name, _, all) => (askedIn === null && projectsOf(all).size > 1 ? { ...name, project: null } : name))
    .filter((name) => name.branches.length > 0 || (name.project !== null && (askedIn === null || name.project === askedIn)))
  if (found.length === 0) return elsewhere(store, text, named, askedIn)
  const project = askedIn === null ? ([...projectsOf(found)][0] ?? null) : null
  return {
    branches: [...new Set(found.flatMap((name) => name.branches))],
    project,
    words: found.flatMap(({ word, branches, project: its }) => [
      ...(branches.length > 0 ? [{ word, meaning: `the branch ${branches.slice(0, MOST_TOLD).join(', ')}` }] : []),
      ...(its !== null && its === project ? [{ word, meaning: `the project ${its}` }] : []),
    ]),
    rest: withoutAll(text, found),
    restElsewhere: null,
  }
}

/** Whether a text that names nothing of the project in which is asked names a branch of another one. */
async function elsewhere(store: Store, text: string, named: Name[], askedIn: ProjectKey | null): Promise<Spoken | null> {
  const telling = askedIn === null ? [] : named.filter(({ word }) => isTelling(word))
  const known = telling.length > 0 ? await store.documents.values('branch') : []
  const found = telling.filter(({ word }) => branchesCalled(word, known).length > 0)
  return found.length === 0 ? null : { branches: [], project: null, words: [], rest: text, restElsewhere: withoutAll(text, found) }
}

const withoutAll = (text: string, names: Name[]) => names.reduceRight((rest, { word, at }) => without(rest, word, at), text)

const projectsOf = (names: { project: ProjectKey | null }[]) => new Set(names.flatMap(({ project }) => project ?? []))

/** Which of the known branches a name means: those that are called so, else those whose name ends so behind a slash. */
export function branchesCalled(name: string, known: string[]): string[] {
  const wanted = name.toLowerCase()
  const whole = known.filter((branch) => branch.toLowerCase() === wanted)
  return whole.length > 0 ? whole : known.filter((branch) => branch.toLowerCase().endsWith(`/${wanted}`))
}

/** The project that a name means, by its key or its short name; null where there is none, or several. */
function projectCalled(name: string, known: ProjectKey[]): ProjectKey | null {
  const wanted = name.toLowerCase()
  const called = known.filter((project) => project === wanted || projectName(project) === wanted)
  return called.length === 1 ? (called[0] ?? null) : null
}

type Name = { word: string; at: number }

/** What may be a name in a text. A plain word may be one of a project where it stands as one: “in tidepool”, “the tidepool project”. */
function namesIn(text: string): Name[] {
  const all = [...text.matchAll(CHUNK)].map(({ 0: chunk, index }) => ({ word: bare(chunk), at: index + chunk.indexOf(bare(chunk)) }))
  const isPlace = ({ word }: Name, i: number) =>
    word.length >= SHORTEST && !isPlain(word) && (BEFORE.test(all[i - 1]?.word ?? '') || AFTER.test(all[i + 1]?.word ?? ''))
  return all.filter((name, i) => isTelling(name.word) || isPlace(name, i)).slice(0, MOST_LOOKED_UP)
}

/** What stands between spaces, quotes and brackets. */
const CHUNK = /[^\s"'`“”‘’«»()[\]{}<>,;:!?「」、。，？！]+/g
const bare = (chunk: string) => chunk.replace(/^(?:[^\p{L}\p{N}]+|origin\/)+|[^\p{L}\p{N}]+$/gu, '')

const BEFORE = /^(?:in|on|im|auf|dans|en|project|projekt|projet|proyecto|repo|repository)$/i
const AFTER = /^(?:project|projekt|repo|repository)$/i

/** `feature/blue-whale`, `blue-whale`, `app-1234`: no plain word, whatever branches there are, and nothing as short as `v2` or `x-y`. */
const isTelling = (name: string) =>
  name.length <= LONGEST && /[-_/\d]/.test(name) && /\p{L}/u.test(name) && (name.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= SHORTEST

const SHORTEST = 5
const LONGEST = 250
/** A question names few; more words that look like names are a list of them. */
const MOST_LOOKED_UP = 20
const MOST_TOLD = 3

/** A text without a name in it, and without what it is called beside it: “the blue-whale branch”. */
function without(text: string, word: string, at: number): string {
  const before = text
    .slice(0, at)
    .replace(/(?:(?<![\p{L}\p{N}])(?:branch|project|repo|repository|zweig|projekt) ?)?(?:origin\/)?["'`“‘«(]*$/iu, '')
  const after = text
    .slice(at + word.length)
    .replace(/^["'`”’»)]*(?: (?:branch|project|repo|repository|zweig|projekt)(?![\p{L}\p{N}]))?/iu, '')
  return `${before} ${after}`
}
