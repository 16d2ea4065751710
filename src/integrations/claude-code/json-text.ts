/** Edits JSON text in place: everything around an edit keeps its bytes, so order, indentation and line ends stay. See decision 0027. */

/** The text after an edit; or where and why the text is not JSON, and then nothing may be written. */
export type JsonEditResult = { kind: 'edited'; text: string; changed: boolean } | UnreadableJson
export type UnreadableJson = { kind: 'unreadable'; reason: string; line: number; column: number }

type JsonSpan = { start: number; end: number }
type JsonObject = JsonSpan & { kind: 'object'; members: JsonMember[] }
type JsonArray = JsonSpan & { kind: 'array'; items: JsonNode[] }
export type JsonNode = JsonObject | JsonArray | (JsonSpan & { kind: 'scalar' })
export type JsonMember = JsonSpan & { key: string; value: JsonNode }
/** `indent` is one step of indentation; null when the whole text is on one line. */
export type JsonText = { text: string; root: JsonObject; newline: string; indent: string | null }
export type JsonEdit = JsonSpan & { text: string }

export function editJson(text: string, change: (settings: JsonText) => JsonEdit[]): JsonEditResult {
  return withParsedJson(text, (settings) => {
    const backwards = change(settings).sort((a, b) => b.start - a.start)
    const edited = backwards.reduce((rest, { start, end, text }) => rest.slice(0, start) + text + rest.slice(end), text)
    return { kind: 'edited', text: edited, changed: edited !== text }
  })
}

export function withParsedJson<T>(text: string, use: (settings: JsonText) => T): T | UnreadableJson {
  try {
    const root = parse(text)
    if (root.kind !== 'object') throw syntaxErrorAt(root.start, 'expected an object')
    const written = text.slice(root.start, root.end)
    const isOneLine = root.members.length > 0 && !written.includes('\n')
    const indent = isOneLine ? null : (/^\{\s*\n([ \t]+)\S/.exec(written)?.[1] ?? '  ')
    return use({ text, root, newline: written.includes('\r\n') ? '\r\n' : '\n', indent })
  } catch (cause) {
    if (!(cause instanceof SyntaxError) || typeof cause.cause !== 'number') throw cause
    const lines = text.slice(0, cause.cause).split('\n')
    return { kind: 'unreadable', reason: cause.message, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
  }
}

export const syntaxErrorAt = (at: number, reason: string) => new SyntaxError(reason, { cause: at })

const SPACE = /[ \t\n\r]*/y
const STRING = /"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"/uy
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** Bun's own parser reports no positions, neither of values nor of errors. */
function parse(text: string): JsonNode {
  let at = text.startsWith('\ufeff') ? 1 : 0
  const take = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? null
    at += found?.length ?? 0
    return found
  }
  const next = (mark: string): boolean => {
    take(SPACE)
    if (text[at] !== mark) return false
    at++
    return true
  }
  const children = <T>(close: string, child: () => T): T[] => {
    const found: T[] = []
    if (next(close)) return found
    do found.push(child())
    while (next(','))
    if (!next(close)) throw syntaxErrorAt(at, `expected , or ${close}`)
    return found
  }
  const member = (): JsonMember => {
    take(SPACE)
    const start = at
    const key = take(STRING)
    if (key === null) throw syntaxErrorAt(at, 'expected a name in double quotes')
    if (!next(':')) throw syntaxErrorAt(at, 'expected :')
    const value = node()
    return { start, end: at, key: JSON.parse(key), value }
  }
  const node = (): JsonNode => {
    take(SPACE)
    const start = at
    if (next('{')) return { kind: 'object', start, members: children('}', member), end: at }
    if (next('[')) return { kind: 'array', start, items: children(']', node), end: at }
    if ((take(STRING) ?? take(SCALAR)) === null) throw syntaxErrorAt(at, 'expected a value')
    return { kind: 'scalar', start, end: at }
  }
  const root = node()
  take(SPACE)
  if (at < text.length) throw syntaxErrorAt(at, 'expected the end of the file')
  return root
}

export const membersOf = (node: JsonNode | undefined): JsonMember[] => (node?.kind === 'object' ? node.members : [])
export const itemsOf = (node: JsonNode | undefined): JsonNode[] => (node?.kind === 'array' ? node.items : [])
/** Of two members with the same name the last one counts, as in `JSON.parse`. */
export const memberOf = (node: JsonNode | undefined, key: string) => membersOf(node).findLast((member) => member.key === key)
export const valueOfNode = (settings: JsonText, node: JsonSpan): unknown => JSON.parse(settings.text.slice(node.start, node.end))

/** Adds entries after the last one, in the same layout. `depth` is the nesting depth of the container. */
export function appendEntries(
  settings: JsonText,
  container: JsonObject | JsonArray,
  depth: number,
  entries: [string | null, unknown][],
): JsonEdit {
  const { newline, indent } = settings
  const last = (container.kind === 'object' ? container.members : container.items).at(-1)
  const margin = last ? marginOf(settings, last) : indent?.repeat(depth + 1)
  const texts = entries.map(([key, value]) => {
    const written = formatValue(settings, value, margin)
    return key === null ? written : `${JSON.stringify(key)}:${margin === undefined ? '' : ' '}${written}`
  })
  const gap = margin === undefined ? '' : newline + margin
  if (last) return { start: last.end, end: last.end, text: texts.map((text) => `,${gap}${text}`).join('') }
  const [open, close] = container.kind === 'object' ? ['{', '}'] : ['[', ']']
  const end = indent === null ? '' : newline + indent.repeat(depth)
  return { start: container.start, end: container.end, text: open + gap + texts.join(`,${gap}`) + end + close }
}

export function replaceNode(settings: JsonText, node: JsonNode, value: unknown): JsonEdit {
  return { start: node.start, end: node.end, text: formatValue(settings, value, marginOf(settings, node)) }
}

/** The indentation of a node that starts a line; undefined when it does not start one. */
function marginOf(settings: JsonText, { start }: JsonSpan): string | undefined {
  return /\n([ \t]*)$/.exec(settings.text.slice(0, start))?.[1]
}

function formatValue(settings: JsonText, value: unknown, margin: string | undefined): string {
  if (margin === undefined) return JSON.stringify(value)
  return JSON.stringify(value, null, settings.indent ?? '').replaceAll('\n', settings.newline + margin)
}

/** How to remove something: edits inside it, or remove it as a whole. */
export type JsonCut = JsonEdit[] | 'whole'

/** Removes children of a container. A container that becomes empty is removed too, unless `emptied` says what to leave. */
export function removeChildren<T extends JsonSpan>(
  container: JsonSpan,
  children: T[],
  cutChild: (child: T) => JsonCut,
  emptied: '{}' | '[]' | null,
): JsonCut {
  const cuts = children.map(cutChild)
  if (cuts.length > 0 && cuts.every((cut) => cut === 'whole'))
    return emptied ? [{ start: container.start, end: container.end, text: emptied }] : 'whole'
  const firstKept = cuts.findIndex((cut) => cut !== 'whole')
  return children.flatMap((child, i): JsonEdit[] => {
    const cut = cuts[i]
    if (cut !== 'whole') return cut ?? []
    // Remove the comma before the child; at the start of the list, the one after it.
    return i < firstKept
      ? [{ start: child.start, end: children[i + 1]?.start ?? child.end, text: '' }]
      : [{ start: children[i - 1]?.end ?? child.start, end: child.end, text: '' }]
  })
}
