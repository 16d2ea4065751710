/** The name that a person probably meant, or null when none is close. */
export function closestName(word: string, names: readonly string[]): string | null {
  const scored = names.map((name) => [name, editDistance(word.toLowerCase(), name)] as const)
  const [best] = scored.sort((a, b) => a[1] - b[1])
  return best && best[1] <= Math.max(1, Math.floor(word.length / 3)) ? best[0] : null
}

/** How many letters are wrong, missing, extra, or swapped with their neighbour. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const isSwapped = i > 0 && j > 0 && a[i] === b[j - 1] && a[i - 1] === b[j]
      const swapped = isSwapped ? (before[j - 1] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min((row[j] ?? 0) + Number(a[i] !== b[j]), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1, swapped))
    }
    before = row
    row = next
  }
  return row[b.length] ?? 0
}
