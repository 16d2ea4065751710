import { editPieces, type TextEdit } from './text-edits.ts'

/**
 * Removes the parts that a person marked `<private>` and the parts that machines added: our own context and the client's reminders. In doubt
 * it hides: an unclosed part runs to the end of the text, a `</private>` without a beginning hides everything before it (the text may start
 * inside a part, like a read with an offset), and a tag counts in any spelling that a person or an encoder may use (`&lt;private&gt;`,
 * `\u003cprivate\u003e`, `%3Cprivate%3E`, `＜ＰＲＩＶＡＴＥ＞`, `< private >`). `hidPrivate` is true when a person's part was removed;
 * machine parts do not count.
 */
export function withoutPrivate(text: string): { text: string; hidPrivate: boolean } {
  const { pieces, hidPrivate } = withoutPrivateInPieces([text])
  return { text: pieces[0] ?? '', hidPrivate }
}

/** The same for one text in several pieces: a part may begin in one piece and end in another. */
function withoutPrivateInPieces(given: string[]): { pieces: string[]; hidPrivate: boolean } {
  let pieces = given
  let hidPrivate = false
  // Cutting can join the halves of a tag around the cut (`<pri<private>x</private>vate>`), so read again until nothing is found. Ordinary
  // text needs one more pass; text that needs more than a few was made to slip through, and all of it is dropped.
  for (let pass = 0; pass < 4; pass++) {
    let cuts: TextEdit[] = []
    pieces = editPieces(pieces, (text) => {
      const found = findHidden(text)
      hidPrivate ||= found.hidPrivate
      cuts = found.cuts
      return cuts
    })
    if (cuts.length === 0) return { pieces, hidPrivate }
  }
  return { pieces: given.map(() => ''), hidPrivate: true }
}

/**
 * Cleans every text of a JSON value, keys too. The strings of an array are one text, see `mapTexts`. Of two keys that become equal, the last
 * stays. With `markPrivate`, a string that lost a private part ends with `<private/>`, so the next reader still learns that something private
 * was there.
 */
export function withoutPrivateInJson<T>(value: T, markPrivate = false): T {
  return mapTexts(value, (given) => {
    const { pieces, hidPrivate } = withoutPrivateInPieces(given)
    return markPrivate && hidPrivate ? pieces.map((piece, i) => (piece === given[i] ? piece : `${piece}<private/>`)) : pieces
  })
}

/**
 * A copy of a JSON value with every text changed. Usually a text is one string. The strings of an array are the pieces of one text (the lines
 * of a patch, the cells of a notebook, the content blocks of a message), also where each is in an object of its own under a name such as
 * `text`. `change` gets the pieces, the key that each is under, also inside arrays, and returns as many. Keys are texts too, and are under
 * none. Not recursive, because a value nested 10,000 deep would overflow the call stack.
 */
export function mapTexts<T>(value: T, change: (pieces: string[], keys: (string | null)[]) => string[]): T {
  const root: { value?: unknown } = {}
  const texts: JsonString[][] = []
  const waiting: JsonPlace[] = [{ into: root, at: 'value', item: value, key: null, text: null }]
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    const { into, at, item, key } = place
    if (typeof item === 'string') {
      const text = place.text ?? []
      if (!place.text) texts.push(text)
      text.push({ into, at, key, string: item, sign: place.isPatchLine ? 1 : 0 })
    } else if (Array.isArray(item)) {
      const copy: unknown[] = new Array(item.length)
      put(into, at, copy)
      const text = place.text ?? []
      if (!place.text) texts.push(text)
      const isPatchLine = key === 'lines' && item.every((line) => typeof line === 'string' && /^[-+ \\]/.test(line))
      for (let i = item.length - 1; i >= 0; i--) waiting.push({ into: copy, at: i, item: item[i], key, text, isPatchLine })
    } else if (item !== null && typeof item === 'object') {
      const copy = {}
      put(into, at, copy)
      const children = Object.entries(item).map(([name, child]): JsonPlace => {
        const changed = change([name], [null])[0] ?? ''
        put(copy, changed, null) // in the order of the original
        return { into: copy, at: changed, item: child, key: name, text: PIECE_FIELDS.has(name) ? place.text : null }
      })
      waiting.push(...children.reverse())
    } else put(into, at, item)
  }
  for (const text of texts) {
    const given = text.map(({ string, sign }) => string.slice(sign))
    const changed = change(
      given,
      text.map(({ key }) => key),
    )
    for (const [i, { into, at, string, sign }] of text.entries()) {
      const piece = changed[i] ?? ''
      put(into, at, piece === given[i] ? string : piece === '' ? '' : string.slice(0, sign) + piece)
    }
  }
  return root.value as T
}

