/** Which lines a person wrote themselves: no code, quotes or checkbox lists. */
export function findTypedLines(lines: string[]): boolean[] {
  let fence = ''
  let blockOpen = true
  return lines.map((line) => {
    const mark = /^\s*(```+|~~~+|""")/.exec(line)?.[1] ?? ''
    if (mark && (fence === '' || mark.startsWith(fence))) {
      fence = fence ? '' : mark
      return false
    }
    if (fence) return false
    const indented = /^(?: {4}|\t)/.test(line) && !/^\s*(?:[-*+•]|\d+[.)])\s/.test(line)
    const isCode = indented && blockOpen
    blockOpen = line.trim() === '' || isCode
    return !isCode && !/^\s*>/.test(line) && !/^\s*(?:[-*+•]|\d+[.)])\s+\[[ xX]\]/.test(line)
  })
}
