import { type Anchor, type AnchorCheck, leafOf } from '../core/anchor.ts'
import type { Definition } from './outline.ts'
import { fingerprintOf, similarity } from './signature.ts'

/** From this share of common code on, a definition with another name or in another place counts as the same one. Git's threshold for files is the same. */
const SAME_CODE_RATIO = 0.5

/** The definition that an anchor means in the file where it points, and whether its code is unchanged. */
export type Located = { definition: Definition; isSame: boolean }

/** The definition of that name; of several, the one with the same code, or the one most like it. Null if there is none. */
export function locate(anchor: Anchor, definitions: Definition[]): Located | null {
  return closest(
    anchor,
    definitions.filter(({ name }) => name === anchor.name),
  )
}

/** Definitions that may be the anchor's under another name: those with the same last name first, then those most like it. */
export function lookalikes(anchor: Anchor, definitions: Definition[]): (Located & { ratio: number })[] {
  const leaf = leafOf(anchor.name ?? '')
  const sketch = Buffer.from(anchor.sketch, 'base64')
  return definitions
    .map((definition) => {
      const { hash, sketch: other } = definition.signature()
      return { definition, isSame: hash === anchor.signature, ratio: similarity(sketch, other), hasName: leafOf(definition.name) === leaf }
    })
    .filter(({ ratio }) => ratio >= SAME_CODE_RATIO)
    .sort((a, b) => Number(b.hasName) - Number(a.hasName) || b.ratio - a.ratio)
}

function closest(anchor: Anchor, definitions: Definition[]): Located | null {
  const [only] = definitions
  if (!only) return null
  if (definitions.length === 1) return { definition: only, isSame: only.signature().hash === anchor.signature }
  const sketch = Buffer.from(anchor.sketch, 'base64')
  const ratioOf = (one: Definition) => similarity(sketch, one.signature().sketch)
  const same = definitions.find((one) => one.signature().hash === anchor.signature)
  const best = same ?? definitions.reduce((a, b) => (ratioOf(b) > ratioOf(a) ? b : a))
  return { definition: best, isSame: same !== undefined }
}

/** What to say of a definition that was found: `place` if it is in another file. */
export function describeLocated(anchor: Anchor, { definition, isSame }: Located, text: string, place: string | null = null): AnchorCheck {
  const header = headerOf(text, definition)
  return {
    state: isSame ? 'same' : 'changed',
    movedTo: place,
    renamedTo: definition.name === anchor.name ? null : definition.name,
    newHeader: isSame || fingerprintOf(header) === anchor.header ? null : header,
  }
}

/** An anchor for a definition. */
export function anchorTo(
  path: string,
  text: string,
  definition: Definition,
): Pick<Anchor, 'path' | 'name' | 'signature' | 'sketch' | 'header'> {
  const { hash, sketch } = definition.signature()
  return {
    path,
    name: definition.name,
    signature: hash,
    sketch: Buffer.from(sketch).toString('base64'),
    header: fingerprintOf(headerOf(text, definition)),
  }
}

/** The first part of a definition on one line: what comes before its body or value. */
function headerOf(text: string, { start, end }: Pick<Definition, 'start' | 'end'>): string {
  const begin = text.slice(start, Math.min(end, start + MAX_HEADER_CHARACTERS * 3))
  let depth = 0
  let at = 0
  for (; at < begin.length; at++) {
    const mark = begin[at] ?? ''
    if (
      depth === 0 &&
      (mark === '{' || mark === '\n' || (mark === '=' && begin[at + 1] !== '>') || (mark === ':' && begin[at + 1] === '\n'))
    )
      break
    if (mark === '(' || mark === '[') depth++
    else if (mark === ')' || mark === ']') depth = Math.max(0, depth - 1)
  }
  const header = begin
    .slice(0, at)
    .replace(/\s+/g, ' ')
    .replace(/,\s*\)/g, ')')
    .replace(/\( /g, '(')
    .trim()
  return header.length > MAX_HEADER_CHARACTERS ? `${header.slice(0, MAX_HEADER_CHARACTERS - 1)}…` : header
}

const MAX_HEADER_CHARACTERS = 120
