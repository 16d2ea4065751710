import { expect, test } from 'bun:test'
import { calendarRows, daysBetween, monthHeadings, monthName, newestActiveCell, readDay } from './calendar.ts'

const day = (day: string, count: number, project = 'app') => ({ day, project, kind: 'observation' as const, count })

test('every day has a cell, even without activity', () => {
  const span = daysBetween('2026-02-27', '2026-03-02')
  expect(span).toEqual(['2026-02-27', '2026-02-28', '2026-03-01', '2026-03-02'])
  const [row] = calendarRows([day('2026-02-28', 4), day('2026-02-28', 1), day('2026-03-02', 1)], span, 1)
  expect(row).toMatchObject({ project: 'app', total: 6 })
  expect(row?.cells.map((cell) => [cell.count, cell.level])).toEqual([
    [0, 0],
    [5, 4],
    [0, 0],
    [1, 2],
  ])
})

test('weeks end on the last day, and the busiest project comes first', () => {
  const span = daysBetween('2026-03-01', '2026-03-10')
  const rows = calendarRows([day('2026-03-01', 1), day('2026-03-10', 2), day('2026-03-05', 9, 'shop')], span, 7)
  expect(rows.map((row) => row.project)).toEqual(['shop', 'app'])
  expect(rows[1]?.cells.map((cell) => [cell.from, cell.to, cell.count])).toEqual([
    ['2026-03-01', '2026-03-03', 1],
    ['2026-03-04', '2026-03-10', 2],
  ])
})

test('a month is named if at least three of its cells are shown', () => {
  const [row] = calendarRows([day('2026-03-01', 1)], daysBetween('2026-02-27', '2026-03-05'), 1)
  expect(monthHeadings(row?.cells ?? [])).toEqual([
    { name: '', cells: 2 },
    { name: '2026-03', cells: 5 },
  ])
})

test('the newest memories are those of the last day with any, or of the whole last week, in whichever project', () => {
  const span = daysBetween('2026-03-01', '2026-03-14')
  const days = [day('2026-03-02', 9), day('2026-03-10', 1, 'shop'), day('2026-03-05', 2)]
  expect(newestActiveCell(calendarRows(days, span, 1))).toMatchObject({ from: '2026-03-10', to: '2026-03-10' })
  expect(newestActiveCell(calendarRows(days, span, 7))).toMatchObject({ from: '2026-03-08', to: '2026-03-14' })
  expect(newestActiveCell(calendarRows([], span, 1))).toBeUndefined()
})

test('a month is named in short, and January with its year', () => {
  expect([monthName('2026-03'), monthName('2026-01')]).toEqual(['Mar', 'Jan 2026'])
})

test('a text in the address that is no day is not taken for one', () => {
  expect(['2026-03-01', '', 'someday', '2026-13-01', '2026-3-1', '12026-03-01'].map((text) => readDay(text))).toEqual([
    '2026-03-01',
    '',
    '',
    '',
    '',
    '',
  ])
})
