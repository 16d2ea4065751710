/** Maps the lines of an editor to lines of the saved file, and back. Lines are counted from 1. */
export type SavedLines = {
  /** For a line that was changed or added since, a line beside it. */
  toSaved(line: number): number
  /** Null for a line that was changed or removed since. */
  toEditor(line: number): number | null
}

/** For a text without unsaved changes. */
export const SAME_LINES: SavedLines = { toSaved: (line) => line, toEditor: (line) => line }

/** The worker knows a file as it was saved, and unsaved changes move the lines below them. */
export function savedLines(saved: string, text: string): SavedLines {
  const [old, now] = [saved.split(/\r?\n/), text.split(/\r?\n/)]
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail++
  const moved = now.length - old.length
  return {
    toSaved: (line) => (line <= head ? line : line > now.length - tail ? line - moved : Math.max(1, Math.min(line, old.length - tail))),
    toEditor: (line) => (line <= head ? line : line > old.length - tail ? line + moved : null),
  }
}
