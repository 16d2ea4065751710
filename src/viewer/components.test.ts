import { describe, expect, test } from 'bun:test'
import { type ComponentChild, Fragment, h } from 'preact'
import { PageEvent } from '../../test/support/page/document.ts'
import { openPage } from '../../test/support/page/open-page.ts'
import { Dialog, Dropdown, FactList, LoadingOrError, MemoryRow, Menu, PageHead, Segments, TextWithCode } from './components.tsx'

/** A page that shows only this. */
const showing = (element: ComponentChild) => () => h(Fragment, {}, element)

test('code between backticks is set as code, however often, and a single backtick is text', async () => {
  await using page = await openPage(showing(h(TextWithCode, { text: 'a `b` c `d` `e` and a ` alone' })), '/feed')
  expect([page.texts('code'), page.text]).toEqual([['b', 'd', 'e'], 'a b c d e and a ` alone'])
})

test('a dropdown shows a value from an old bookmark that is no longer an option', async () => {
  const chosen: string[] = []
  const options = [
    { value: '', text: 'All' },
    { value: 'a', text: 'A' },
  ]
  const dropdown = (value: string) =>
    showing(h(Dropdown, { label: 'Project', value, options, onChoose: (value: string) => void chosen.push(value) }))
  await using old = await openPage(dropdown('gone'), '/feed')
  expect([old.text, old.texts('option')]).toEqual(['gone', ['All', 'A', 'gone']])
  await old[Symbol.asyncDispose]()
  await using page = await openPage(dropdown('a'), '/feed')
  expect(page.texts('option')).toEqual(['All', 'A'])
  await page.fill('Project', '')
  expect(chosen).toEqual([''])
})

test('facts without a value are left out, and zero is a value', async () => {
  const facts: [string, string | number | null | undefined][] = [
    ['Turn', 0],
    ['Tool', null],
    ['Model', ''],
    ['Size', undefined],
    ['Author', 'Ada'],
  ]
  await using page = await openPage(showing(h(FactList, { facts })), '/feed')
  expect(page.text).toBe('Turn\n0\nAuthor\nAda')
})

test('a view that is chosen is pressed for a screen reader', async () => {
  const chosen: string[] = []
  const options = ['day', 'week'].map((value) => ({ value, text: value }))
  await using page = await openPage(
    showing(h(Segments<string>, { label: 'By', value: 'week', options, onChoose: (value) => void chosen.push(value) })),
    '/feed',
  )
  expect(['day', 'week'].map((name) => page.control(name).getAttribute('aria-pressed'))).toEqual(['false', 'true'])
  await page.click('day')
  expect(chosen).toEqual(['day'])
})

describe('a row of a list', () => {
  const row = {
    kind: 'note' as const,
    id: '01N',
    type: 'rules',
    title: 'Never on Fridays',
    snippet: 'said <b>twice</b>',
    project: 'host/tidepool',
    sessionId: null,
    at: 0,
    tokens: 1,
  }

  test('shows its type, its words highlighted, its project, and no time that is not known', async () => {
    await using page = await openPage(showing(h(MemoryRow, { row, words: ['never', 'twice'] })), '/feed')
    expect([page.texts('.tag'), page.texts('mark'), page.texts('.place'), page.texts('time')]).toEqual([
      ['rules'],
      ['Never', 'twice'],
      ['tidepool'],
      [],
    ])
    expect(page.texts('.snippet')).toEqual(['said <b>twice</b>'])
  })

  test('of a turn or a commit is marked by its kind, and with what came of it', async () => {
    const outcome = { id: 'P9', of: 'this work' as const, text: 'It ticks.', replaced: null }
    await using page = await openPage(
      showing(h(MemoryRow, { row: { ...row, kind: 'prompt', type: 'x', title: '[undone by P7] Fix it', at: 1, outcome } })),
      '/feed',
    )
    expect([page.texts('.tag'), page.texts('b'), page.texts('.mark')]).toEqual([['prompt'], ['Fix it'], ['undone by P7']])
    expect(page.texts('.outcome')[0]).toContain('It ticks.')
    expect(page.texts('time')).toHaveLength(1)
  })
})

describe('the bar above a page', () => {
  test('leads to search and to a new note in the same project', async () => {
    await using page = await openPage(showing(h(PageHead, { title: 'Feed' })), '/feed?project=app')
    expect(page.control('Search memories').getAttribute('href')).toBe('/search?project=app')
    expect(page.control('New note').getAttribute('href')).toBe('/memory/new?project=app')
  })

  test('does not offer what the page is for', async () => {
    await using page = await openPage(showing(h(PageHead, { title: 'New note', isForWriting: true })), '/search')
    expect([page.hasControl('Search memories'), page.hasControl('New note')]).toEqual([false, false])
  })
})

describe('a menu', () => {
  const menu = (chosen: string[]) =>
    showing(
      h(Menu, {
        label: 'Actions',
        items: [
          { text: 'Export', href: '/api/export', download: 'a.md' },
          { text: 'Rename', onChoose: () => void chosen.push('rename') },
          { text: 'Wipe', isDanger: true, onChoose: () => void chosen.push('wipe') },
        ],
      }),
    )

  test('opens with its first entry focused, goes round with the arrows, and gives the focus back', async () => {
    await using page = await openPage(menu([]), '/feed')
    await page.press('ArrowDown')
    expect(page.hasControl('Export')).toBe(false)
    await page.click('Actions')
    const seen = [page.document.activeElement?.textContent]
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'Home']) {
      await page.press(key)
      seen.push(page.document.activeElement?.textContent)
    }
    expect(seen).toEqual(['Export', 'Rename', 'Wipe', 'Export', 'Wipe', 'Wipe'])
    await page.press('Escape')
    expect([page.hasControl('Export'), page.document.activeElement === page.control('Actions')]).toEqual([false, true])
  })

  test('closes before its action runs, and when the person clicks elsewhere', async () => {
    const chosen: string[] = []
    await using page = await openPage(menu(chosen), '/feed')
    await page.click('Actions')
    await page.click('Rename')
    expect([chosen, page.hasControl('Rename')]).toEqual([['rename'], false])
    await page.click('Actions')
    page.control('Export').dispatchEvent(new PageEvent('pointerdown'))
    await page.settle()
    expect(page.hasControl('Export')).toBe(true)
    page.document.body.dispatchEvent(new PageEvent('pointerdown'))
    await page.settle()
    expect(page.hasControl('Export')).toBe(false)
  })
})

test('a dialog has its title as its name, and closes', async () => {
  let closed = 0
  await using page = await openPage(showing(h(Dialog, { title: 'Sure?', onClose: () => void closed++, children: 'Text' })), '/feed')
  expect(page.document.querySelector('dialog[open]')?.getAttribute('aria-label')).toBe('Sure?')
  await page.click('Close')
  expect(closed).toBe(1)
})

test('an answer that has not come shows as loading, and a failed one with a way to try again', async () => {
  let tried = 0
  const waiting = (error: string) => showing(h(LoadingOrError, { fetched: { error, refetch: () => void tried++ } }))
  await using loading = await openPage(waiting(''), '/feed')
  expect(loading.text).toBe('Loading…')
  await loading[Symbol.asyncDispose]()
  await using failed = await openPage(waiting('no network'), '/feed')
  await failed.click('Try again')
  expect([failed.text, tried]).toEqual(['no network\nTry again', 1])
})
