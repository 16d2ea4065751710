import {
  afterBracket,
  type Container,
  continuesLine,
  type FoundDefinition,
  findAt,
  type Item,
  isAt,
  isDirectiveAt,
  isWordAt,
  type Source,
  startsLine,
  statementEnd,
  textAt,
} from './source.ts'

/** Reads an item of Kotlin or Swift: both have modifiers, a keyword, a name, and a body in braces or after `=`. */
export function readKotlinItem(source: Source, at: number, to: number, container: Container): Item {
  if (isDirectiveAt(source, at)) return { next: at + 1, found: [] }
  const start = skipAttributes(source, at, to)
  const word = skipModifiers(source, start, to)
  const keyword = textAt(source, word)
  if (TYPES.has(keyword)) return readType(source, start, word, to)
  if (keyword === 'fun' || keyword === 'func') return readFunction(source, start, word + 1, to, container)
  if (keyword === 'val' || keyword === 'var' || keyword === 'let') return readProperty(source, start, word + 1, to)
  if (keyword === 'typealias') {
    const end = statementEnd(source, word, to)
    return definition(textAt(source, word + 1), 'type', start, end)
  }
  if (/^(?:init|deinit|constructor|subscript)$/.test(keyword) && container.kind === 'class')
    return readFunction(source, start, word, to, container)
  return { next: Math.max(statementEnd(source, word, to), at + 1), found: [] }
}

const TYPES = new Set(['class', 'interface', 'object', 'struct', 'enum', 'protocol', 'extension', 'actor'])
const MODIFIERS = new Set(
  (
    'public private protected internal open fileprivate abstract final override lateinit inline noinline crossinline tailrec suspend operator ' +
    'infix external data sealed inner value annotation enum companion expect actual const vararg reified static class mutating nonmutating ' +
    'required convenience lazy weak unowned dynamic optional indirect prefix postfix nonisolated distributed package'
  ).split(' '),
)

const definition = (name: string, kind: FoundDefinition['kind'], from: number, to: number): Item => ({
  next: to,
  found: [{ name, kind, from, to }],
})

function skipAttributes(source: Source, at: number, to: number): number {
  let next = at
  while (next < to && isAt(source, next, '@')) {
    next += 2
    while (isAt(source, next, '.') || (isAt(source, next, ':') && isWordAt(source, next + 1))) next += 2
    const isAttached = source.tokens.ends[next - 1] === source.tokens.starts[next]
    if (isAt(source, next, '(') && isAttached) next = afterBracket(source, next, to)
  }
  return next
}

/** `class func` and `enum class` begin with a modifier; `class Foo` does not. */
function skipModifiers(source: Source, start: number, to: number): number {
  let word = start
  while (word < to && MODIFIERS.has(textAt(source, word))) {
    const after =
      isAt(source, word + 1, '(') && /^(?:public|private|internal|fileprivate|unowned|package|nonisolated)$/.test(textAt(source, word))
        ? afterBracket(source, word + 1, to)
        : word + 1
    const next = skipAttributes(source, after, to)
    if (!isWordAt(source, next)) return word
    const mayBeType = TYPES.has(textAt(source, word))
    if (mayBeType && !TYPES.has(textAt(source, next)) && !/^(?:func|var|let|subscript|fun)$/.test(textAt(source, next))) return word
    word = next
  }
  return word
}

function readType(source: Source, start: number, word: number, to: number): Item {
  const hasName = isWordAt(source, word + 1) && !startsLine(source, word + 1)
  let name = hasName ? textAt(source, word + 1) : 'companion'
  let after = hasName ? word + 2 : word + 1
  while (isAt(source, after, '.') && isWordAt(source, after + 1)) {
    name = `${name}.${textAt(source, after + 1)}`
    after += 2
  }
  const open = findAt(
    source,
    after,
    to,
    (at) =>
      isAt(source, at, '{') || isAt(source, at, '}') || isAt(source, at, ';') || (startsLine(source, at) && !continuesType(source, at)),
  )
  if (!isAt(source, open, '{')) return definition(name, 'class', start, open)
  const end = afterBracket(source, open, to)
  return { next: end, found: [{ name, kind: 'class', from: start, to: end, inside: [open + 1, end - 1] }] }
}

const continuesType = (source: Source, at: number) =>
  continuesLine(source, at) ||
  isAt(source, at, '(') ||
  isAt(source, at, '{') ||
  textAt(source, skipModifiers(source, at, source.count)) === 'constructor'

function readFunction(source: Source, start: number, from: number, to: number, container: Container): Item {
  const parameters = findAt(source, from, to, (at) => isAt(source, at, '(') || isAt(source, at, '{'))
  const name = /^(?:init|deinit|constructor|subscript)$/.test(textAt(source, from))
    ? textAt(source, from)
    : functionName(source, from, parameters)
  const kind = container.kind === 'class' ? 'method' : 'function'
  const after = isAt(source, parameters, '(') ? afterBracket(source, parameters, to) : parameters
  const open = findAt(
    source,
    after,
    to,
    (at) =>
      isAt(source, at, '{') ||
      isAt(source, at, '=') ||
      isAt(source, at, '}') ||
      isAt(source, at, ';') ||
      (startsLine(source, at) && !continuesSignature(source, at)),
  )
  if (isAt(source, open, '{')) return definition(name, kind, start, afterBracket(source, open, to))
  return definition(name, kind, start, isAt(source, open, '=') ? statementEnd(source, open, to) : Math.max(open, from + 1))
}

const continuesSignature = (source: Source, at: number) =>
  continuesLine(source, at) ||
  isAt(source, at, '{') ||
  isAt(source, at, '-') ||
  /^(?:async|rethrows|throws|where)$/.test(textAt(source, at))

/** The word before the parameters and their types: `name`, `<T> Receiver.name`, or an operator. */
function functionName(source: Source, from: number, parameters: number): string {
  let last = parameters - 1
  if (isAt(source, last, '>') && isWordAt(source, from)) {
    const open = findAt(source, from, parameters, (at) => isAt(source, at, '<'))
    if (open < parameters) last = open - 1
  }
  if (last < from) return textAt(source, from)
  return isWordAt(source, last)
    ? textAt(source, last)
    : source.tokens.text.slice(source.tokens.starts[from], source.tokens.ends[last]).replace(/\s+/g, '')
}

/** A property with its accessors, which Kotlin writes on the lines below it and Swift in braces. */
function readProperty(source: Source, start: number, from: number, to: number): Item {
  let nameAt = from
  if (isAt(source, nameAt, '<')) nameAt = findAt(source, nameAt, to, (at) => isAt(source, at, '>')) + 1
  while (true) {
    const dot = isAt(source, nameAt + 1, '<') ? findAt(source, nameAt, to, (at) => isAt(source, at, '>')) + 1 : nameAt + 1
    if (!isAt(source, dot, '.') || !isWordAt(source, dot + 1)) break
    nameAt = dot + 1
  }
  if (!isWordAt(source, nameAt)) return { next: Math.max(statementEnd(source, from, to), from + 1), found: [] }
  let end = statementEnd(source, nameAt, to)
  for (let next = end; next < to; end = next) {
    if (!/^(?:get|set)$/.test(textAt(source, skipModifiers(source, next, to))) || !isAt(source, skipModifiers(source, next, to) + 1, '('))
      break
    next = statementEnd(source, next, to)
  }
  return definition(textAt(source, nameAt), 'value', start, Math.max(end, nameAt + 1))
}
