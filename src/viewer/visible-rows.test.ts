import { expect, test } from 'bun:test'
import { pagesForRows, pagesToDrop, rowsInView, scrollTopToShow } from './visible-rows.ts'

test('only rows near the screen exist in a list of a hundred thousand', () => {
  expect(rowsInView(0, 600, 30, 100_000)).toEqual({ first: 0, end: 28 })
  const { first, end } = rowsInView(50_000 * 30, 600, 30, 100_000)
  expect([first, end]).toEqual([49_992, 50_028])
  expect(rowsInView(99_999 * 30, 600, 30, 100_000).end).toBe(100_000)
})

test('short, empty and overscrolled lists stay within their rows', () => {
  expect(rowsInView(0, 600, 30, 3)).toEqual({ first: 0, end: 3 })
  expect(rowsInView(0, 600, 30, 0)).toEqual({ first: 0, end: 0 })
  expect(rowsInView(-40, 600, 30, 100).first).toBe(0)
  expect(rowsInView(1e9, 600, 30, 100)).toEqual({ first: 99, end: 100 })
})

test('rows are fetched by page', () => {
  expect(pagesForRows(0, 28, 100)).toEqual([0])
  expect(pagesForRows(95, 105, 100)).toEqual([0, 1])
  expect(pagesForRows(200, 300, 100)).toEqual([2])
  expect(pagesForRows(5, 5, 100)).toEqual([])
})

test('the pages farthest from the current one are dropped', () => {
  expect(pagesToDrop([0, 1, 2, 50, 51], 51, 3)).toEqual([1, 0])
  expect(pagesToDrop([0, 1], 0, 3)).toEqual([])
})

test('the list scrolls only as far as needed to show a row', () => {
  expect(scrollTopToShow(0, 100, 600, 30)).toBe(0)
  expect(scrollTopToShow(10, 0, 600, 30)).toBeNull()
  expect(scrollTopToShow(20, 0, 600, 30)).toBe(30)
})
