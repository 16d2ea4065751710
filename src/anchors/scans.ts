import { DIRECTIVE, isMark, isWordCode, PUNCTUATION, type ScanState, STRING, tokenText, WORD, wordEnd } from './tokens.ts'

/** Reads one thing at a place of a text: returns where it ends, or the place itself if it is not there. Kind 0 is a comment. */
export type ScanRule = { kind: number; scan: Scan }
export type Scan = (text: string, at: number, state: ScanState) => number

const COMMENT = 0

export const comment = (scan: Scan): ScanRule => ({ kind: COMMENT, scan })
export const string = (scan: Scan): ScanRule => ({ kind: STRING, scan })
export const word = (scan: Scan): ScanRule => ({ kind: WORD, scan })
export const directive = (scan: Scan): ScanRule => ({ kind: DIRECTIVE, scan })

const lineEnd = (text: string, at: number) => {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/** A comment up to the end of the line. */
export const lineComment =
  (opening: string): Scan =>
  (text, at) =>
    text.startsWith(opening, at) ? lineEnd(text, at) : at

/** In a shell, `#` begins a comment only where a word could begin. */
export const shellComment: Scan = (text, at) => (at === 0 || /[\s;(&|]/.test(text[at - 1] ?? '') ? lineEnd(text, at) : at)

export const blockComment =
  (opening: string, closing: string): Scan =>
  (text, at) => {
    if (!text.startsWith(opening, at)) return at
    const end = text.indexOf(closing, at + opening.length)
    return end < 0 ? text.length : end + closing.length
  }

/** Block comments that contain others, as in Rust, Swift and Kotlin. */
export const nestedComment: Scan = (text, at) => {
  if (!text.startsWith('/*', at)) return at
  let depth = 1
  let end = at + 2
  for (; end < text.length && depth > 0; end++) {
    if (text.startsWith('/*', end)) depth++
    else if (text.startsWith('*/', end)) depth--
    else continue
    end++
  }
  return end
}

/** Ruby's `=begin` to `=end`, both at the start of a line. */
export const rubyBlockComment: Scan = (text, at) => {
  const isLineStart = at === 0 || text[at - 1] === '\n'
  if (!isLineStart || !text.startsWith('=begin', at)) return at
  const end = text.indexOf('\n=end', at)
  return end < 0 ? text.length : lineEnd(text, end + 1)
}

/** A string without anything nested. Unless it may span lines, it ends with its line even if its quote is missing. */
export const quoted =
  (quote: string, { spansLines = false, escapes = true }: { spansLines?: boolean; escapes?: boolean } = {}): Scan =>
  (text, at) => {
    const closing = quote.charCodeAt(0)
    for (let end = at + 1; end < text.length; end++) {
      const code = text.charCodeAt(end)
      if (code === closing) return end + 1
      if (code === BACKSLASH && escapes) end++
      else if (code === NEWLINE && !spansLines) return end
    }
    return text.length
  }

const BACKSLASH = 92
const NEWLINE = 10

/** A string in three or more quotes: it ends with as many. */
export const tripleQuoted =
  (quote: string, { escapes = true } = {}): Scan =>
  (text, at) => {
    let count = 0
    while (text[at + count] === quote && count < 20) count++
    if (count < 3 || (count > 3 && escapes)) count = text.startsWith(quote.repeat(3), at) ? 3 : 0
    if (count === 0) return at
    const closing = quote.repeat(count)
    for (let end = at + count; end < text.length; end++) {
      if (escapes && text.charCodeAt(end) === BACKSLASH) end++
      else if (text.startsWith(closing, end)) {
        let last = end + count
        while (text[last] === quote) last++
        return last
      }
    }
    return text.length
  }

/** How a string with code in it is written: `hole` opens the code, which ends with its bracket. */
export type InterpolatedString = { quote: string; holes: string[]; spansLines?: boolean; nested: string; length?: number }

/** A string that contains code, which may contain strings. */
export const interpolated =
  (form: InterpolatedString): Scan =>
  (text, at) =>
    interpolatedEnd(text, at + (form.length ?? 1), form, 0)

const MAX_NESTED_STRINGS = 8

function interpolatedEnd(text: string, from: number, form: InterpolatedString, depth: number): number {
  let end = from
  while (end < text.length) {
    if (text.startsWith(form.quote, end)) return end + form.quote.length
    const hole = depth < MAX_NESTED_STRINGS ? form.holes.find((one) => text.startsWith(one, end)) : undefined
    if (hole) end = holeEnd(text, end + hole.length, form, hole, depth + 1)
    else if (text[end] === '\\') end += 2
    else if (text[end] === '\n' && !form.spansLines) return end
    else end++
  }
  return text.length
}

/** The end of the code in a string: the bracket that closes it. */
function holeEnd(text: string, from: number, form: InterpolatedString, hole: string, depth: number): number {
  const opening = hole.endsWith('(') ? '(' : '{'
  const closing = opening === '(' ? ')' : '}'
  let open = 1
  let end = from
  while (end < text.length && open > 0) {
    const mark = text[end] ?? ''
    if (mark === '\n' && !form.spansLines) return end
    if (mark === opening) open++
    else if (mark === closing) open--
    else if (mark === '\\') end++
    else if (form.nested.includes(mark)) {
      end = nestedStringEnd(text, end, mark, form, opening, depth)
      continue
    }
    end++
  }
  return end
}

/** A string in code in a string. A quote that is not closed on its line is a mark of something else, except in a shell's commands. */
function nestedStringEnd(text: string, at: number, quote: string, form: InterpolatedString, opening: string, depth: number): number {
  if (quote === form.quote || quote === '`' || quote === '"') return interpolatedEnd(text, at + 1, { ...form, quote }, depth)
  const isCommand = opening === '('
  const end = quoted(quote, { spansLines: isCommand, escapes: !isCommand })(text, at, NO_STATE)
  return text[end - 1] === quote ? end : at + 1
}

const NO_STATE: ScanState = {
  tokens: { text: '', kinds: [], starts: [], ends: [], columns: [] },
  heredocs: [],
  fruitlessUntil: 0,
  noHeredocs: true,
}

/** Whether the last token ends a value, so that `/`, `%` or `?` after it is an operator. */
function followsValue({ tokens }: ScanState): boolean {
  const last = tokens.kinds.length - 1
  if (last < 0) return false
  const text = tokenText(tokens, last)
  if (tokens.kinds[last] === WORD) return !BEFORE_REGEX.test(text)
  return tokens.kinds[last] !== PUNCTUATION || text === ')' || text === ']' || text === '}'
}

const BEFORE_REGEX =
  /^(?:return|typeof|case|in|of|do|else|void|delete|throw|new|instanceof|yield|await|if|unless|while|until|and|or|not|when|then|puts|match|split)$/

/** A regular expression between slashes, on one line. */
export const regexLiteral: Scan = (text, at, state) => {
  const next = text[at + 1]
  if (next === '/' || next === '*' || at < state.fruitlessUntil || followsValue(state)) return at
  if (isMark(state.tokens, state.tokens.kinds.length - 1, '<')) return at // the end tag of a JSX element
  let isInClass = false
  for (let end = at + 1; end < text.length; end++) {
    const mark = text[end]
    if (mark === '\n') {
      state.fruitlessUntil = end
      return at
    }
    if (mark === '\\') end++
    else if (mark === '[') isInClass = true
    else if (mark === ']') isInClass = false
    else if (mark === '/' && !isInClass) return wordEnd(text, end)
  }
  state.fruitlessUntil = text.length
  return at
}

/** In Ruby, `foo /x/` passes a regular expression, and `foo / x` divides. */
export const rubyRegex: Scan = (text, at, state) => {
  if (at < state.fruitlessUntil) return at
  const isArgument = text[at - 1] === ' ' && !/[\s=]/.test(text[at + 1] ?? ' ')
  if (followsValue(state) && !isArgument) return at
  const end = interpolatedEnd(text, at + 1, { quote: '/', holes: ['#{'], nested: '\'"' }, 0)
  if (text[end - 1] === '/') return isWordCode(text.charCodeAt(end)) ? wordEnd(text, end) : end
  state.fruitlessUntil = end
  return at
}

/** Ruby's `%w[a b]`, `%(text)` and the like. */
export const percentLiteral: Scan = (text, at, state) => {
  const opening = /^%[wWqQiIrsx]?([[({<|!/])/.exec(text.slice(at, at + 3))
  if (!opening || (followsValue(state) && text[at - 1] !== ' ')) return at
  if (followsValue(state) && opening[0].length === 2) return at
  const closing = { '[': ']', '(': ')', '{': '}', '<': '>' }[opening[1] ?? ''] ?? opening[1]
  let depth = 1
  for (let end = at + opening[0].length; end < text.length; end++) {
    if (text[end] === '\\') end++
    else if (text[end] === closing && --depth === 0) return end + 1
    else if (text[end] === opening[1]) depth++
  }
  return text.length
}

/** Ruby's `?x` is a character. Only those matter that would otherwise begin something. */
export const rubyCharacter: Scan = (text, at, state) =>
  /^\?["'#/`]/.test(text.slice(at, at + 2)) && !isWordCode(text.charCodeAt(at + 2)) && !followsValue(state) ? at + 2 : at

/** Announces a text that begins on the next line. */
export const heredoc =
  (pattern: RegExp): Scan =>
  (text, at, state) => {
    const found = pattern.exec(text.slice(at, at + 80))
    if (!found || state.noHeredocs) return at
    state.heredocs.push({ word: found[3] ?? '', mayBeIndented: found[1] !== '' })
    return at + found[0].length
  }

/** Rust's `'a'` is a character and `'a` a lifetime. */
export const rustQuote: Scan = (text, at) => {
  if (text[at + 1] === '\\') return quoted("'")(text, at, NO_STATE)
  const end = at + 1 + ((text.codePointAt(at + 1) ?? 0) > 0xffff ? 2 : 1)
  return text[end] === "'" ? end + 1 : wordEnd(text, at)
}

/** Rust's `r#async` is a name. */
export const rawName: Scan = (text, at) => (/^r#[A-Za-z_]/.test(text.slice(at, at + 3)) ? wordEnd(text, at + 2) : at)

/** `r"…"`, `r#"…"#`, with `b` or `c` before them, and Swift's `#"…"#`. */
export const rawString: Scan = (text, at) => {
  const opening = /^(?:b|c)?r?(#*)"/.exec(text.slice(at, at + 40))
  if (!opening || opening[0].length < 2 || (!opening[0].includes('r') && opening[1] === '')) return at
  const closing = `"${opening[1]}`
  const end = text.indexOf(closing, at + opening[0].length)
  return end < 0 ? text.length : end + closing.length
}

/** C++'s `R"x(…)x"`. */
export const cppRawString: Scan = (text, at) => {
  const opening = /^R"([^()\\\s]{0,16})\(/.exec(text.slice(at, at + 20))
  if (!opening) return at
  const closing = `)${opening[1]}"`
  const end = text.indexOf(closing, at + opening[0].length)
  return end < 0 ? text.length : end + closing.length
}

/** C#'s `@"…"` and `$@"…"`, in which a doubled quote is a quote. */
export const verbatimString: Scan = (text, at) => {
  const opening = /^(?:@\$?|\$@)"/.exec(text.slice(at, at + 3))
  if (!opening) return at
  for (let end = at + opening[0].length; end < text.length; end++) {
    if (text[end] !== '"') continue
    if (text[end + 1] !== '"') return end + 1
    end++
  }
  return text.length
}

/** C#'s `$"…{code}…"`. */
export const csharpInterpolated: Scan = (text, at) => {
  if (text[at + 1] !== '"' || text.startsWith('$"""', at)) return at
  return interpolatedEnd(text, at + 2, { quote: '"', holes: ['{'], nested: '"' }, 0)
}

/** A name in backticks, which may contain blanks in Kotlin. */
export const backtickName: Scan = (text, at) => {
  const end = /^`[^`\n]{1,200}`/.exec(text.slice(at, at + 202))
  return end ? at + end[0].length : at
}

/** A line that begins with `#`, with the lines that continue it. */
export const directiveLine: Scan = (text, at) => {
  const start = text.lastIndexOf('\n', at - 1) + 1
  if (at - start > 200 || text.slice(start, at).trim() !== '') return at
  let end = lineEnd(text, at)
  while (text[end - 1] === '\\' || text.slice(end - 2, end) === '\\\r') {
    if (end >= text.length) break
    end = lineEnd(text, end + 1)
  }
  const note = text.slice(at, Math.min(end, at + 2000)).search(/\/[/*]/)
  return note > 0 && !text.slice(at, at + note).includes('"') ? at + note : end
}

/** Text outside `<?php … ?>`. */
export const inlineHtml: Scan = (text, at) => {
  if (!text.startsWith('?>', at)) return at
  const next = text.indexOf('<?', at + 2)
  return next < 0 ? text.length : next
}

export const phpTag: Scan = (text, at) => {
  const tag = /^<\?(?:php\b|=)?/i.exec(text.slice(at, at + 6))
  return tag ? at + tag[0].length : at
}

/** Ruby's names may end with `?` or `!`. */
export const rubyName: Scan = (text, at) => {
  const end = wordEnd(text, at)
  return (text[end] === '?' || text[end] === '!') && text[end + 1] !== '=' && text[end + 1] !== ':' ? end + 1 : at
}

/** Everything after this line is data. */
export const rubyEnd: Scan = (text, at) =>
  (at === 0 || text[at - 1] === '\n') && /^__END__\r?(?:\n|$)/.test(text.slice(at, at + 9)) ? text.length : at
