/** A line of two texts laid beside each other: in both, gone, or new. */
export type DiffLine = { kind: 'same' | 'gone' | 'new'; text: string }

/** Past this the table would be too large; then everything between the common ends counts as changed. */
const MAX_DIFF_CELLS = 1_000_000

/** What became of a text, line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split('\n'), after.split('\n')]
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end++
  return [
    ...a.slice(0, start).map(asDiffLine('same')),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(asDiffLine('same')),
  ]
}

const asDiffLine = (kind: DiffLine['kind']) => (text: string) => ({ kind, text })

function diffMiddle(a: string[], b: string[]): DiffLine[] {
  if (a.length * b.length > MAX_DIFF_CELLS || a.length === 0 || b.length === 0)
    return [...a.map(asDiffLine('gone')), ...b.map(asDiffLine('new'))]
  // common[i][j] is how many lines the rests from i and j share in order.
  const common = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  const at = (i: number, j: number) => common[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    const row = common[i] as Uint32Array
    for (let j = b.length - 1; j >= 0; j--) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  }
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: 'same', text: a[i] as string })
      i++
      j++
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) lines.push({ kind: 'gone', text: a[i++] as string })
    else lines.push({ kind: 'new', text: b[j++] as string })
  }
  return lines
}
