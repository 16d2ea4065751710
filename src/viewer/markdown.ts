/** Markdown as a tree of plain values: whatever is not known stays text, and markup in the text is text like any other. */
export type MarkdownBlock =
  | { kind: 'heading'; level: number; inline: MarkdownInline[] }
  | { kind: 'paragraph'; inline: MarkdownInline[] }
  | { kind: 'code'; text: string }
  | { kind: 'quote'; blocks: MarkdownBlock[] }
  | { kind: 'list'; ordered: boolean; items: MarkdownBlock[][] }
  | { kind: 'rule' }

export type MarkdownInline =
  | { kind: 'text'; text: string }
  | { kind: 'code'; text: string }
  | { kind: 'strong' | 'em'; inline: MarkdownInline[] }
  | { kind: 'link'; href: string; inline: MarkdownInline[] }

/** Deeper than this nobody reads; it keeps a hostile text from nesting without end. */
const MAX_MARKDOWN_DEPTH = 6

export function parseMarkdown(text: string, depth = 0): MarkdownBlock[] {
  const lines = text.replace(/\r\n?/g, '\n').split('\n')
  const blocks: MarkdownBlock[] = []
  let i = 0
  while (i < lines.length) {
    const line = lines[i] as string
    if (line.trim() === '') {
      i++
      continue
    }
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1]
    if (fence) {
      const from = ++i
      while (i < lines.length && !(lines[i] as string).trim().startsWith(fence)) i++
      blocks.push({ kind: 'code', text: lines.slice(from, i).join('\n') })
      i++
      continue
    }
    const heading = /^(#{1,6})\s+(.*)$/.exec(line)
    if (heading) {
      blocks.push({ kind: 'heading', level: (heading[1] ?? '#').length, inline: parseInline((heading[2] ?? '').replace(/\s#+\s*$/, '')) })
      i++
      continue
    }
    if (/^ {0,3}(?:-{3,}|\*{3,}|_{3,})\s*$/.test(line)) {
      blocks.push({ kind: 'rule' })
      i++
      continue
    }
    if (/^ {0,3}>/.test(line) && depth < MAX_MARKDOWN_DEPTH) {
      const from = i
      while (i < lines.length && /^ {0,3}>/.test(lines[i] as string)) i++
      const inner = lines.slice(from, i).map((quoted) => quoted.replace(/^ {0,3}> ?/, ''))
      blocks.push({ kind: 'quote', blocks: parseMarkdown(inner.join('\n'), depth + 1) })
      continue
    }
    const marker = listMarkerIn(line)
    if (marker && depth < MAX_MARKDOWN_DEPTH) {
      const items: MarkdownBlock[][] = []
      while (i < lines.length) {
        const next = listMarkerIn(lines[i] as string)
        if (!next || next.ordered !== marker.ordered || next.indent > marker.indent + 1) break
        const inner = [(lines[i] as string).slice(next.width)]
        i++
        while (i < lines.length && continuesListItem(lines, i, next.width))
          inner.push((lines[i++] as string).slice(Math.min(next.width, indentOf(lines[i - 1] as string))))
        items.push(parseMarkdown(inner.join('\n'), depth + 1))
      }
      blocks.push({ kind: 'list', ordered: marker.ordered, items })
      continue
    }
    const from = i++
    while (i < lines.length && (lines[i] as string).trim() !== '' && !startsBlock(lines[i] as string)) i++
    blocks.push({ kind: 'paragraph', inline: parseInline(lines.slice(from, i).join('\n')) })
  }
  return blocks
}

const indentOf = (line: string) => line.length - line.trimStart().length

function listMarkerIn(line: string): { indent: number; width: number; ordered: boolean } | null {
  const found = /^( {0,8})(?:([-*+])|(\d{1,9})[.)])( {1,4})(?=\S)/.exec(line)
  return found ? { indent: (found[1] ?? '').length, width: found[0].length, ordered: found[3] !== undefined } : null
}

/** Whether a line goes on with a list's item: it is indented, or blank before one that is. */
function continuesListItem(lines: string[], i: number, width: number): boolean {
  const line = lines[i] as string
  if (line.trim() === '')
    return i + 1 < lines.length && (lines[i + 1] as string).trim() !== '' && indentOf(lines[i + 1] as string) >= Math.min(2, width)
  return indentOf(line) >= Math.min(2, width) || (!startsBlock(line) && (lines[i - 1] as string).trim() !== '')
}

const startsBlock = (line: string) => /^ {0,3}(?:#{1,6}\s|>|`{3}|~{3}|(?:-{3,}|\*{3,}|_{3,})\s*$)/.test(line) || listMarkerIn(line) !== null

/** Emphasis, code and links. Only addresses of the web become links; everything else is shown as it was written. */
export function parseInline(text: string, depth = 0): MarkdownInline[] {
  const parts: MarkdownInline[] = []
  let plain = ''
  const flush = () => {
    if (plain) parts.push({ kind: 'text', text: plain })
    plain = ''
  }
  for (let i = 0; i < text.length; ) {
    const found = depth < MAX_MARKDOWN_DEPTH ? inlineAt(text, i, depth) : null
    if (found) {
      flush()
      parts.push(found.part)
      i = found.end
    } else {
      if (text[i] === '\\' && /[\\`*_[\]()#>-]/.test(text[i + 1] ?? '')) i++
      plain += text[i++] ?? ''
    }
  }
  flush()
  return parts
}

/** How far a closing mark is looked for. */
const MAX_CLOSING_MARK_CHARS = 2000

function inlineAt(text: string, i: number, depth: number): { part: MarkdownInline; end: number } | null {
  const close = (mark: string, from: number) => {
    const end = text.slice(from, from + MAX_CLOSING_MARK_CHARS).indexOf(mark)
    return end > 0 ? from + end : -1
  }
  if (text[i] === '`') {
    const end = close('`', i + 1)
    return end < 0 ? null : { part: { kind: 'code', text: text.slice(i + 1, end) }, end: end + 1 }
  }
  if (text.startsWith('**', i)) {
    const end = close('**', i + 2)
    return end < 0 ? null : { part: { kind: 'strong', inline: parseInline(text.slice(i + 2, end), depth + 1) }, end: end + 2 }
  }
  if ((text[i] === '*' || text[i] === '_') && !/\w/.test(text[i - 1] ?? '') && /\S/.test(text[i + 1] ?? '')) {
    const mark = text[i] as string
    const end = close(mark, i + 1)
    if (end > 0 && !/\w/.test(text[end + 1] ?? '') && /\S/.test(text[end - 1] ?? ''))
      return { part: { kind: 'em', inline: parseInline(text.slice(i + 1, end), depth + 1) }, end: end + 1 }
    return null
  }
  if (text[i] === '[') {
    const label = close('](', i + 1)
    const end = label < 0 ? -1 : close(')', label + 2)
    const href = end < 0 ? null : webAddress(text.slice(label + 2, end))
    return href ? { part: { kind: 'link', href, inline: parseInline(text.slice(i + 1, label), depth + 1) }, end: end + 1 } : null
  }
  if (text[i] === 'h' && !/\w/.test(text[i - 1] ?? '')) {
    const bare = /^https?:\/\/[^\s<>"'`)\]]{1,500}/.exec(text.slice(i, i + 510))?.[0].replace(/[.,;:!?]+$/, '')
    const href = bare ? webAddress(bare) : null
    return bare && href ? { part: { kind: 'link', href, inline: [{ kind: 'text', text: bare }] }, end: i + bare.length } : null
  }
  return null
}

function webAddress(text: string): string | null {
  const url = URL.parse(text.trim())
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url.href : null
}
