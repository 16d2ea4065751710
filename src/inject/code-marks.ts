/** Compares the memories on a page with the code, and marks them. Loaded with the first page, because a worker that catches up shows none. */
import type { CodeMark } from '../core/code-mark.ts'
import { type BriefPart, type CheckCode, framePart, type InjectedBrief, type MemoryRef, type OpenMarks, type PageMarks } from './page.ts'
import type { BriefMaterial } from './write-brief.ts'

/** More rounds would only look at ever less relevant memories. */
const MAX_ROUNDS = 3

/**
 * Compares the memories that a page will probably show with the code, and writes it with what was found. Memories on it that were not among
 * `likely` are checked then, and it is written again if one of them needs a mark.
 */
export async function writeWithMarks<T extends Pick<InjectedBrief, 'items'>>(
  write: (marks: OpenMarks | null) => T,
  check: CheckCode | null,
  likely: MemoryRef[] = [],
): Promise<T> {
  const marks = new Map<string, CodeMark>()
  const checked = new Set<string>()
  const checkAll = async (memories: MemoryRef[]): Promise<boolean> => {
    for (const { kind, ref } of memories) checked.add(`${kind}:${ref}`)
    const found = check && memories.length > 0 ? await check(memories) : new Map<string, CodeMark>()
    for (const [key, mark] of found) marks.set(key, mark)
    return found.size > 0
  }
  await checkAll(likely)
  for (let round = 1; ; round++) {
    const page = write(marks.size === 0 ? null : () => pageMarks(marks))
    const unchecked = page.items.flatMap(({ kind, id }) =>
      kind === 'line' || checked.has(`${kind}:${id}`) ? [] : [{ kind, ref: String(id) }],
    )
    if (check === null || unchecked.length === 0 || round > MAX_ROUNDS || !(await checkAll(unchecked))) return page
  }
}

/** The memories that a brief will probably show: those that come first in each of its parts. */
export function likelyShown({ last, elsewhere, notes, results = [], observations }: BriefMaterial): MemoryRef[] {
  const summaries = [last, elsewhere].flatMap((one) => (one ? [one] : []))
  const outcomes = [...summaries.flatMap(({ result }) => result ?? []), ...results.slice(0, LIKELY_RESULTS)]
  const shownNotes = [...(notes?.always ?? []), ...(notes?.ofProject ?? [])].slice(0, LIKELY_NOTES)
  const refs: MemoryRef[] = [
    ...summaries.map(({ summary }) => ({ kind: 'summary' as const, ref: String(summary.id) })),
    ...outcomes.map(({ outcome }) => ({ kind: 'prompt' as const, ref: String(outcome.id) })),
    ...shownNotes.map(({ id }) => ({ kind: 'note' as const, ref: id })),
    ...observations.slice(0, LIKELY_OBSERVATIONS).map(({ id }) => ({ kind: 'observation' as const, ref: String(id) })),
  ]
  return [...new Map(refs.map((one) => [`${one.kind}:${one.ref}`, one])).values()].slice(0, MAX_LIKELY)
}

/** A full page has about forty memories. Checking one takes less time than writing a line of the page a second time. */
const MAX_LIKELY = 48
const LIKELY_RESULTS = 6
const LIKELY_NOTES = 8
const LIKELY_OBSERVATIONS = 34

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

/** Marks each line that names deleted code. The first line is skipped if it gets the whole mark. */
const markLines = (lines: string[], gone: string[], hasMark: boolean): string[] =>
  lines.map((line, index) =>
    (index > 0 || !hasMark) && gone.some((name) => name.length > 2 && line.includes(name)) ? `${line} [no longer in the code]` : line,
  )

const withMark = ([line = '', ...others]: string[], text: string) => [`${line}${text}`, ...others]

/** A mark as it stands beside a line. */
const bracketed = (mark: CodeMark): string => ` [${mark.text}]`
