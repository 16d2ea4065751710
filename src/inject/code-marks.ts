/** Compares the memories on a page with the code, and marks them. Loaded with the first page, because a worker that catches up shows none. */
import type { CodeMark } from '../core/code-mark.ts'
import { type BriefPart, type CheckCode, framePart, type InjectedBrief, type PageMarks } from './page.ts'

/** More rounds would only look at ever less relevant memories. */
const MAX_ROUNDS = 3

/**
 * Writes a page, compares the memories on it with the code, and writes it again with what was found. A memory that takes the place of another
 * is checked too.
 */
export async function writeWithMarks<T extends Pick<InjectedBrief, 'items'>>(
  write: (marks: PageMarks | null) => T,
  check: CheckCode | null,
): Promise<T> {
  const marks = new Map<string, CodeMark>()
  const checked = new Set<string>()
  let page = write(null)
  for (let round = 0; check && round < MAX_ROUNDS; round++) {
    const unchecked = page.items.flatMap(({ kind, id }) =>
      kind === 'line' || checked.has(`${kind}:${id}`) ? [] : [{ kind, ref: String(id) }],
    )
    if (unchecked.length === 0) return page
    const found = await check(unchecked)
    for (const { kind, ref } of unchecked) checked.add(`${kind}:${ref}`)
    if (found.size === 0) return page
    for (const [key, mark] of found) marks.set(key, mark)
    page = write(pageMarks(marks))
  }
  return page
}

/** Above memories about code that is gone. */
const HISTORY_HEADING = framePart('History, no longer true of the code:')

/** The marks for one writing of a page. Descriptions of code that is gone wait for its end. */
function pageMarks(marks: ReadonlyMap<string, CodeMark>): PageMarks {
  const history: BriefPart[][] = []
  /** Headings of parts that were moved to the end: the next part that stays needs them. */
  let headings: BriefPart[] = []
  return {
    add: (given, write) => {
      const { parts, isHistory } = markParts(given, marks)
      if (isHistory) {
        headings = [...headings, ...parts.filter(({ of }) => of.kind === 'line')]
        history.push(parts.filter(({ of }) => of.kind !== 'line'))
        return true
      }
      const isWritten = write([...headings, ...parts])
      if (isWritten) headings = []
      return isWritten
    },
    waiting: () => history.flat(),
    close: (write) => {
      for (const [place, parts] of history.splice(0).entries()) if (!write([...(place === 0 ? [HISTORY_HEADING] : []), ...parts])) return
    },
  }
}

/** Parts that are added together, with their mark; `isHistory` when they belong at the end of the page. */
function markParts(parts: BriefPart[], marks: ReadonlyMap<string, CodeMark>): { parts: BriefPart[]; isHistory: boolean } {
  const found = parts.flatMap(({ of }) => marks.get(`${of.kind}:${of.id}`) ?? [])
  if (found.length === 0) return { parts, isHistory: false }
  const text = [...new Set(found.map(bracketed))].join('')
  const first = parts.findIndex(({ of, lines }) => of.kind !== 'line' && lines.length > 0)
  // The last session stays where it is: it opens the page, and says when it was.
  const isHistory = found.some((mark) => mark.isHistory) && !parts.some(({ of }) => of.kind === 'summary')
  const gone = found.flatMap((mark) => mark.gone)
  const marked = parts.map((part, index) => {
    const lines = isHistory ? part.lines : markLines(part.lines, gone, index === first)
    return index === first ? { ...part, lines: withMark(lines, text) } : { ...part, lines }
  })
  return { parts: marked, isHistory }
}

/** Where a part stays in its place, each of its lines that names something gone says so; the first line has the whole mark. */
const markLines = (lines: string[], gone: string[], hasMark: boolean): string[] =>
  lines.map((line, index) =>
    (index > 0 || !hasMark) && gone.some((name) => name.length > 2 && line.includes(name)) ? `${line} [no longer in the code]` : line,
  )

const withMark = ([line = '', ...others]: string[], text: string) => [`${line}${text}`, ...others]

/** A mark as it stands beside a line. */
const bracketed = (mark: CodeMark): string => ` [${mark.text}]`
