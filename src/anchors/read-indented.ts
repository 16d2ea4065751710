import { afterBracket, type FoundDefinition, findAt, isAt, isStringAt, isWordAt, type Source, startsLine, textAt } from './source.ts'
import { STRING } from './tokens.ts'

/** A line of code with everything that brackets continue: its tokens, and the column where it begins. */
type LogicalLine = { from: number; to: number; column: number }

/** The lines of a text, split where a line begins outside brackets. */
function logicalLines(source: Source): LogicalLine[] {
  const lines: LogicalLine[] = []
  for (let at = 0; at < source.count; ) {
    const from = at
    do at = afterBracket(source, at)
    while (at < source.count && !startsLine(source, at))
    lines.push({ from, to: at, column: source.tokens.columns[from] ?? 0 })
  }
  return lines
}

/** Python: functions and classes by indentation, and what modules and classes assign. Functions in functions are part of them. */
export function readPython(source: Source): FoundDefinition[] {
  const lines = logicalLines(source)
  const found: FoundDefinition[] = []
  const walk = (first: number, last: number, prefix: string, isClass: boolean): void => {
    for (let index = first; index < last; ) {
      const line = lines[index]
      if (!line) return
      const word = textAt(source, line.from) === 'async' ? line.from + 1 : line.from
      const keyword = textAt(source, word)
      const end = keyword === 'def' || keyword === 'class' ? blockEnd(lines, index, last) : index + 1
      const to = lines[end - 1]?.to ?? source.count
      const name = `${prefix}${textAt(source, word + 1)}`
      if (keyword === 'def') found.push({ name, kind: isClass ? 'method' : 'function', from: line.from, to })
      else if (keyword === 'class') {
        found.push({ name, kind: 'class', from: line.from, to })
        walk(index + 1, end, `${name}.`, true)
      } else if (isAssignment(source, line)) found.push({ name: `${prefix}${keyword}`, kind: 'value', from: line.from, to })
      index = end
    }
  }
  walk(0, lines.length, '', false)
  return found
}

function blockEnd(lines: LogicalLine[], index: number, last: number): number {
  const column = lines[index]?.column ?? 0
  let end = index + 1
  while (end < last && (lines[end]?.column ?? 0) > column) end++
  return end
}

/** `NAME = …` or `name: type = …`. */
function isAssignment(source: Source, { from, to }: LogicalLine): boolean {
  if (!isWordAt(source, from)) return false
  if (isAt(source, from + 1, '=')) return !isAt(source, from + 2, '=')
  return isAt(source, from + 1, ':') && /^(?:else|try|finally|lambda)$/.test(textAt(source, from)) === false && to > from + 2
}

/** Ruby: a block ends with the `end` in the column of the line that opens it. */
export function readRuby(source: Source): FoundDefinition[] {
  const lines = logicalLines(source)
  const found: FoundDefinition[] = []
  const walk = (first: number, last: number, prefix: string): void => {
    for (let index = first; index < last; ) {
      const line = lines[index]
      if (!line) return
      const opened = rubyOpening(source, line)
      if (!opened) {
        index++
        continue
      }
      const { name, kind, isContainer } = opened
      const end = opened.isOneLine ? index + 1 : rubyBlockEnd(source, lines, index, last)
      if (name !== '') found.push({ name: `${prefix}${name}`, kind, from: opened.from, to: lines[end - 1]?.to ?? source.count })
      if (isContainer && end > index + 1) walk(index + 1, end - 1, name === '' ? prefix : `${prefix}${name}.`)
      index = end
    }
  }
  walk(0, lines.length, '')
  return found
}

type RubyOpening = { name: string; kind: FoundDefinition['kind']; from: number; isContainer: boolean; isOneLine: boolean }

