import {
  afterBracket,
  type Container,
  type FoundDefinition,
  findAt,
  type Item,
  isAt,
  isStringAt,
  isWordAt,
  type Source,
  startsLine,
  statementEnd,
  textAt,
  touches,
} from './source.ts'

/** Reads an item of TypeScript or JavaScript: a declaration, a member of a class, a test, or an assignment such as `exports.run = …`. */
export function readJavascriptItem(source: Source, at: number, to: number, container: Container): Item {
  let start = skipDecorators(source, at, to)
  while (start < to && OUTER_MODIFIERS.has(textAt(source, start)) && continuesDeclaration(source, start)) start++
  start = skipDecorators(source, start, to)
  let word = start
  while (word < to && MODIFIERS.has(textAt(source, word)) && continuesDeclaration(source, word)) word++
  if (container.kind === 'class') return readMember(source, start, word, to)
  const declared = readDeclaration(source, start, word, to)
  if (declared) return declared
  if (textAt(source, start - 1) === 'default') return single('default', 'value', start, statementEnd(source, start, to))
  return readTest(source, start, to) ?? readAssignment(source, start, to)
}

const OUTER_MODIFIERS = new Set(['export', 'default', 'declare'])
const MODIFIERS = new Set('async abstract public private protected static readonly override get set accessor declare'.split(' '))

/** `get` and the others are names where nothing follows that could be a name. */
function continuesDeclaration(source: Source, at: number): boolean {
  const next = at + 1
  if (isAt(source, next, '{')) return textAt(source, at) === 'static' || textAt(source, at) === 'default'
  return isWordAt(source, next) ||
    isStringAt(source, next) ||
    (['#', '[', '*', '@', '('].some((mark) => isAt(source, next, mark)) && textAt(source, at) !== 'declare')
    ? !isAt(source, next, '(') || textAt(source, at) === 'default'
    : false
}

const single = (name: string, kind: FoundDefinition['kind'], from: number, to: number, inside?: [number, number]): Item => ({
  next: to,
  found: [{ name, kind, from, to, ...(inside && { inside }) }],
})

function skipDecorators(source: Source, at: number, to: number): number {
  let next = at
  while (next < to && isAt(source, next, '@') && isWordAt(source, next + 1)) {
    next += 2
    while (isAt(source, next, '.') && isWordAt(source, next + 1)) next += 2
    if (isAt(source, next, '(')) next = afterBracket(source, next, to)
  }
  return next
}

function readDeclaration(source: Source, start: number, word: number, to: number): Item | null {
  const keyword = textAt(source, word)
  switch (keyword) {
    case 'function':
      return readFunction(source, start, isAt(source, word + 1, '*') ? word + 2 : word + 1, to)
    case 'global':
      return isAt(source, word + 1, '{') ? readGlobal(source, word, to) : null
    case 'class':
    case 'interface':
    case 'enum':
    case 'namespace':
    case 'module':
      return readBlock(source, start, word, to, keyword)
    case 'type':
      return isWordAt(source, word + 1) && !startsLine(source, word + 1)
        ? single(textAt(source, word + 1), 'type', start, statementEnd(source, word, to))
        : null
    case 'const':
      if (textAt(source, word + 1) === 'enum') return readBlock(source, start, word + 1, to, 'enum')
      return readVariables(source, word + 1, to)
    case 'let':
    case 'var':
    case 'using':
      return isWordAt(source, word + 1) || isAt(source, word + 1, '{') || isAt(source, word + 1, '[')
        ? readVariables(source, word + 1, to)
        : null
    case 'import':
    case 'export':
      return { next: statementEnd(source, word, to), found: [] }
    default:
      return null
  }
}

/** `declare global {…}`. */
function readGlobal(source: Source, word: number, to: number): Item {
  const end = afterBracket(source, word + 1, to)
  return single('', 'module', word, end, [word + 2, end - 1])
}

