import {
  afterBracket,
  beforeTypeArguments,
  findAt,
  isAt,
  isDirectiveAt,
  isStringAt,
  isWordAt,
  type ReadDefinitions,
  type Source,
  startsLine,
  textAt,
} from './source.ts'
import { DIRECTIVE, PUNCTUATION, REPEATED_BRACKET, type Tokens, tokenText } from './tokens.ts'

/** Reads an item of C or C++: a function with a body, a type, a namespace or a macro. A mere declaration defines nothing. */
export function readCItem(source: Source, at: number, to: number): ReadDefinitions {
  if (source.tokens.kinds[at] === DIRECTIVE) return readDirective(source, at)
  const afterMacro = macroLineEnd(source, at, to)
  if (afterMacro > at) return { next: afterMacro, found: [] }
  const start = skipTemplate(source, at, to)
  const word = skipAttributes(source, start, to)
  const text = textAt(source, word)
  if (/^(?:public|private|protected|signals|slots)$/.test(text) && isAt(source, word + 1, ':')) return { next: word + 2, found: [] }
  if (
    text === 'namespace' ||
    (text === 'inline' && textAt(source, word + 1) === 'namespace') ||
    (text === 'extern' && isStringAt(source, word + 1))
  )
    return readNamespace(source, at, word, to)
  if (text === 'using' || text === 'typedef') return readAlias(source, at, word, to)
  return readType(source, at, word, to) ?? readFunction(source, at, word, to)
}

function readDirective(source: Source, at: number): ReadDefinitions {
  const name = /^#\s*define\s+(\w+)/.exec(textAt(source, at).slice(0, 200))?.[1]
  return { next: at + 1, found: name ? [{ name, kind: 'value', from: at, to: at + 1 }] : [] }
}

/** After a macro that stands alone on its line, such as `BEGIN_EXPORT` or `PRAGMA(push)`. */
function macroLineEnd(source: Source, at: number, to: number): number {
  if (!/^[A-Z][A-Z0-9_]+$/.test(textAt(source, at)) || !startsLine(source, at)) return at
  const end = isAt(source, at + 1, '(') ? afterBracket(source, at + 1, to) : at + 1
  return startsLine(source, end) && (isWordAt(source, end) || isDirectiveAt(source, end) || end >= to) ? end : at
}

function skipTemplate(source: Source, at: number, to: number): number {
  let next = at
  while (next < to && textAt(source, next) === 'template' && isAt(source, next + 1, '<')) {
    let depth = 0
    for (next++; next < to; next = afterBracket(source, next, to)) {
      if (isAt(source, next, '<')) depth++
      else if (isAt(source, next, '>') && !isAt(source, next - 1, '-') && --depth === 0) break
      else if (isAt(source, next, ';') || isAt(source, next, '{')) break
    }
    next++
  }
  return next
}

function skipAttributes(source: Source, at: number, to: number): number {
  let next = at
  while (isAt(source, next, '[') && isAt(source, next + 1, '[')) next = afterBracket(source, next, to)
  return next
}

function readNamespace(source: Source, start: number, word: number, to: number): ReadDefinitions {
  const open = findAt(source, word, to, (index) => isAt(source, index, '{') || isAt(source, index, ';') || isAt(source, index, '('))
  if (!isAt(source, open, '{')) return isAt(source, open, '(') ? readFunction(source, start, word, to) : { next: open + 1, found: [] }
  const end = afterBracket(source, open, to)
  return { next: end, found: [{ name: '', kind: 'module', from: start, to: end, inside: [open + 1, end - 1] }] }
}

function readAlias(source: Source, start: number, word: number, to: number): ReadDefinitions {
  const end = findAt(source, word, to, (index) => isAt(source, index, ';'))
  const equals = findAt(source, word, end, (index) => isAt(source, index, '='))
  if (textAt(source, word) === 'using') {
    const isAlias = equals < end && isWordAt(source, equals - 1)
    return { next: end + 1, found: isAlias ? [{ name: textAt(source, equals - 1), kind: 'type', from: start, to: end }] : [] }
  }
  const nameAt = isWordAt(source, end - 1) ? end - 1 : functionTypeName(source, word, end)
  return { next: end + 1, found: nameAt > word ? [{ name: textAt(source, nameAt), kind: 'type', from: start, to: end }] : [] }
}

/** The name in `typedef int (*name)(int)`. */
function functionTypeName(source: Source, from: number, end: number): number {
  const open = findAt(source, from, end, (index) => isAt(source, index, '(') && isAt(source, index + 1, '*'))
  return open < end && isWordAt(source, open + 2) ? open + 2 : -1
}

