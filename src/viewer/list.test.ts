import { describe, expect, test } from 'bun:test'
import { type Signal, signal } from '@preact/signals'
import { h } from 'preact'
import { type OpenedPage, openPage } from '../../test/support/page/open-page.ts'
import type { Reply } from '../wire/call.ts'
import { List, type PageRequest, resetScroll, usePagedRows } from './list.tsx'

type Rows = { rows: string[]; total: number | null; upTo?: number }
type Answer = (request: PageRequest) => Rows | Promise<Rows> | null

let lists = 0
/** A list of its own, with what was asked for and which row was deleted. Null as an answer is a failure. */
function listOf(answer: Answer, name: Signal<string> = signal(`list ${++lists}`)) {
  const [generation, version] = [signal(0), signal(0)]
  const requests: PageRequest[] = []
  const deleted: string[] = []
  const requestPage = async (request: PageRequest): Promise<Reply<Rows>> => {
    requests.push(request)
    const value = await answer(request)
    return value ? { kind: 'answered', value } : { kind: 'refused', status: 500, reason: 'the disk is full' }
  }
  const Page = () => {
    const rows = usePagedRows(name.value, requestPage, (response) => response, generation.value, version.value)
    return h('div', {}, [
      rows.error,
      h(List<string>, {
        key: name.value,
        name: name.value,
        label: 'Rows',
        rows,
        href: (row) => `/memory/${row}`,
        onDelete: (row) => void deleted.push(row),
        children: (row: string) => row,
      }),
    ])
  }
  return { Page, requests, deleted, name, generation, version }
}

/** `a0`, `a1` and so on. */
const numbered = (letter: string, total: number) => (request: PageRequest) => ({
  rows: Array.from({ length: Math.max(0, Math.min(request.limit, total - request.offset)) }, (_, n) => `${letter}${request.offset + n}`),
  total: request.count ? total : null,
})
const box = (page: OpenedPage) => page.document.querySelector('.list') as NonNullable<ReturnType<OpenedPage['document']['querySelector']>>
async function scrollTo(page: OpenedPage, row: number): Promise<void> {
  box(page).scrollTop = row * 34
  await page.settle()
}

describe('a long list', () => {
  test('has only the rows near the screen in the document, and says how long it is', async () => {
    const { Page } = listOf(numbered('a', 100_000))
    await using page = await openPage(Page, '/feed')
    const rows = page.texts('.row')
    expect(rows.slice(0, 2)).toEqual(['a0', 'a1'])
    expect(rows.length).toBeLessThan(40)
    expect(page.document.querySelector('[role="listitem"]')?.getAttribute('aria-setsize')).toBe('100000')
  })

  test('fetches the pages that come into view, and counts only once', async () => {
    const { Page, requests } = listOf(numbered('a', 1000))
    await using page = await openPage(Page, '/feed')
    await scrollTo(page, 95)
    expect(page.texts('.row')).toContain('a104')
    expect(requests.map(({ offset, count }) => [offset, count])).toEqual([
      [0, true],
      [100, false],
    ])
  })

  test('that is scrolled far waits until the person stops, and skips what was passed', async () => {
    const { Page, requests } = listOf(numbered('a', 10_000))
    await using page = await openPage(Page, '/feed')
    for (const row of [2000, 5000, 8000]) await scrollTo(page, row)
    expect(page.texts('.row').every((text) => text === '')).toBe(true)
    await page.until(() => page.texts('.row').includes('a8000'))
    expect(requests.map(({ offset }) => offset).filter((offset) => offset > 0 && offset < 7900)).toEqual([])
  })

  test('is shown where it was left, with the same row selected', async () => {
    const { Page, name } = listOf(numbered('a', 1000))
    await using page = await openPage(Page, '/feed')
    const first = name.value
    for (let n = 0; n < 30; n++) await page.press('j')
    const scrolled = box(page).scrollTop
    expect(scrolled).toBeGreaterThan(0)
    name.value = 'another list'
    await page.settle()
    name.value = first
    await page.settle()
    expect(box(page).scrollTop).toBe(scrolled)
    await page.press('Enter')
    expect(page.address).toBe('/memory/a29')
    resetScroll(first)
    name.value = 'another list'
    await page.settle()
    name.value = first
    await page.settle()
    expect(box(page).scrollTop).toBe(0)
  })
})

describe('the keys of a list', () => {
  test('move through it and never beyond its ends', async () => {
    const { Page } = listOf(numbered('a', 50))
    await using page = await openPage(Page, '/feed')
    const seen: (string | undefined)[] = []
    for (const key of ['k', 'j', 'j', 'PageDown', 'PageUp', 'End', 'j', 'ArrowUp', 'Home']) {
      await page.press(key)
      seen.push(page.document.activeElement?.textContent)
    }
    expect(seen).toEqual(['a0', 'a1', 'a2', 'a11', 'a2', 'a49', 'a49', 'a48', 'a0'])
  })

  test('act on the selected row, and on none before one is selected', async () => {
    const { Page, deleted } = listOf(numbered('a', 50))
    await using page = await openPage(Page, '/feed')
    for (const key of ['x', 'Enter']) await page.press(key)
    expect([deleted, page.address]).toEqual([[], '/feed'])
    for (const key of ['j', 'j', 'x']) await page.press(key)
    expect(deleted).toEqual(['a1'])
  })
})

describe('a list that may have changed', () => {
  test('fetches the rows on the screen again, in place', async () => {
    let letter = 'a'
    const { Page, version } = listOf((request) => numbered(letter, 1000)(request))
    await using page = await openPage(Page, '/feed')
    await scrollTo(page, 40)
    letter = 'b'
    version.value++
    await page.settle()
    expect(page.texts('.row')).toContain('b40')
    expect(box(page).scrollTop).toBe(40 * 34)
  })

  test('keeps its rows when they cannot be fetched again, and says why', async () => {
    let isFull = false
    const { Page, version } = listOf((request) => (isFull ? null : numbered('a', 10)(request)))
    await using page = await openPage(Page, '/feed')
    isFull = true
    version.value++
    await page.settle()
    expect(page.text).toContain('the disk is full')
    expect(page.texts('.row')).toContain('a0')
  })

  test('and starts again is not replaced by an answer to its earlier version', async () => {
    const late = Promise.withResolvers<Rows>()
    let letter = 'a'
    const { Page, generation } = listOf((request) =>
      letter === 'a' && request.offset === 100 ? late.promise : numbered(letter, 1000)(request),
    )
    await using page = await openPage(Page, '/feed')
    await scrollTo(page, 95)
    letter = 'b'
    generation.value++
    await page.settle()
    late.resolve(numbered('a', 1000)({ limit: 100, offset: 100, count: false, upTo: undefined }))
    await page.settle()
    await scrollTo(page, 0)
    expect(page.texts('.row')[0]).toBe('b0')
  })
})

test('later pages continue the list of the first, although newer memories have arrived', async () => {
  const { Page, requests } = listOf((request) => ({ ...numbered('a', 1000)(request), upTo: 77 }))
  await using page = await openPage(Page, '/feed')
  await scrollTo(page, 95)
  expect(requests.map(({ upTo }) => upTo)).toEqual([undefined, 77])
})
