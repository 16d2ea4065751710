import type { Day } from '../wire/view.ts'

export type CalendarCell = { from: string; to: string; count: number; level: number }
export type CalendarRow = { project: string; total: number; cells: CalendarCell[] }

/** The days from one to another, both included, as `2026-03-01`. */
export function daysBetween(from: string, to: string): string[] {
  const days: string[] = []
  for (let at = Date.parse(from); at <= Date.parse(to); at += 86_400_000) days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

/** Activity as lines of cells: a line for each project, the busiest first; a cell for each day or each week that ends on the last day. */
export function calendarRows(days: Day[], span: string[], step: 1 | 7): CalendarRow[] {
  const groups: string[][] = []
  for (let end = span.length; end > 0; end -= step) groups.unshift(span.slice(Math.max(0, end - step), end))
  const counts = new Map<string, Map<string, number>>()
  for (const { project, day, count } of days) {
    const of = counts.get(project) ?? new Map<string, number>()
    of.set(day, (of.get(day) ?? 0) + count)
    counts.set(project, of)
  }
  const raw = [...counts].map(([project, of]) => ({
    project,
    cells: groups.map((group) => ({
      from: group[0] as string,
      to: group.at(-1) as string,
      count: group.reduce((sum, day) => sum + (of.get(day) ?? 0), 0),
    })),
  }))
  const most = Math.max(1, ...raw.flatMap(({ cells }) => cells.map((cell) => cell.count)))
  return raw
    .map(({ project, cells }) => ({
      project,
      total: cells.reduce((sum, cell) => sum + cell.count, 0),
      cells: cells.map((cell) => ({ ...cell, level: shadeOf(cell.count, most) })),
    }))
    .filter((line) => line.total > 0)
    .sort((a, b) => b.total - a.total)
}

/** The months that cells stand in, each with how many cells it has: what is written above them. */
export function monthHeadings(cells: CalendarCell[]): { name: string; cells: number }[] {
  const found: { name: string; cells: number }[] = []
  for (const { to } of cells) {
    const name = to.slice(0, 7)
    const last = found.at(-1)
    if (last?.name === name) last.cells++
    else found.push({ name, cells: 1 })
  }
  // Where there is no room for a name it would push the others away.
  return found.map((month) => (month.cells < 3 ? { ...month, name: '' } : month))
}

/** Five shades; by the root, so that a busy day does not make the others look empty. */
const shadeOf = (count: number, most: number) => (count === 0 ? 0 : Math.max(1, Math.ceil(4 * Math.sqrt(count / most))))