function readFunction(source: Source, start: number, nameAt: number, to: number): Item {
  const name = isWordAt(source, nameAt) ? textAt(source, nameAt) : 'default'
  const open = findAt(source, nameAt, to, (at) => isAt(source, at, '(') || isAt(source, at, '{'))
  const end = bodyEnd(source, open, to)
  return single(name, 'function', start, end)
}

/** The end of a function, given the place of its parameters: after its body, or where a declaration without one ends. */
function bodyEnd(source: Source, parameters: number, to: number): number {
  let at = isAt(source, parameters, '(') ? afterBracket(source, parameters, to) : parameters
  if (isAt(source, at, ':')) at = typeEnd(source, at + 1, to)
  return isAt(source, at, '{') ? afterBracket(source, at, to) : statementEnd(source, at - 1, to)
}

/** The end of a return type. A brace is part of it after something that awaits a type. */
function typeEnd(source: Source, from: number, to: number): number {
  let at = from
  let isAwaiting = true
  let angles = 0
  for (; at < to; ) {
    const mark = textAt(source, at)
    if (mark === '{' && !isAwaiting && angles === 0) return at
    if (mark === ';' || mark === '}' || (mark === '=' && !isAt(source, at + 1, '>'))) return at
    if (startsLine(source, at) && !isAwaiting && angles === 0 && mark !== '|' && mark !== '&') return at
    if (mark === '<') angles++
    const isArrow = mark === '>' && isAt(source, at - 1, '=') && touches(source, at - 1)
    if (mark === '>' && !isArrow) angles = Math.max(0, angles - 1)
    isAwaiting = isArrow || TYPE_AWAITED_AFTER.has(mark)
    at = afterBracket(source, at, to)
  }
  return to
}

const TYPE_AWAITED_AFTER = new Set('| & < , : ? = extends is keyof typeof readonly asserts infer new unique'.split(' '))

function readBlock(source: Source, start: number, word: number, to: number, keyword: string): Item | null {
  if (!isWordAt(source, word + 1) && !isStringAt(source, word + 1) && !(keyword === 'class' && isAt(source, word + 1, '{'))) return null
  const isUnnamed = isAt(source, word + 1, '{') || textAt(source, word + 1) === 'extends'
  // The name of another module: what is in it has names of its own.
  const name = isUnnamed ? 'default' : isStringAt(source, word + 1) ? '' : textAt(source, word + 1)
  const open = blockStart(source, word + 1, to)
  if (!isAt(source, open, '{')) return { next: open + 1, found: [] }
  const end = afterBracket(source, open, to)
  const inside: [number, number] = [open + 1, end - 1]
  if (keyword === 'class') return single(name, 'class', start, end, inside)
  return keyword === 'namespace' || keyword === 'module' ? single(name, 'module', start, end, inside) : single(name, 'type', start, end)
}

/** The brace that opens a block, or the `;` if there is none. Types before it may contain braces, in type arguments above all. */
function blockStart(source: Source, from: number, to: number): number {
  let angles = 0
  return findAt(source, from, to, (at) => {
    if (isAt(source, at, '<')) angles++
    if (isAt(source, at, '>') && !isAt(source, at - 1, '=')) angles--
    return isAt(source, at, ';') || (isAt(source, at, '{') && angles <= 0 && !['&', '|', ','].includes(textAt(source, at - 1)))
  })
}

/** Each variable of a declaration, from its name to the comma or the end. */
function readVariables(source: Source, from: number, to: number): Item {
  const end = statementEnd(source, from, to)
  const last = isAt(source, end - 1, ';') ? end - 1 : end
  const found: FoundDefinition[] = []
  for (let at = from; at < last; ) {
    const comma = findAt(source, at, last, (index) => index > at && isAt(source, index, ',') && startsVariable(source, index + 1))
    if (isWordAt(source, at)) found.push({ name: textAt(source, at), kind: 'value', from: at, to: comma })
    at = comma + 1
  }
  return { next: end, found }
}

const startsVariable = (source: Source, at: number) =>
  isWordAt(source, at) && ['=', ',', ';', ':'].some((mark) => isAt(source, at + 1, mark))

