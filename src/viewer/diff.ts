/** One line of a diff: in both texts, only in the old one, or only in the new one. */
export type DiffLine = { kind: 'same' | 'removed' | 'added'; text: string }

/** Limits the table of common lines. Above it, everything between the common start and end counts as changed. */
const MAX_DIFF_CELLS = 1_000_000

/** Compares two texts line by line. */
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
    return [...a.map(asDiffLine('removed')), ...b.map(asDiffLine('added'))]
  // common[i][j]: length of the longest common subsequence of a from i and b from j.
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
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) lines.push({ kind: 'removed', text: a[i++] as string })
    else lines.push({ kind: 'added', text: b[j++] as string })
  }
  return lines
}