function rubyOpening(source: Source, line: LogicalLine): RubyOpening | null {
  let from = line.from
  while (/^(?:private|protected|public|module_function|private_class_method|memoize)$/.test(textAt(source, from)) && from < line.to - 1)
    from++
  const keyword = textAt(source, from)
  const endsHere = textAt(source, line.to - 1) === 'end'
  if (keyword === 'def') {
    const after = rubyNameEnd(source, from + 1)
    const name = source.tokens.text.slice(source.tokens.starts[from + 1], source.tokens.ends[after - 1]).replace(/\s+/g, '')
    const parameters = isAt(source, after, '(') ? afterBracket(source, after, line.to) : after
    return {
      name: name.replace(/^self\./, ''),
      kind: 'method',
      from,
      isContainer: false,
      isOneLine: endsHere || isAt(source, parameters, '='),
    }
  }
  if (keyword === 'class' || keyword === 'module') {
    if (isAt(source, from + 1, '<')) return { name: '', kind: 'class', from, isContainer: true, isOneLine: endsHere }
    const name = rubyConstant(source, from + 1)
    return name === '' ? null : { name, kind: keyword === 'class' ? 'class' : 'module', from, isContainer: true, isOneLine: endsHere }
  }
  return rubyTest(source, line, from) ?? rubyValue(source, line, from)
}

function rubyNameEnd(source: Source, from: number): number {
  let at = from + 1
  while (isAt(source, at, '.') && at < from + 4) at += 2
  if (!isWordAt(source, at - 1)) while (!isWordAt(source, at) && !isAt(source, at, '(') && !startsLine(source, at) && at < from + 4) at++
  else if (isAt(source, at, '=') && source.tokens.ends[at - 1] === source.tokens.starts[at] && isAt(source, at + 1, '(')) at++
  return at
}

function rubyConstant(source: Source, from: number): string {
  let at = isAt(source, from, ':') ? from + 2 : from
  if (!isWordAt(source, at)) return ''
  let name = textAt(source, at)
  while (isAt(source, at + 1, ':') && isAt(source, at + 2, ':') && isWordAt(source, at + 3)) {
    at += 3
    name = `${name}.${textAt(source, at)}`
  }
  return name
}

