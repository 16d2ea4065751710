import { nearest } from '../core/nearest.ts'
import { projectName } from '../core/project.ts'
import type { Store } from '../store/store.ts'
import { canTake, KEYS, type Key, type Named, type Problem, type Unnamed } from './question.ts'
import { isWritten } from './spelling.ts'
import { branchesCalled } from './spoken.ts'

/** Which values of a question's filters no memory has, each with what was probably meant. For a question to which nothing was found. */
export async function unknownIn(store: Store, named: Named[]): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { filter, word, at } of named) {
    if (filter === 'session') problems.push({ word, at, message: `there is no session “${word}”; ${SESSION}` })
    if (filter === 'session' || filter === 'project') continue
    if (await isKnown(store, filter, word)) continue
    const values = await store.documents.values(filter)
    problems.push({ word, at, message: `there is no ${CALLED[filter]} “${word}”; ${instead(word, values)}` })
  }
  return problems
}

/** Which words were probably meant as a filter: the name is a little off, and the value is one that the filter takes. */
export async function misnamedIn(store: Store, unnamed: Unnamed[], now: number): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { key, value, at } of unnamed.slice(0, MOST)) {
    const meant = nearest(key, [...KEYS.keys()])
    const filter = meant && KEYS.get(meant)
    // `version:12` is no session.
    if (!filter || !meant.slice(0, 2).includes(key.charAt(0).toLowerCase())) continue
    // Nor is `patch:src/a.ts` a path: what memories have is a word of its own.
    if (await isWritten(store, key.toLowerCase())) continue
    if (canTake(filter, value, now) ?? (await isKnown(store, filter, value)))
      problems.push({ word: `${key}:`, at, message: `there is no filter ${key}:; did you mean ${meant}:?` })
  }
  return problems
}

async function isKnown(store: Store, filter: Key, value: string): Promise<boolean> {
  const wanted = value.toLowerCase()
  if (filter === 'project') return (await store.projects.known()).some((key) => key === wanted || projectName(key) === wanted)
  if (filter === 'branch') return branchesCalled(value, await store.documents.values(filter)).length > 0
  return isOpen(filter) && (await store.documents.values(filter)).some((known) => known.toLowerCase() === wanted)
}

const isOpen = (filter: Key): filter is keyof typeof CALLED => Object.hasOwn(CALLED, filter)

const SESSION = 'it takes a number, or the first four characters of an id and more'
const CALLED = { ns: 'namespace', tag: 'tag', branch: 'branch', source: 'source' }

function instead(word: string, values: string[]): string {
  const close = nearest(word, values)
  if (close) return `did you mean ${close}?`
  return values.length === 0 ? 'there are none yet' : `there are ${values.slice(0, MOST).join(', ')}${values.length > MOST ? ', …' : ''}`
}

/** How many are named where none is close. */
const MOST = 8
