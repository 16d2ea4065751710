/** The rows of a long list that are on the screen, and a few on either side: from `first` up to, but not including, `end`. */
export function rowsInView(
  scrollTop: number,
  height: number,
  rowHeight: number,
  total: number,
  extraRows = 8,
): { first: number; end: number } {
  const top = Math.floor(Math.max(0, scrollTop) / rowHeight)
  const bottom = Math.ceil((Math.max(0, scrollTop) + height) / rowHeight)
  return { first: Math.min(Math.max(0, top - extraRows), Math.max(0, total - 1)), end: Math.min(total, bottom + extraRows) }
}

/** The pages that contain these rows. */
export function pagesForRows(first: number, end: number, pageSize: number): number[] {
  if (end <= first) return []
  const from = Math.floor(first / pageSize)
  return Array.from({ length: Math.floor((end - 1) / pageSize) - from + 1 }, (_, i) => from + i)
}

/** The pages to drop from the cache if it has more than `maxPages`: those farthest from the current page. */
export function pagesToDrop(cached: number[], current: number, maxPages: number): number[] {
  return [...cached].sort((a, b) => Math.abs(a - current) - Math.abs(b - current)).slice(maxPages)
}

/** The scroll position that makes a row fully visible; null if it already is. */
export function scrollTopToShow(index: number, scrollTop: number, height: number, rowHeight: number): number | null {
  const top = index * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : null
}
