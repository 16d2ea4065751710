import type { DayCount } from '../wire/contract/feed.ts'

export type CalendarCell = { from: string; to: string; count: number; level: number }
export type CalendarRow = { project: string; total: number; cells: CalendarCell[] }

/** A day as it is in an address, `2026-03-01`; empty for any other text. */
export const readDay = (text = ''): string => (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) ? text : '')

/** All days from `from` to `to`, both included, as `2026-03-01`. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000) days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

/** Activity as rows of cells: one row for each project, the busiest first, and one cell for each day or week. The last week ends on the last day. */
export function calendarRows(days: DayCount[], span: string[], step: 1 | 7): CalendarRow[] {
  const groups: string[][] = []
  for (let end = span.length; end > 0; end -= step) groups.unshift(span.slice(Math.max(0, end - step), end))
  const counts = new Map<string, Map<string, number>>()
  for (const { project, day, count } of days) {
    const byDay = counts.get(project) ?? new Map<string, number>()
    byDay.set(day, (byDay.get(day) ?? 0) + count)
    counts.set(project, byDay)
  }
  const raw = [...counts].map(([project, byDay]) => ({
    project,
    cells: groups.map((group) => ({
      from: group[0] as string,
      to: group.at(-1) as string,
      count: group.reduce((sum, day) => sum + (byDay.get(day) ?? 0), 0),
    })),
  }))
  const highestCount = Math.max(1, ...raw.flatMap(({ cells }) => cells.map((cell) => cell.count)))
  return raw
    .map(({ project, cells }) => ({
      project,
      total: cells.reduce((sum, cell) => sum + cell.count, 0),
      cells: cells.map((cell) => ({ ...cell, level: shadeOf(cell.count, highestCount) })),
    }))
    .filter((row) => row.total > 0)
    .sort((a, b) => b.total - a.total)
}

/** Month headings for a row of cells, each with the number of cells it spans. */
export function monthHeadings(cells: CalendarCell[]): { name: string; cells: number }[] {
  const months: { name: string; cells: number }[] = []
  for (const { to } of cells) {
    const name = to.slice(0, 7)
    const last = months.at(-1)
    if (last?.name === name) last.cells++
    else months.push({ name, cells: 1 })
  }
  // A name above fewer than three cells would widen its columns.
  return months.map((month) => (month.cells < 3 ? { ...month, name: '' } : month))
}

/** Five shades. The square root keeps one busy day from making the other days look empty. */
const shadeOf = (count: number, highestCount: number) => (count === 0 ? 0 : Math.max(1, Math.ceil(4 * Math.sqrt(count / highestCount))))

/** The day or week with the newest memories: what a person most likely came for. */
export const newestActiveCell = (rows: CalendarRow[]): CalendarCell | undefined =>
  rows
    .flatMap(({ cells }) => cells.filter(({ count }) => count > 0))
    .sort((a, b) => a.from.localeCompare(b.from))
    .at(-1)

/** `2026-03` as people say it; the year at its start. */
export const monthName = (month: string): string => {
  const isNewYear = month.endsWith('-01')
  return new Date(`${month}-15`).toLocaleDateString('en-GB', { month: 'short', ...(isNewYear ? { year: 'numeric' as const } : {}) })
}
