import {
  afterBracket,
  type FoundDefinition,
  findAt,
  type Item,
  isAt,
  isWordAt,
  type Source,
  startsLine,
  statementEnd,
  textAt,
} from './source.ts'

/** Reads an item of Go: a function, a method, a type, or constants and variables, alone or in a group. */
export function readGoItem(source: Source, at: number, to: number): Item {
  switch (textAt(source, at)) {
    case 'func':
      return readFunction(source, at, to)
    case 'type':
    case 'const':
    case 'var':
      return readGroup(source, at, to)
    default:
      return { next: Math.max(goStatementEnd(source, at, to), at + 1), found: [] }
  }
}

function readFunction(source: Source, at: number, to: number): Item {
  const hasReceiver = isAt(source, at + 1, '(')
  const nameAt = hasReceiver ? afterBracket(source, at + 1, to) : at + 1
  const receiver = hasReceiver ? receiverType(source, at + 1, nameAt - 1) : ''
  const parameters = findAt(source, nameAt, to, (index) => isAt(source, index, '('))
  const open = findAt(
    source,
    afterBracket(source, parameters, to),
    to,
    (index) => (isAt(source, index, '{') && !/^(?:interface|struct)$/.test(textAt(source, index - 1))) || startsLine(source, index),
  )
  const end = isAt(source, open, '{') ? afterBracket(source, open, to) : open
  const name = `${receiver === '' ? '' : `${receiver}.`}${textAt(source, nameAt)}`
  return { next: end, found: [{ name, kind: hasReceiver ? 'method' : 'function', from: at, to: end }] }
}

/** The type of `(r *Reader[T])`: the last word before its type parameters. */
function receiverType(source: Source, open: number, close: number): string {
  const last = findAt(source, open + 1, close, (index) => isAt(source, index, '['))
  return isWordAt(source, last - 1) ? textAt(source, last - 1) : ''
}

function readGroup(source: Source, at: number, to: number): Item {
  const kind = textAt(source, at) === 'type' ? 'type' : 'value'
  if (!isAt(source, at + 1, '(')) {
    const end = Math.max(goStatementEnd(source, at, to), at + 1)
    return { next: end, found: namesOf(source, at + 1, end, kind) }
  }
  const close = afterBracket(source, at + 1, to) - 1
  const found: FoundDefinition[] = []
  for (let from = at + 2; from < close; ) {
    const end = Math.max(goStatementEnd(source, from, close), from + 1)
    found.push(...namesOf(source, from, end, kind))
    from = end
  }
  return { next: close + 1, found }
}

/** The names before the type or the value: `a, b = 1, 2` defines two. */
function namesOf(source: Source, from: number, end: number, kind: FoundDefinition['kind']): FoundDefinition[] {
  const names: FoundDefinition[] = []
  const to = isAt(source, end - 1, ';') ? end - 1 : end
  for (let at = from; isWordAt(source, at) && at < to; at += 2) {
    names.push({ name: textAt(source, at), kind, from, to })
    if (!isAt(source, at + 1, ',')) break
  }
  return names
}

/** A line break ends a statement unless an operator, a comma or a dot stands before it. */
function goStatementEnd(source: Source, from: number, to: number): number {
  let at = from
  while (at < to) {
    const before = textAt(source, at - 1)
    if (at > from && startsLine(source, at) && !OPEN_ENDS.has(before)) return at
    if (isAt(source, at, ';')) return at + 1
    if (isAt(source, at, '}') || isAt(source, at, ')')) return at
    at = afterBracket(source, at, to)
  }
  return statementEnd(source, to, to)
}

const OPEN_ENDS = new Set('= + - * / % & | ^ < > , . :'.split(' '))