/** A struct, class, union or enum with a body; null where the keyword belongs to a function or a variable. */
function readType(source: Source, start: number, from: number, to: number): ReadDefinitions | null {
  let word = from
  while (/^(?:static|const|extern|constexpr|inline|volatile)$/.test(textAt(source, word))) word++
  const keyword = textAt(source, word)
  if (!/^(?:struct|class|union|enum)$/.test(keyword)) return null
  const open = typeBodyStart(source, word + 1, to)
  if (isAt(source, open, '(') || isAt(source, open, '=')) return null
  if (!isAt(source, open, '{')) return { next: open + 1, found: [] }
  const colon = findAt(
    source,
    word + 1,
    open,
    (index) => isAt(source, index, ':') && !isAt(source, index + 1, ':') && !isAt(source, index - 1, ':'),
  )
  const nameAt = typeNameAt(source, word, colon)
  // A function that returns `struct x` has parameters before its body; a variable has a name after the body.
  const close = afterBracket(source, open, to)
  const end = findAt(source, close, to, (index) => isAt(source, index, ';') || isAt(source, index, '{') || isAt(source, index, '}'))
  const next = isAt(source, end, ';') && end - close < 12 ? end + 1 : close
  const isContainer = keyword === 'class' || keyword === 'struct'
  const inside: [number, number] = [open + 1, close - 1]
  if (nameAt <= word) return { next, found: [] }
  const name = `${textAt(source, nameAt)}${templateArguments(source, nameAt + 1, Math.min(colon, open))}`
  return { next, found: [{ name, kind: 'class', from: start, to: close, ...(isContainer && { inside }) }] }
}

/** The brace of a type's body, or what shows that it is no definition. Template arguments may contain anything. */
function typeBodyStart(source: Source, from: number, to: number): number {
  let angles = 0
  return findAt(source, from, to, (at) => {
    if (isAt(source, at, '<')) angles++
    if (isAt(source, at, '>') && !isAt(source, at - 1, '-')) angles = Math.max(0, angles - 1)
    if (isAt(source, at, '{') || isAt(source, at, ';')) return true
    return angles === 0 && (isAt(source, at, '(') || isAt(source, at, '=')) && !isMacroCall(source, at)
  })
}

const isMacroCall = (source: Source, index: number) =>
  (isAt(source, index, '(') && /^[A-Z_0-9]+$/.test(textAt(source, index - 1))) || textAt(source, index - 1) === 'alignas'

/** `<int>` of a specialisation: it is another type. */
function templateArguments(source: Source, from: number, to: number): string {
  if (!isAt(source, from, '<') || from >= to) return ''
  return source.tokens.text
    .slice(source.tokens.starts[from], source.tokens.ends[to - 1])
    .replace(/[\s.]+/g, '')
    .slice(0, 80)
}

/** The last word before the bases, without `final` and template arguments. */
function typeNameAt(source: Source, word: number, end: number): number {
  const angle = findAt(source, word + 1, end, (index) => isAt(source, index, '<'))
  let at = Math.min(angle, end) - 1
  while (at > word && (textAt(source, at) === 'final' || !isWordAt(source, at))) at--
  return /^(?:class|struct)$/.test(textAt(source, at)) ? -1 : at
}

/** A function: a name, its parameters and a body, with qualifiers or initialisers between them. */
function readFunction(source: Source, start: number, from: number, to: number): ReadDefinitions {
  let name = ''
  for (let at = from; at < to; ) {
    if (isAt(source, at, ';')) return { next: at + 1, found: [] }
    if (isAt(source, at, '}')) return { next: at + 1, found: [] }
    // A call of a macro without `;` ends where a directive begins.
    if (source.tokens.kinds[at] === DIRECTIVE) return { next: at, found: [] }
    if (isAt(source, at, '=') && name === '' && textAt(source, at - 1) !== 'operator' && !isOperatorMark(source, at))
      return skipValue(source, at, to)
    if (isAt(source, at, '=') && name !== '' && /^(?:default|delete|0)$/.test(textAt(source, at + 1))) return skipValue(source, at, to)
    if (isAt(source, at, '{')) {
      const end = afterBracket(source, at, to)
      if (name === '') return { next: end, found: [] }
      return { next: end, found: [{ name, kind: 'function', from: start, to: end }] }
    }
    if (isAt(source, at, '(') && !isQualified(source, at, name)) name = functionName(source, at) || name
    if (
      (isAt(source, at, ':') && name !== '' && !isAt(source, at + 1, ':') && !isAt(source, at - 1, ':') && isAt(source, at - 1, ')')) ||
      (isAt(source, at, ':') && textAt(source, at - 1) === 'noexcept')
    )
      at = initialisersEnd(source, at + 1, to)
    else at = afterBracket(source, at, to)
  }
  return { next: to, found: [] }
}