/** A value to copy, and where the copy belongs. `text` is the text of the array around it. */
type JsonPlace = { into: object; at: string | number; item: unknown; key: string | null; text: JsonString[] | null; isPatchLine?: boolean }

/** A string and its place in the copy. A line of a patch starts with a `sign` of one character, which is not part of the text. */
type JsonString = { into: object; at: string | number; key: string | null; string: string; sign: 0 | 1 }

/** Fields of an array's objects whose strings are pieces of the array's text. */
const PIECE_FIELDS = new Set(['text', 'source', 'lines', 'content', 'resource', 'outputs', 'data', 'structuredPatch'])

// Defined, not assigned: JSON may contain a key named `__proto__`, and assigning to it would change the copy's prototype.
const put = (into: object, at: string | number, value: unknown) =>
  Object.defineProperty(into, at, { value, writable: true, enumerable: true, configurable: true })

// By their first letter, which is different for each.
const PRIVATE = 'private'
const NAMES = new Map([PRIVATE, 'recollect-context', 'claude-mem-context', 'system-reminder'].map((name) => [name.charCodeAt(0), name]))

type PrivacyTag = { kind: 'opens' | 'closes' | 'alone'; name: string }

/** The parts to cut. One pass over the text: each attempt to read a tag either consumes it or stops before the next `<`, so time stays linear. */
function findHidden(text: string): { cuts: TextEdit[]; hidPrivate: boolean } {
  const cuts: TextEdit[] = []
  if (!MAY_START.test(text)) return { cuts, hidPrivate: false }
  let hidPrivate = false
  const reader: DecodedTextCursor = { text, at: 0 }
  const open: string[] = []
  let openedAt = 0
  // How many cuts, and which part of the text, a `</private>` without a beginning leaves as they are: those up to the last private part.
  let settled = { cuts: 0, to: 0 }
  for (let at = 0; at < text.length; ) {
    if (!mayStart(text.charCodeAt(at), text.charCodeAt(at + 1))) {
      at++
      continue
    }
    const tag = tagAt(reader, at)
    if (tag) {
      hidPrivate ||= tag.name === PRIVATE
      const isStrayEnd = tag.kind === 'closes' && open.length === 0 && tag.name === PRIVATE
      if (isStrayEnd) cuts.length = settled.cuts
      if (open.length === 0) openedAt = isStrayEnd ? settled.to : at
      if (tag.kind === 'opens') open.push(tag.name)
      // A closing tag ends only the innermost part, and only one of its own name: inside a reminder, `</private>` is just text.
      else if (tag.kind === 'closes' && open.at(-1) === tag.name) open.pop()
      if (open.length === 0) {
        cuts.push({ from: openedAt, to: reader.at, text: '' })
        if (tag.kind === 'closes' && tag.name === PRIVATE) settled = { cuts: cuts.length, to: reader.at }
      }
    }
    at = reader.at
  }
  if (open.length > 0) cuts.push({ from: openedAt, to: text.length, text: '' })
  return { cuts, hidPrivate }
}

/** Reads the tag that starts here and moves the reader behind it. Null when no tag starts here; the reader then moves one character. */
function tagAt(reader: DecodedTextCursor, at: number): PrivacyTag | null {
  reader.at = at
  if (next(reader) !== LT) return null
  const inside = reader.at
  const tag = tagAfter(reader)
  if (!tag) reader.at = inside
  return tag
}

function tagAfter(reader: DecodedTextCursor): PrivacyTag | null {
  let code = next(reader)
  const spaced = code === SPACE
  if (spaced) code = afterSpaces(reader)
  const closes = code === SLASH
  if (closes) code = afterSpaces(reader)
  const name = NAMES.get(lower(code))
  if (!name) return null
  for (let i = 1; i < name.length; i++) if (lower(next(reader)) !== name.charCodeAt(i)) return null
  if (closes) return afterSpaces(reader) === GT ? { kind: 'closes', name } : null
  const nameEnd = reader.at
  const after = next(reader)
  if (!NAME_ENDS.has(after) || (spaced && !isTagDespiteSpace(reader, after))) return null
  reader.at = nameEnd
  return { kind: endsAlone(reader) ? 'alone' : 'opens', name }
}

