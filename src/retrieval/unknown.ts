import { nearest } from '../core/nearest.ts'
import type { Store } from '../store/store.ts'
import type { Named, Problem } from './question.ts'
import { branchesCalled } from './spoken.ts'

/** Which values of a question's filters no memory has, each with what was probably meant. For a question to which nothing was found. */
export async function unknownIn(store: Store, named: Named[]): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { filter, word, at } of named) {
    if (filter === 'session') problems.push({ word, at, message: `there is no session “${word}”; ${SESSION}` })
    if (filter === 'session' || filter === 'project') continue
    const values = await store.documents.values(filter)
    const isKnown =
      filter === 'branch' ? branchesCalled(word, values).length > 0 : values.some((value) => value.toLowerCase() === word.toLowerCase())
    if (isKnown) continue
    problems.push({ word, at, message: `there is no ${CALLED[filter]} “${word}”; ${instead(word, values)}` })
  }
  return problems
}

const SESSION = 'it takes a number, or the first four characters of an id and more'
const CALLED = { ns: 'namespace', tag: 'tag', branch: 'branch', source: 'source' }

function instead(word: string, values: string[]): string {
  const close = nearest(word, values)
  if (close) return `did you mean ${close}?`
  return values.length === 0 ? 'there are none yet' : `there are ${values.slice(0, MOST).join(', ')}${values.length > MOST ? ', …' : ''}`
}

/** How many are named where none is close. */
const MOST = 8
