/** Removes duplicates and empty texts, and keeps the order. */
export function unique(values: Iterable<string>): string[] {
  return [...new Set(values)].filter((v) => v !== '')
}

/** `a, b and 3 more`. */
export function abbreviateList(values: string[], max: number): string {
  if (values.length <= max) return values.join(', ')
  return `${values.slice(0, max).join(', ')} and ${values.length - max} more`
}

/** `1 test`, `2 tests`. */
export function countNoun(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}
