import { DIRECTIVE, isMark, matchBrackets, STRING, type Tokens, tokenText, WORD } from './tokens.ts'

export const DEFINITION_KINDS = ['function', 'method', 'class', 'type', 'value', 'test', 'module', 'heading', 'key'] as const
export type DefinitionKind = (typeof DEFINITION_KINDS)[number]

/** A definition by its tokens, `to` excluded. `inside` is the part in which its own definitions are. */
export type FoundDefinition = { name: string; kind: DefinitionKind; from: number; to: number; inside?: [from: number, to: number] }

export type NamedDefinition = Pick<FoundDefinition, 'name' | 'kind'>

/** The definitions read at one position, possibly none, and the position at which to continue. */
export type ReadDefinitions = { next: number; found: FoundDefinition[] }

/** The file or definition that contains an item. */
export type Container = { kind: 'file' | 'class' | 'other'; name: string }

/** Reads the item at a place. It must end at `to` or before. */
export type ReadItem = (source: Source, at: number, to: number, container: Container) => ReadDefinitions

export type Source = { tokens: Tokens; matches: Int32Array; count: number }

export const asSource = (tokens: Tokens): Source => ({ tokens, matches: matchBrackets(tokens), count: tokens.kinds.length })

export const textAt = ({ tokens }: Source, at: number): string => tokenText(tokens, at)
export const isAt = ({ tokens }: Source, at: number, mark: string): boolean => isMark(tokens, at, mark)
export const isWordAt = ({ tokens }: Source, at: number): boolean => tokens.kinds[at] === WORD
export const isDirectiveAt = ({ tokens }: Source, at: number): boolean => tokens.kinds[at] === DIRECTIVE
export const isStringAt = ({ tokens }: Source, at: number): boolean => tokens.kinds[at] === STRING
/** Whether a token begins a line. */
export const startsLine = ({ tokens }: Source, at: number): boolean => (tokens.columns[at] ?? 0) >= 0
/** Whether two tokens touch, as in `=>` or `::`. */
export const touches = ({ tokens }: Source, at: number): boolean => tokens.ends[at] === tokens.starts[at + 1]

/** After the bracket that closes the one at this place, or after the token if it opens none. */
export function afterBracket({ matches, count }: Source, at: number, to = count): number {
  const match = matches[at] ?? -1
  return Math.min(match > at ? match + 1 : at + 1, to)
}

/** The first place that passes a test, without looking into brackets; `to` if there is none. */
export function findAt(source: Source, from: number, to: number, test: (at: number) => boolean): number {
  let at = from
  while (at < to && !test(at)) at = afterBracket(source, at, to)
  return Math.min(at, to)
}

/** Before the type arguments that end at this place, as in `run<T>`; the same place if none end there. The search stops at `lowest`. */
export function beforeTypeArguments(source: Source, last: number, lowest: number): number {
  if (!isAt(source, last, '>')) return last
  let at = last
  for (let depth = 0; at > Math.max(0, lowest); at--) {
    if (isAt(source, at, '>')) depth++
    if (isAt(source, at, '<') && --depth === 0) break
  }
  return at - 1
}

/** Reads the items of a container and of the containers in it. */
export function readItems(source: Source, readItem: ReadItem): FoundDefinition[] {
  const found: FoundDefinition[] = []
  const walk = (from: number, to: number, container: Container, prefix: string, depth: number): void => {
    for (let at = from; at < to; ) {
      const item = readItem(source, at, to, container)
      for (const one of item.found) {
        const name = `${prefix}${one.name}`
        if (one.name !== '') found.push({ ...one, name })
        if (!one.inside || depth >= MAX_DEPTH) continue
        const inner: Container = { kind: one.kind === 'class' ? 'class' : 'other', name: one.name }
        walk(one.inside[0], Math.min(one.inside[1], to), inner, one.name === '' ? prefix : `${name}.`, depth + 1)
      }
      at = Math.max(item.next, at + 1)
    }
  }
  walk(0, source.count, { kind: 'file', name: '' }, '', 0)
  return found
}

/** Deeper containers are not looked into. */
const MAX_DEPTH = 12

/** The end of a statement that a line break may end: after its `;`, or before the first token of the next statement. */
export function statementEnd(source: Source, from: number, to: number): number {
  let at = from
  while (at < to) {
    if (at > from && startsLine(source, at) && !continuesLine(source, at)) return at
    if (isAt(source, at, ';')) return at + 1
    if (isAt(source, at, '}') || isAt(source, at, ')') || isAt(source, at, ']')) return at
    at = afterBracket(source, at, to)
  }
  return to
}

/** Whether the token at the start of a line continues the line before. */
export function continuesLine(source: Source, at: number): boolean {
  const before = textAt(source, at - 1)
  const here = textAt(source, at)
  if (isStringAt(source, at) || isStringAt(source, at - 1))
    return ENDS_OPEN.has(before) && !isStringAt(source, at - 1) ? true : STARTS_CONTINUED.has(here)
  const isArrow = before === '>' && /[=-]/.test(textAt(source, at - 2)) && touches(source, at - 2)
  return isArrow || ENDS_OPEN.has(before) || STARTS_CONTINUED.has(here)
}

const ENDS_OPEN = new Set(
  '= + - * / % & | ^ < , . : ~ extends implements in of instanceof as is new typeof await where by satisfies throws'.split(' '),
)
const STARTS_CONTINUED = new Set(
  '. ? : , = + * / % & | ^ < > ) ] extends implements as in instanceof satisfies where else catch finally while by throws'.split(' '),
)
