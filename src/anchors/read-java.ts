import {
  afterBracket,
  beforeTypeArguments,
  type Container,
  type FoundDefinition,
  findAt,
  isAt,
  isDirectiveAt,
  isWordAt,
  type ReadDefinitions,
  type Source,
  textAt,
  touches,
} from './source.ts'

/** Reads an item of Java or C#: a type, a method, a property or a field. Attributes and annotations are not part of it. */
export function readJavaItem(source: Source, at: number, to: number, container: Container): ReadDefinitions {
  const start = skipAttributes(source, at, to)
  if (start >= to) return { next: to, found: [] }
  let word = start
  while (isWordAt(source, word) && MODIFIERS.has(textAt(source, word)) && word < to) word = skipAttributes(source, word + 1, to)
  const keyword = textAt(source, word)
  if (keyword === 'namespace') return readNamespace(source, start, word, to)
  if (keyword === 'package' || keyword === 'import' || keyword === 'using') {
    const end = findAt(source, word, to, (index) => isAt(source, index, ';'))
    return { next: end + 1, found: [] }
  }
  if (keyword === '@' && textAt(source, word + 1) === 'interface') return readType(source, start, word + 1, to)
  if (TYPES.has(keyword) && isWordAt(source, word + 1) && isTypeDeclaration(source, word)) return readType(source, start, word, to)
  return readMember(source, start, word, to, container)
}

const MODIFIERS = new Set(
  (
    'public private protected internal static final abstract native synchronized transient volatile strictfp default sealed non ' +
    'virtual override readonly extern unsafe async partial new const required file implicit explicit fixed event ref'
  ).split(' '),
)
const TYPES = new Set(['class', 'interface', 'enum', 'record', 'struct'])

/** `record` is also a name. */
const isTypeDeclaration = (source: Source, word: number) =>
  textAt(source, word) !== 'record' || (!isAt(source, word + 1, '(') && !isAt(source, word + 2, '=') && !isAt(source, word + 2, ';'))

function skipAttributes(source: Source, at: number, to: number): number {
  let next = at
  for (; next < to; ) {
    if (isAt(source, next, '[')) next = afterBracket(source, next, to)
    else if (isDirectiveAt(source, next)) next++
    else if (isAt(source, next, '@') && textAt(source, next + 1) !== 'interface') {
      next += 2
      while (isAt(source, next, '.')) next += 2
      if (isAt(source, next, '(')) next = afterBracket(source, next, to)
    } else return next
  }
  return next
}

function readNamespace(source: Source, start: number, word: number, to: number): ReadDefinitions {
  const open = findAt(source, word, to, (index) => isAt(source, index, '{') || isAt(source, index, ';'))
  if (!isAt(source, open, '{')) return { next: open + 1, found: [] }
  const end = afterBracket(source, open, to)
  return { next: end, found: [{ name: '', kind: 'module', from: start, to: end, inside: [open + 1, end - 1] }] }
}

function readType(source: Source, start: number, word: number, to: number): ReadDefinitions {
  const nameAt = TYPES.has(textAt(source, word + 1)) ? word + 2 : word + 1 // `record struct`, `record class`
  const open = findAt(source, nameAt, to, (index) => isAt(source, index, '{') || isAt(source, index, ';'))
  const end = isAt(source, open, '{') ? afterBracket(source, open, to) : open
  const isEnum = textAt(source, word) === 'enum'
  const first = isEnum ? constantsEnd(source, open + 1, end - 1) : open + 1
  const inside: [number, number] = [first, end - 1]
  return {
    next: isAt(source, end, ';') ? end + 1 : end,
    found: [{ name: textAt(source, nameAt), kind: 'class', from: start, to: end, ...(first < end - 1 && { inside }) }],
  }
}

/** Members of an enum come after its constants and a `;`. */
function constantsEnd(source: Source, from: number, to: number): number {
  return Math.min(findAt(source, from, to, (index) => isAt(source, index, ';')) + 1, to)
}

/** A method has parameters before a body, `=` or `;`; a property has a block without them. */
function readMember(source: Source, start: number, word: number, to: number, container: Container): ReadDefinitions {
  let angles = 0
  for (let at = word; at < to; ) {
    const text = textAt(source, at)
    if (text === '<') angles++
    else if (text === '>' && !isAt(source, at - 1, '=')) angles = Math.max(0, angles - 1)
    const name = memberName(source, at)
    if (text === '(' && angles === 0 && at > word && name !== '') return readMethod(source, start, at, to, name)
    if (text === '[' && textAt(source, at - 1) === 'this') return readMethod(source, start, at, to, 'this')
    if (text === ';' || (text === '=' && angles === 0) || (text === ',' && angles === 0)) return readField(source, start, at, to, container)
    if (text === '{')
      return at > word && isWordAt(source, at - 1) ? readProperty(source, start, at, to) : { next: afterBracket(source, at, to), found: [] }
    if (text === '}') return { next: at + 1, found: [] }
    at = afterBracket(source, at, to)
  }
  return { next: to, found: [] }
}

/** The name before a bracket: `run`, `run<T>`, `operator +`. */
function memberName(source: Source, at: number): string {
  const last = beforeTypeArguments(source, at - 1, at - 80)
  if (isWordAt(source, last)) return CONTROL.has(textAt(source, last)) ? '' : textAt(source, last)
  for (let back = last; back > last - 3 && back > 0; back--) {
    if (textAt(source, back) === 'operator')
      return `operator ${source.tokens.text.slice(source.tokens.starts[back + 1], source.tokens.ends[last])}`
  }
  return ''
}

const CONTROL = new Set(['if', 'for', 'while', 'switch', 'catch', 'return', 'new', 'throw', 'using', 'lock', 'foreach'])

function readMethod(source: Source, start: number, parameters: number, to: number, name: string): ReadDefinitions {
  const open = findAt(
    source,
    afterBracket(source, parameters, to),
    to,
    (at) => isAt(source, at, '{') || isAt(source, at, ';') || isAt(source, at, '}') || (isAt(source, at, '=') && isAt(source, at + 1, '>')),
  )
  if (isAt(source, open, '{')) return definition(name, 'method', start, afterBracket(source, open, to))
  const end = isAt(source, open, '=') ? findAt(source, open, to, (at) => isAt(source, at, ';')) : open
  return { ...definition(name, 'method', start, end), next: isAt(source, end, '}') ? end : end + 1 }
}

const definition = (name: string, kind: FoundDefinition['kind'], from: number, to: number): ReadDefinitions => ({
  next: to,
  found: [{ name, kind, from, to }],
})

function readField(source: Source, start: number, at: number, to: number, container: Container): ReadDefinitions {
  const end = findAt(source, at, to, (index) => isAt(source, index, ';'))
  let nameAt = at - 1
  while (isAt(source, nameAt, ']') || isAt(source, nameAt, '[')) nameAt--
  const isField = container.kind === 'class' && isWordAt(source, nameAt) && nameAt > start && !CONTROL.has(textAt(source, start))
  return { next: end + 1, found: isField ? [{ name: textAt(source, nameAt), kind: 'value', from: start, to: end }] : [] }
}

function readProperty(source: Source, start: number, open: number, to: number): ReadDefinitions {
  const end = afterBracket(source, open, to)
  const hasValue = isAt(source, end, '=') && !touches(source, end)
  const last = hasValue ? findAt(source, end, to, (at) => isAt(source, at, ';')) : end
  return { ...definition(textAt(source, open - 1), 'value', start, last), next: hasValue ? last + 1 : last }
}
