/** Which rows of a long list are on the screen, or nearly: `first` up to and not including `end`. */
export function rowsInView(
  scrollTop: number,
  height: number,
  rowHeight: number,
  total: number,
  beyond = 8,
): { first: number; end: number } {
  const top = Math.floor(Math.max(0, scrollTop) / rowHeight)
  const bottom = Math.ceil((Math.max(0, scrollTop) + height) / rowHeight)
  return { first: Math.min(Math.max(0, top - beyond), Math.max(0, total - 1)), end: Math.min(total, bottom + beyond) }
}

/** Which pages of a list those rows are on. */
export function pagesForRows(first: number, end: number, size: number): number[] {
  if (end <= first) return []
  const from = Math.floor(first / size)
  return Array.from({ length: Math.floor((end - 1) / size) - from + 1 }, (_, i) => from + i)
}

/** Pages that may be let go: the farthest from where the person is, when there are more than can be kept. */
export function pagesToDrop(held: number[], around: number, most: number): number[] {
  return [...held].sort((a, b) => Math.abs(a - around) - Math.abs(b - around)).slice(most)
}

/** Where to scroll so that a row can be seen whole; null when it can. */
export function scrollTopToShow(index: number, scrollTop: number, height: number, rowHeight: number): number | null {
  const top = index * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : null
}