/** `< private >` and `< private reason="x">` are tags, `a < private b` is a comparison. */
function isTagDespiteSpace(reader: DecodedTextCursor, after: number): boolean {
  let code = after === SPACE ? afterSpaces(reader) : after
  if (code === GT) return true
  if (code === SLASH) return afterSpaces(reader) === GT
  if (NAME_ENDS.has(code)) return false
  while (!NAME_ENDS.has(code)) code = next(reader)
  return (code === SPACE ? afterSpaces(reader) : code) === EQUALS
}

/**
 * Reads to the end of a tag as HTML does: `>` ends it, except in a quoted value. True when the tag closes itself (`/>`). A malformed tag
 * counts as an opening one, because that hides more; a slash at the end of an unquoted value is part of the value.
 */
function endsAlone(reader: DecodedTextCursor): boolean {
  let last = 0
  let unquoted = false
  for (;;) {
    const before = reader.at
    const code = next(reader)
    if (code === GT) return last === SLASH && !unquoted
    if (code === END) return false
    if (code === LT) {
      reader.at = before
      return false
    }
    if (code === SPACE) {
      unquoted = false
    } else if (last === EQUALS && isQuote(code)) {
      for (let inside = next(reader); inside !== code && inside !== END; ) inside = next(reader)
      last = code
    } else {
      unquoted ||= last === EQUALS
      last = code
    }
  }
}

function afterSpaces(reader: DecodedTextCursor): number {
  let code = next(reader)
  while (code === SPACE) code = next(reader)
  return code
}

const END = -1
const NOTHING = -2
const SPACE = 0x20
const SLASH = 0x2f
const LT = 0x3c
const EQUALS = 0x3d
const GT = 0x3e
const AMPERSAND = 0x26
const PERCENT = 0x25
const BACKSLASH = 0x5c

const isQuote = (code: number) => code === 0x22 || code === 0x27
// Right for letters; `-` is unchanged, and END stays below every character.
const lower = (code: number) => code | 0x20

// The characters that may follow a complete name: not `,` (the generic `Map<Private, X>`), not `.`, `-`, `:` or a letter.
const NAME_ENDS = new Set([END, SPACE, SLASH, LT, GT, EQUALS, 0x22, 0x27])

const MAY_START = /[<&%\\＜﹤〈\u2329⟨‹]/

/** Whether two characters may start a tag. Only saves time: it skips most `<` and `&` of a text. */
function mayStart(code: number, next: number): boolean {
  if (code === LT || (code > 0x7f && plain(code) === LT)) return !(next > SPACE && next < 0x7f) || INSIDE.has(next)
  if (code === AMPERSAND) return next === 0x23 || lower(next) === 0x6c || lower(next) === 0x61
  return code === BACKSLASH || (code === PERCENT && (next === 0x32 || next === 0x33))
}

const INSIDE = new Set([...'/&%\\prcsPRCS'].map((char) => char.charCodeAt(0)))

const isEscape = (code: number) => code === AMPERSAND || code === BACKSLASH || code === PERCENT

/** A position in a text that is read as it looks when displayed. `at` is where the next character starts. */
type DecodedTextCursor = { readonly text: string; at: number }

/**
 * The code of the next character, or END. Entities, JSON and URL escapes are decoded, every kind of blank becomes a space, and invisible
 * characters are skipped.
 */
function next(reader: DecodedTextCursor): number {
  while (reader.at < reader.text.length) {
    const raw = reader.text.charCodeAt(reader.at)
    const escaped = isEscape(raw)
    if (!escaped) reader.at++
    if (!escaped && raw > SPACE && raw < 0x7f) return raw
    const code = plain(escaped ? decode(reader, raw) : raw)
    if (code !== NOTHING) return code
  }
  return END
}

function decode(reader: DecodedTextCursor, code: number): number {
  return code === AMPERSAND ? entity(reader) : code === BACKSLASH ? backslash(reader) : percent(reader)
}

/** `&lt;`, `&#60;`, `&#x3c;`, also without the semicolon; `&amp;lt;` was escaped twice. */
function entity(reader: DecodedTextCursor): number {
  const { text } = reader
  let at = reader.at + 1
  while (text.charCodeAt(at) === 0x61 && text.startsWith('amp;', at)) at += 4
  if (text.charCodeAt(at) !== 0x23) {
    const named = ENTITIES.get(lower(text.charCodeAt(at)))
    if (!named || text.slice(at, at + named.name.length).toLowerCase() !== named.name) return found(reader, AMPERSAND, reader.at + 1)
    return found(reader, named.code, afterSemicolon(text, at + named.name.length))
  }
  const base = lower(text.charCodeAt(at + 1)) === 0x78 ? 16 : 10
  const from = at + (base === 16 ? 2 : 1)
  const to = digitsEnd(text, from, base)
  if (to === from) return found(reader, AMPERSAND, reader.at + 1)
  return found(reader, number(text, from, to, base), afterSemicolon(text, to))
}

