/** The same values once each, in the order they first came. */
export function unique(values: Iterable<string>): string[] {
  return [...new Set(values)].filter((v) => v !== '')
}

/** `a, b and 3 more`: a list a reader can take in. */
export function abbreviateList(values: string[], max: number): string {
  if (values.length <= max) return values.join(', ')
  return `${values.slice(0, max).join(', ')} and ${values.length - max} more`
}

/** `1 test`, `2 tests`. */
export function countNoun(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`
}

/** The lines of a text, long ones cut: no pattern of ours looks further, and a line can be a minified file. */
export function linesOf(text: string, longest = 400): string[] {
  return text.split('\n').map((line) => (line.length > longest ? line.slice(0, longest) : line.endsWith('\r') ? line.slice(0, -1) : line))
}
