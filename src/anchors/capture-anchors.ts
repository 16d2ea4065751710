import { type Anchor, leafOf } from '../core/anchor.ts'
import { anchorTo } from './locate.ts'
import { enclosing, readDefinitions } from './outline.ts'

/** A part of a file that a memory speaks of. */
export type EditedPlace = { start: number; end: number }

/** More definitions than one memory can speak of. */
const MAX_ANCHORS_PER_FILE = 4

/** Anchors for the definitions around these places of a file, in the order of the places; one to the file alone where there is no definition. */
export function anchorsAt(path: string, text: string, places: EditedPlace[], checkout: Pick<Anchor, 'commit' | 'branch'>): Anchor[] {
  const definitions = readDefinitions(path, text)
  const found = places.flatMap(({ start, end }) => enclosing(definitions, start, end) ?? enclosing(definitions, start) ?? [])
  const named = [...new Map(found.map((one) => [one.name, one])).values()].slice(0, MAX_ANCHORS_PER_FILE)
  if (named.length === 0) return [{ path, name: null, signature: '', sketch: '', header: '', ...checkout }]
  return named.map((definition) => ({ ...anchorTo(path, text, definition), ...checkout }))
}

/** Anchors for the definitions whose names a text contains. */
export function anchorsNamed(
  path: string,
  text: string,
  isNamed: (leaf: string) => boolean,
  checkout: Pick<Anchor, 'commit' | 'branch'>,
  onlyTelling = true,
): Anchor[] {
  const named = readDefinitions(path, text).filter(({ name }) => (!onlyTelling || isTelling(leafOf(name))) && isNamed(leafOf(name)))
  // Of a name that is defined several times it is not known which is meant.
  const unique = named.filter(({ name }) => !onlyTelling || named.filter((other) => leafOf(other.name) === leafOf(name)).length === 1)
  return unique.slice(0, MAX_ANCHORS_PER_FILE).map((definition) => ({ ...anchorTo(path, text, definition), ...checkout }))
}

/** Words such as `run` or `name` are in every text; a name of several words, or with a sign, is meant. */
const isTelling = (leaf: string): boolean => /[a-z0-9][A-Z]|[_$-]|^[A-Z][a-z]+[A-Z]|^[A-Z]{3,}/.test(leaf) || leaf.length >= 8