function readMember(source: Source, start: number, name: number, to: number): Item {
  if (isAt(source, name, ';')) return { next: name + 1, found: [] }
  if (isAt(source, name, '{')) return { next: afterBracket(source, name, to), found: [] } // a static block
  const nameAt = isAt(source, name, '*') ? name + 1 : name
  const isPrivate = isAt(source, nameAt, '#')
  const isComputed = isAt(source, nameAt, '[')
  const after = isPrivate ? nameAt + 2 : afterBracket(source, nameAt, to)
  const label = isComputed
    ? source.tokens.text.slice(source.tokens.starts[nameAt], source.tokens.ends[after - 1])
    : `${isPrivate ? '#' : ''}${unquote(textAt(source, isPrivate ? nameAt + 1 : nameAt))}`
  let next = isAt(source, after, '?') || isAt(source, after, '!') ? after + 1 : after
  if (isAt(source, next, '<')) next = findAt(source, next, to, (at) => isAt(source, at, '('))
  if (isAt(source, next, '(')) return single(label, 'method', start, bodyEnd(source, next, to))
  const end = Math.max(statementEnd(source, name, to), name + 1)
  return single(label, 'value', start, isAt(source, end - 1, ';') ? end - 1 : end)
}

const unquote = (text: string) => text.replace(/^(['"`])([\s\S]*)\1$/, '$2')

/** `test('…', () => {…})` and its like; `describe` contains others. */
function readTest(source: Source, at: number, to: number): Item | null {
  if (!TEST_FUNCTIONS.has(textAt(source, at))) return null
  let open = at + 1
  while (isAt(source, open, '.') && isWordAt(source, open + 1)) open += 2
  if (isAt(source, open, '(') && isAt(source, afterBracket(source, open, to), '(')) open = afterBracket(source, open, to)
  if (!isAt(source, open, '(') || !isStringAt(source, open + 1)) return null
  const close = afterBracket(source, open, to) - 1
  const body = findAt(source, open + 2, close, (index) => isAt(source, index, '{') && isCallbackBody(source, index))
  const end = isAt(source, close + 1, ';') ? close + 2 : close + 1
  const isGroup = GROUP_FUNCTIONS.has(textAt(source, at)) && body < close
  const inside: [number, number] | undefined = isGroup ? [body + 1, afterBracket(source, body, to) - 1] : undefined
  return { ...single(unquote(textAt(source, open + 1)), 'test', at, close + 1, inside), next: end }
}

const isCallbackBody = (source: Source, at: number) => isAt(source, at - 1, ')') || (isAt(source, at - 1, '>') && isAt(source, at - 2, '='))

const TEST_FUNCTIONS = new Set(['test', 'it', 'describe', 'context', 'suite', 'bench', 'specify'])
const GROUP_FUNCTIONS = new Set(['describe', 'context', 'suite'])

/** `a.b = …` defines `a.b`; other statements define nothing, but tests may be declared under a condition. */
function readAssignment(source: Source, at: number, to: number): Item {
  const block = /^(?:if|for|while)$/.test(textAt(source, at)) ? afterBracket(source, at + 1, to) : at
  if (isAt(source, block, '{') && block > at) {
    const next = afterBracket(source, block, to)
    return { next, found: [{ name: '', kind: 'module', from: at, to: next, inside: [block + 1, next - 1] }] }
  }
  const end = Math.max(statementEnd(source, at, to), at + 1)
  let last = at
  while (isAt(source, last + 1, '.') && isWordAt(source, last + 2)) last += 2
  const isAssigned = isWordAt(source, at) && last > at && isAt(source, last + 1, '=') && !isAt(source, last + 2, '=')
  if (!isAssigned) return { next: end, found: [] }
  const name = source.tokens.text.slice(source.tokens.starts[at], source.tokens.ends[last])
  const value = isAt(source, end - 1, ';') ? end - 1 : end
  return { next: end, found: [{ name: name.replace(/\s+/g, ''), kind: 'value', from: at, to: value }] }
}
