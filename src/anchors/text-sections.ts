import type { DefinitionKind } from './source.ts'

/** A part of a text by its place. */
export type TextSection = { name: string; kind: DefinitionKind; start: number; end: number }

type Line = { start: number; end: number; text: string }

function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    yield { start, end, text: text.slice(start, end) }
    start = end + 1
  }
}

/** Markdown: each heading with the text up to the next one, named with the headings above it. */
export function readHeadings(text: string): TextSection[] {
  const sections: TextSection[] = []
  const above: { level: number; name: string }[] = []
  let fence = ''
  let previous: Line | null = null
  const begin = (start: number, level: number, title: string) => {
    const last = sections.at(-1)
    if (last) last.end = start
    while ((above.at(-1)?.level ?? 0) >= level) above.pop()
    const parent = above.at(-1)?.name
    const name = parent === undefined ? title : `${parent} › ${title}`
    above.push({ level, name })
    sections.push({ name, kind: 'heading', start, end: text.length })
  }
  for (const line of linesOf(text)) {
    const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line.text)?.[1]
    if (fence !== '') {
      if (marks?.startsWith(fence)) fence = ''
    } else if (marks) fence = marks
    else {
      const heading = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*\r?$/.exec(line.text.slice(0, 500))
      const underline = /^ {0,3}(=+|-{2,})[ \t]*\r?$/.exec(line.text.slice(0, 500))
      if (heading) begin(line.start, heading[1]?.length ?? 1, plainTitle(heading[2] ?? ''))
      else if (underline && previous && /^ {0,3}[^\s#>|\-*+=]/.test(previous.text))
        begin(previous.start, underline[1]?.startsWith('=') ? 1 : 2, plainTitle(previous.text))
    }
    previous = fence === '' && line.text.trim() !== '' ? line : null
  }
  return sections
}

const plainTitle = (text: string) => text.trim().replace(/\s+/g, ' ').slice(0, 120)

/** YAML: the keys of maps, by indentation. Lists and block texts are values. */
export function readYamlKeys(text: string): TextSection[] {
  const found: TextSection[] = []
  const open: { column: number; section: TextSection }[] = []
  let skipDeeperThan = -1
  let documents = 0
  const close = (column: number, at: number) => {
    while ((open.at(-1)?.column ?? -1) >= column) {
      const last = open.pop()
      if (last) last.section.end = at
    }
  }
  for (const line of linesOf(text)) {
    const column = line.text.search(/\S/)
    if (column < 0 || line.text[column] === '#') continue
    if (skipDeeperThan >= 0 && column > skipDeeperThan) continue
    skipDeeperThan = -1
    if (/^---/.test(line.text)) {
      close(0, line.start)
      if (found.length > 0 || documents > 0) documents++
      continue
    }
    // A list may stand in the column of its key.
    if (line.text[column] === '-' && /^-(?:\s|$)/.test(line.text.slice(column))) {
      close(column + 1, line.start)
      skipDeeperThan = column
      continue
    }
    close(column, line.start)
    const key = YAML_KEY.exec(line.text.slice(column, column + 300))
    if (!key || open.length >= MAX_KEY_DEPTH || documents > 0) continue
    const name = (key[1] ?? key[2] ?? key[3] ?? '').trim()
    const parent = open.at(-1)?.section.name
    const section: TextSection = {
      name: parent === undefined ? name : `${parent}.${name}`,
      kind: 'key',
      start: line.start + column,
      end: text.length,
    }
    found.push(section)
    open.push({ column, section })
    if (/^\s*(?:[|>][-+0-9]*\s*(?:#.*)?$|[^\s#&!])/.test(line.text.slice(column + key[0].length))) skipDeeperThan = column
  }
  return found
}

const MAX_KEY_DEPTH = 5
const YAML_KEY = /^(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'#[\]{},&*!|>%@`-][^#\n]*?|-[^\s][^#\n]*?))\s*:(?=\s|$)/
