import { expect, test } from 'bun:test'
import { pagesForRows, pagesToDrop, rowsInView, scrollTopToShow } from './visible-rows.ts'

test('of a hundred thousand rows only those near the screen are shown', () => {
  expect(rowsInView(0, 600, 30, 100_000)).toEqual({ first: 0, end: 28 })
  const { first, end } = rowsInView(50_000 * 30, 600, 30, 100_000)
  expect([first, end]).toEqual([49_992, 50_028])
  expect(rowsInView(99_999 * 30, 600, 30, 100_000).end).toBe(100_000)
})

test('a short, an empty and an overscrolled list show what there is', () => {
  expect(rowsInView(0, 600, 30, 3)).toEqual({ first: 0, end: 3 })
  expect(rowsInView(0, 600, 30, 0)).toEqual({ first: 0, end: 0 })
  expect(rowsInView(-40, 600, 30, 100).first).toBe(0)
  expect(rowsInView(1e9, 600, 30, 100)).toEqual({ first: 99, end: 100 })
})

test('rows are fetched by the pages they are on', () => {
  expect(pagesForRows(0, 28, 100)).toEqual([0])
  expect(pagesForRows(95, 105, 100)).toEqual([0, 1])
  expect(pagesForRows(200, 300, 100)).toEqual([2])
  expect(pagesForRows(5, 5, 100)).toEqual([])
})

test('the farthest pages are let go', () => {
  expect(pagesToDrop([0, 1, 2, 50, 51], 51, 3)).toEqual([1, 0])
  expect(pagesToDrop([0, 1], 0, 3)).toEqual([])
})

test('a row that is moved to is brought into view, and not more than that', () => {
  expect(scrollTopToShow(0, 100, 600, 30)).toBe(0)
  expect(scrollTopToShow(10, 0, 600, 30)).toBeNull()
  expect(scrollTopToShow(20, 0, 600, 30)).toBe(30)
})