/** `\u003c`, `\x3c`, `\n`, `\"`, `\/`, with any number of backslashes: text that was stringified twice has three. */
function backslash(reader: DecodedTextCursor): number {
  const { text } = reader
  let at = reader.at + 1
  while (text.charCodeAt(at) === BACKSLASH) at++
  const letter = text[at] ?? ''
  if (letter === 'u' && text[at + 1] === '{') {
    const to = digitsEnd(text, at + 2, 16)
    if (to > at + 2 && text[to] === '}') return found(reader, number(text, at + 2, to, 16), to + 1)
  }
  const to = at + 1 + (letter === 'u' ? 4 : letter === 'x' ? 2 : 0)
  if (to > at + 1 && digitsEnd(text, at + 1, 16) >= to) return found(reader, number(text, at + 1, to, 16), to)
  if (letter !== '' && 'nrtfv'.includes(letter)) return found(reader, SPACE, at + 1)
  if (letter !== '' && '/>"\'='.includes(letter)) return found(reader, letter.charCodeAt(0), at + 1)
  return found(reader, BACKSLASH, at)
}

/** `%3C`; `%253C` was encoded twice. */
function percent(reader: DecodedTextCursor): number {
  const { text } = reader
  let at = reader.at + 1
  while (text.charCodeAt(at) === 0x32 && text.charCodeAt(at + 1) === 0x35) at += 2
  if (digitsEnd(text, at, 16) < at + 2) return found(reader, PERCENT, reader.at + 1)
  return found(reader, number(text, at, at + 2, 16), at + 2)
}

function found(reader: DecodedTextCursor, code: number, end: number): number {
  reader.at = end
  return code
}

const afterSemicolon = (text: string, at: number) => (text[at] === ';' ? at + 1 : at)

function digitsEnd(text: string, from: number, base: 10 | 16): number {
  let at = from
  while (isDigit(text.charCodeAt(at), base)) at++
  return at
}

/** Stops when the value exceeds every character we look for: a number may be as long as the text. */
function number(text: string, from: number, to: number, base: 10 | 16): number {
  let value = 0
  for (let at = from; at < to && value <= 0xffff; at++) {
    const code = text.charCodeAt(at)
    value = value * base + (code <= 0x39 ? code - 0x30 : lower(code) - 0x57)
  }
  return value
}

// By their first letter, which is different for each.
const ENTITIES = new Map(
  [
    { name: 'lt', code: LT },
    { name: 'gt', code: GT },
    { name: 'sol', code: SLASH },
    { name: 'quot', code: 0x22 },
    { name: 'apos', code: 0x27 },
    { name: 'nbsp', code: SPACE },
  ].map((entity) => [entity.name.charCodeAt(0), entity]),
)

function isDigit(code: number, base: 10 | 16): boolean {
  return (code >= 0x30 && code <= 0x39) || (base === 16 && lower(code) >= 0x61 && lower(code) <= 0x66)
}

/** One code for all look-alikes: full-width letters become letters, every kind of blank a space, invisible characters NOTHING. */
function plain(code: number): number {
  if (code < 0x7f) return code >= SPACE ? code : code >= 0x09 && code <= 0x0d ? SPACE : NOTHING
  return code >= 0xff01 && code <= 0xff5e ? code - 0xfee0 : (LOOK_ALIKES.get(code) ?? code)
}

const LOOK_ALIKES = new Map([
  ...all(LT, '﹤〈\u2329⟨‹'),
  ...all(GT, '﹥〉\u232a⟩›'),
  ...all(SPACE, '\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'),
  // Zero-width, direction and variation characters: they would split a name that looks complete to a person.
  ...all(NOTHING, '\u007f\u0085\u00ad\u034f\u061c\u180b\u180c\u180d\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e'),
  ...all(NOTHING, '\u2060\u2061\u2062\u2063\u2064\u2065\u2066\u2067\u2068\u2069\u206a\u206b\u206c\u206d\u206e\u206f\ufeff'),
  ...all(NOTHING, '\ufe00\ufe01\ufe02\ufe03\ufe04\ufe05\ufe06\ufe07\ufe08\ufe09\ufe0a\ufe0b\ufe0c\ufe0d\ufe0e\ufe0f'),
])

function all(code: number, chars: string): [number, number][] {
  return Array.from(chars, (char) => [char.charCodeAt(0), code])
}
