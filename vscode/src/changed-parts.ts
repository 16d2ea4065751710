/** A part of a text before and after a change, with a few lines around it. */
export type ChangedPart = { before: string; after: string }

/** Lines above a change: usually enough to see the function that it is in. */
const LINES_ABOVE = 12
const LINES_BELOW = 3
/** Changes that are closer than this are one part. */
const MAX_GAP = 6
/** With more parts, most of the file has changed, and one part says the same. */
const MAX_PARTS = 5
/** Comparing more lines with each other would take too long. */
const MAX_COMPARISONS = 1_000_000

/** The parts of a text that changed, in order. Empty if only white space at the ends of lines did. */
export function changedParts(before: string, after: string): ChangedPart[] {
  const [old, now] = [before, after].map((text) => text.split('\n').map((line) => line.trimEnd())) as [string[], string[]]
  const ranges = joinClose(changedRanges(old, now))
  const parts = ranges.length > MAX_PARTS ? [around(ranges)] : ranges
  return parts.map(({ from, to, newFrom, newTo }) => {
    const above = Math.min(LINES_ABOVE, from, newFrom)
    const below = Math.min(LINES_BELOW, old.length - to, now.length - newTo)
    return { before: old.slice(from - above, to + below).join('\n'), after: now.slice(newFrom - above, newTo + below).join('\n') }
  })
}

/** Lines `from` to `to` were replaced by lines `newFrom` to `newTo` of the new text. */
type Range = { from: number; to: number; newFrom: number; newTo: number }

function changedRanges(old: string[], now: string[]): Range[] {
  let head = 0
  while (head < old.length && head < now.length && old[head] === now[head]) head++
  let tail = 0
  while (tail < old.length - head && tail < now.length - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const whole: Range = { from: head, to: old.length - tail, newFrom: head, newTo: now.length - tail }
  if (whole.from === whole.to && whole.newFrom === whole.newTo) return []
  if (whole.from === whole.to || whole.newFrom === whole.newTo) return [whole]
  if ((whole.to - whole.from) * (whole.newTo - whole.newFrom) > MAX_COMPARISONS) return [whole]
  return rangesWithin(old, now, whole)
}

/** The ranges between the longest common sequence of lines. */
function rangesWithin(old: string[], now: string[], { from, to, newFrom, newTo }: Range): Range[] {
  const [height, width] = [to - from, newTo - newFrom]
  const common = new Uint32Array((height + 1) * (width + 1))
  const at = (row: number, column: number) => common[row * (width + 1) + column] ?? 0
  for (let row = height - 1; row >= 0; row--)
    for (let column = width - 1; column >= 0; column--)
      common[row * (width + 1) + column] =
        old[from + row] === now[newFrom + column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1))
  const ranges: Range[] = []
  let open: Range | null = null
  let [row, column] = [0, 0]
  while (row < height || column < width) {
    if (row < height && column < width && old[from + row] === now[newFrom + column]) {
      if (open) ranges.push(open)
      open = null
      row++
      column++
      continue
    }
    open ??= { from: from + row, to: from + row, newFrom: newFrom + column, newTo: newFrom + column }
    if (column >= width || (row < height && at(row + 1, column) >= at(row, column + 1))) open.to = from + ++row
    else open.newTo = newFrom + ++column
  }
  return open ? [...ranges, open] : ranges
}

function joinClose(ranges: Range[]): Range[] {
  const joined: Range[] = []
  for (const range of ranges) {
    const last = joined.at(-1)
    if (last && range.from - last.to <= MAX_GAP) joined[joined.length - 1] = around([last, range])
    else joined.push(range)
  }
  return joined
}

function around(ranges: Range[]): Range {
  const [first, last] = [ranges[0], ranges.at(-1)]
  return { from: first?.from ?? 0, newFrom: first?.newFrom ?? 0, to: last?.to ?? 0, newTo: last?.newTo ?? 0 }
}
