/** Replaces a part of a text. */
export type TextEdit = { from: number; to: number; text: string }

/**
 * Finds parts of one text that arrived in several pieces, such as the lines of a patch. `find` sees the pieces joined by newlines, and its
 * edits, in ascending order, are applied to the pieces they fall on: a part that spans several leaves its replacement in the first. The
 * number of pieces stays the same.
 */
export function editPieces(pieces: string[], find: (text: string) => TextEdit[]): string[] {
  const [only] = pieces
  if (only === undefined) return pieces
  const edits = find(pieces.length === 1 ? only : pieces.join('\n'))
  if (edits.length === 0) return pieces
  let next = 0
  let start = 0
  return pieces.map((piece) => {
    const end = start + piece.length
    const kept: string[] = []
    let at = start
    for (let edit = edits[next]; edit && edit.from <= end; edit = edits[next]) {
      if (edit.from >= start) kept.push(piece.slice(at - start, edit.from - start), edit.text)
      at = Math.min(edit.to, end)
      if (edit.to > end) break
      next++
    }
    kept.push(piece.slice(at - start))
    start = end + 1
    return kept.join('')
  })
}
