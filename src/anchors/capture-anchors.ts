import type { Anchor } from '../core/anchor.ts'
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