/** Whether the bracket belongs to something after the parameters, such as `noexcept(…)` or a macro. */
function isQualified(source: Source, at: number, name: string): boolean {
  const before = textAt(source, at - 1)
  if (/^(?:noexcept|throw|decltype|alignas|__attribute__|requires|explicit|sizeof|__declspec)$/.test(before)) return true
  // After the parameters, only the name of another function may come: then what came before was a macro.
  return name !== '' && (!isWordAt(source, at - 1) || /^[A-Z_0-9]+$/.test(before))
}

function functionName(source: Source, open: number): string {
  let at = open - 1
  for (let back = at; back > at - 4 && back >= 0; back--)
    if (textAt(source, back) === 'operator')
      return prefixed(
        source,
        back,
        `operator${source.tokens.text.slice(source.tokens.starts[back + 1] ?? 0, source.tokens.ends[at]).replace(/\s+/g, '')}`,
      )
  at = beforeTypeArguments(source, at, open - 60)
  if (!isWordAt(source, at) || /^(?:if|for|while|switch|return|sizeof|catch)$/.test(textAt(source, at))) return ''
  return isAt(source, at - 1, '~') ? prefixed(source, at - 1, `~${textAt(source, at)}`) : prefixed(source, at, textAt(source, at))
}

/** With the classes before it: `Reader::next` is `Reader.next`. */
function prefixed(source: Source, at: number, name: string): string {
  let full = name
  let back = at
  while (isAt(source, back - 1, ':') && isAt(source, back - 2, ':')) {
    const owner = beforeTypeArguments(source, back - 3, back - 60)
    if (!isWordAt(source, owner)) break
    full = `${textAt(source, owner)}.${full}`
    back = owner
  }
  return full
}

const isOperatorMark = (source: Source, at: number) => [1, 2, 3].some((back) => textAt(source, at - back) === 'operator')

/** After the initialisers of a constructor: `a(1), b{2}`, before the body. */
function initialisersEnd(source: Source, from: number, to: number): number {
  let at = from
  while (at < to && !isAt(source, at, ';')) {
    if (isAt(source, at, '{') && !isWordAt(source, at - 1) && !isAt(source, at - 1, '>')) return at
    if (isAt(source, at, '{') && !isInitialiser(source, at, to)) return at
    at = afterBracket(source, at, to)
  }
  return at
}

/** After `b{2}` comes a comma or the body. */
function isInitialiser(source: Source, at: number, to: number): boolean {
  const next = afterBracket(source, at, to)
  return isAt(source, next, ',') || isAt(source, next, '{')
}

function skipValue(source: Source, at: number, to: number): ReadDefinitions {
  return { next: findAt(source, at, to, (index) => isAt(source, index, ';')) + 1, found: [] }
}

/**
 * Brackets in a branch of `#else` are not counted where the first branch left one open: both branches open or close the same block.
 */
export function ignoreRepeatedBrackets(tokens: Tokens): Tokens {
  const conditions: { depth: number; endOfFirst: number | null }[] = []
  let depth = 0
  for (let index = 0; index < tokens.kinds.length; index++) {
    if (tokens.kinds[index] === DIRECTIVE) {
      const name = /^#\s*(\w+)/.exec(tokenText(tokens, index).slice(0, 40))?.[1] ?? ''
      const condition = conditions.at(-1)
      if (name.startsWith('if')) conditions.push({ depth, endOfFirst: null })
      else if (name.startsWith('el') && condition) condition.endOfFirst ??= depth
      else if (name === 'endif') conditions.pop()
    } else if (tokens.kinds[index] === PUNCTUATION) {
      const mark = tokens.text[tokens.starts[index] ?? 0] ?? ''
      const change = '{(['.includes(mark) ? 1 : '})]'.includes(mark) ? -1 : 0
      if (change === 0) continue
      const isRepeated = conditions.some((one) => one.endOfFirst !== null && one.endOfFirst !== one.depth)
      if (isRepeated) tokens.kinds[index] = REPEATED_BRACKET
      else depth += change
    }
  }
  return tokens
}
