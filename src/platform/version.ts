import manifest from '../../package.json' with { type: 'json' }

export const VERSION: string = manifest.version

/** Negative when `a` is older than `b`. Compares numbers only: `2.1.63-beta` equals 2.1.63. */
export function compareVersions(a: string, b: string): number {
  const numbers = (text: string) => (text.match(/\d+/g) ?? []).slice(0, 3).map(Number)
  const [left, right] = [numbers(a), numbers(b)]
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