/** `it 'does something' do` and its like. */
function rubyTest(source: Source, line: LogicalLine, from: number): RubyOpening | null {
  if (!/^(?:describe|context|it|test|specify|should|scenario|feature|RSpec)$/.test(textAt(source, from))) return null
  const opener = findAt(source, from, line.to, (at) => textAt(source, at) === 'do')
  if (opener === line.to) return null
  const first = findAt(
    source,
    from,
    opener,
    (at) => isStringAt(source, at) || (/^[A-Z]/.test(textAt(source, at)) && textAt(source, at) !== 'RSpec'),
  )
  if (first === opener) return null
  const name = textAt(source, first).replace(/^(['"])(.*)\1$/s, '$2')
  const isContainer = /^(?:describe|context|feature|RSpec)$/.test(textAt(source, from))
  return { name, kind: 'test', from, isContainer, isOneLine: textAt(source, line.to - 1) === 'end' }
}

function rubyValue(source: Source, line: LogicalLine, from: number): RubyOpening | null {
  const isConstant = /^[A-Z]\w*$/.test(textAt(source, from)) && isAt(source, from + 1, '=') && !/^[=~>]$/.test(textAt(source, from + 2))
  if (!isConstant) return null
  const isBlock = findAt(source, from, line.to, (at) => textAt(source, at) === 'do' || textAt(source, at) === 'begin') < line.to
  return { name: textAt(source, from), kind: 'value', from, isContainer: false, isOneLine: !isBlock }
}

/** After the line that closes a block. Code that is not indented as usual ends where something to the left of it begins. */
function rubyBlockEnd(source: Source, lines: LogicalLine[], index: number, last: number): number {
  const column = lines[index]?.column ?? 0
  for (let end = index + 1; end < last; end++) {
    const line = lines[end]
    if (!line || source.tokens.kinds[line.from] === STRING) continue
    if (line.column === column && textAt(source, line.from) === 'end') return end + 1
    if (line.column < column) return end
  }
  return last
}

/** A shell: functions up to the brace in the column of their first line, tests of Bats, and what the file assigns. */
export function readShell(source: Source): FoundDefinition[] {
  const found: FoundDefinition[] = []
  for (let at = 0; at < source.count; ) {
    const next = shellDefinition(source, at)
    if (next) found.push(next)
    const from = next ? next.to : at + 1
    at = from
    while (at < source.count && !startsLine(source, at)) at++
  }
  return found
}

function shellDefinition(source: Source, at: number): FoundDefinition | null {
  const nameAt = textAt(source, at) === 'function' ? at + 1 : at
  const nameEnd = shellNameEnd(source, nameAt)
  const name = source.tokens.text.slice(source.tokens.starts[nameAt], source.tokens.ends[nameEnd - 1])
  if (isShellFunction(source, at)) return { name, kind: 'function', from: at, to: shellBlockEnd(source, at, nameEnd) }
  if (isAt(source, at, '@') && textAt(source, at + 1) === 'test' && isStringAt(source, at + 2))
    return { name: textAt(source, at + 2).replace(/^(['"])(.*)\1$/s, '$2'), kind: 'test', from: at, to: shellBlockEnd(source, at, at + 3) }
  return shellAssignment(source, at)
}

function isShellFunction(source: Source, at: number): boolean {
  if (textAt(source, at) === 'function') return isWordAt(source, at + 1)
  const nameEnd = shellNameEnd(source, at)
  return nameEnd > at && isAt(source, nameEnd, '(') && isAt(source, nameEnd + 1, ')')
}

/** Names of functions may contain `-`, `.` and `:`. */
function shellNameEnd(source: Source, from: number): number {
  if (!isWordAt(source, from)) return from
  let at = from + 1
  while (
    source.tokens.ends[at - 1] === source.tokens.starts[at] &&
    (isWordAt(source, at) || ['-', '.', ':'].some((mark) => isAt(source, at, mark)))
  )
    at++
  return at
}

function shellBlockEnd(source: Source, at: number, from: number): number {
  const { tokens, count } = source
  const column = tokens.columns[at] ?? 0
  const open = findAt(
    source,
    from,
    Math.min(from + 6, count),
    (index) => isAt(source, index, '{') || (isAt(source, index, '(') && !isAt(source, index + 1, ')')),
  )
  const closing = isAt(source, open, '(') ? ')' : '}'
  const lineEnd = nextLine(source, open)
  for (let index = open + 1; index < lineEnd; index++) if (isAt(source, index, closing) && index === lineEnd - 1) return index + 1
  let lastClosing = -1
  for (let index = open + 1; index < count; index++) {
    const isClosing = isAt(source, index, closing) && startsLine(source, index)
    if (isClosing && tokens.columns[index] === column) return index + 1
    if (isClosing) lastClosing = index
    // The next function begins, so that this one ended at another column.
    if (tokens.columns[index] === column && lastClosing > 0 && isShellFunction(source, index)) return lastClosing + 1
  }
  return Math.min(afterBracket(source, open), count)
}

function nextLine(source: Source, from: number): number {
  let at = from + 1
  while (at < source.count && !startsLine(source, at)) at++
  return at
}

function shellAssignment(source: Source, at: number): FoundDefinition | null {
  const isDeclared = /^(?:export|readonly|declare)$/.test(textAt(source, at))
  const nameAt = isDeclared ? at + 1 : at
  if (
    !isWordAt(source, nameAt) ||
    !isAt(source, isAt(source, nameAt + 1, '+') ? nameAt + 2 : nameAt + 1, '=') ||
    source.tokens.columns[at] !== 0
  )
    return null
  return { name: textAt(source, nameAt), kind: 'value', from: at, to: nextLine(source, at) }
}
