/**
 * What a question speaks of by its name without naming a filter: “what did we do on feature/blue-whale”. Only a name that can hardly be another
 * word counts, and only one that there is. Like a time that is spoken of it hides nothing.
 */
import type { Store } from '../store/store.ts'

export type Spoken = {
  /** Any of these is meant, as they are written. */
  branches: string[]
  /** The words by which they are named, and where they stand in the text. */
  words: { word: string; at: number; meaning: string }[]
  /** The text without them. */
  rest: string
}

/** The known branches that a text names, by the whole name or by the last part of it; null where it names none. */
export async function spokenIn(store: Store, text: string): Promise<Spoken | null> {
  const chunks = [...text.matchAll(CHUNK)].map(({ 0: chunk, index }) => ({ word: bare(chunk), at: index + chunk.indexOf(bare(chunk)) }))
  const telling = chunks.filter(({ word }) => isTelling(word)).slice(0, MOST_LOOKED_UP)
  if (telling.length === 0) return null
  const known = await store.documents.values('branch')
  const found = telling
    .map((chunk) => ({ ...chunk, branches: branchesCalled(chunk.word, known) }))
    .filter(({ branches }) => branches.length > 0)
  if (found.length === 0) return null
  return {
    branches: [...new Set(found.flatMap(({ branches }) => branches))],
    words: found.map(({ word, at, branches }) => ({ word, at, meaning: `the branch ${branches.slice(0, MOST_TOLD).join(', ')}` })),
    rest: found.reduceRight((rest, { word, at }) => without(rest, word, at), text),
  }
}

/** Which of the known branches a name means: those that are called so, else those whose name ends so behind a slash. */
export function branchesCalled(name: string, known: string[]): string[] {
  const wanted = name.toLowerCase()
  const whole = known.filter((branch) => branch.toLowerCase() === wanted)
  return whole.length > 0 ? whole : known.filter((branch) => branch.toLowerCase().endsWith(`/${wanted}`))
}

/** What may be a name: it stands between spaces, quotes and brackets. */
const CHUNK = /[^\s"'`“”‘’«»()[\]{}<>,;:!?「」、。，？！]+/g
const bare = (chunk: string) => chunk.replace(/^(?:\W+|origin\/)+|[^\p{L}\p{N}]+$/gu, '')

/** `feature/blue-whale`, `blue-whale`, `app-1234`: no plain word, whatever branches there are, and nothing as short as `v2` or `x-y`. */
const isTelling = (name: string) =>
  name.length <= LONGEST && /[-_/\d]/.test(name) && /\p{L}/u.test(name) && (name.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= SHORTEST

const SHORTEST = 5
const LONGEST = 250
/** A question names few; a paste holds many words that look like names. */
const MOST_LOOKED_UP = 20
const MOST_TOLD = 3

/** A text without a name in it, and without what it is called beside it: “the blue-whale branch”. */
function without(text: string, word: string, at: number): string {
  const before = text.slice(0, at).replace(/(?:(?<![\p{L}\p{N}])(?:branch|zweig|branche|rama) ?)?(?:origin\/)?["'`“‘«(]*$/iu, '')
  const after = text.slice(at + word.length).replace(/^["'`”’»)]*(?: (?:branch|zweig)(?![\p{L}\p{N}]))?/iu, '')
  return `${before} ${after}`
}
