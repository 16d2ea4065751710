/** The one of these names that a person probably meant, or null. */
export function nearest(word: string, names: readonly string[]): string | null {
  const scored = names.map((name) => [name, distance(word.toLowerCase(), name)] as const)
  const [best] = scored.sort((a, b) => a[1] - b[1])
  return best && best[1] <= Math.max(1, Math.floor(word.length / 3)) ? best[0] : null
}

function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (const [i, left] of [...a].entries()) {
    const next = [i + 1]
    for (const [j, right] of [...b].entries()) {
      next.push(Math.min((row[j] ?? 0) + Number(left !== right), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
