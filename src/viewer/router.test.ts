import { describe, expect, test } from 'bun:test'
import { h } from 'preact'
import { PageEvent } from '../../test/support/page/document.ts'
import { openPage } from '../../test/support/page/open-page.ts'
import { currentRoute, navigate } from './router.ts'

const Links = () =>
  h('div', {}, [
    h('a', { href: '/memory/12' }, 'a memory'),
    h('a', { href: '/api/sessions/1/export', download: 'session.md' }, 'a file'),
    h('a', { href: 'https://example.org/' }, 'the web'),
    h('a', { href: '/search', onClick: (event: Event) => event.preventDefault() }, 'handled'),
  ])

describe('a link', () => {
  test('within the viewer opens its view, and going back returns', async () => {
    await using page = await openPage(Links, '/feed?project=app')
    await page.click('a memory')
    expect(currentRoute.value).toEqual({ page: 'memory', id: '12', query: {} })
    history.back()
    expect(currentRoute.value).toEqual({ page: 'feed', id: '', query: { project: 'app' } })
  })

  test('to a file, to the web, or one that a page handles itself is left alone', async () => {
    await using page = await openPage(Links, '/feed')
    for (const name of ['a file', 'the web', 'handled']) await page.click(name)
    expect(page.address).toBe('/feed')
  })

  test('is left to the browser when it is to open in a new tab', async () => {
    await using page = await openPage(Links, '/feed')
    for (const held of [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { altKey: true }, { button: 1 }])
      expect(page.control('a memory').dispatchEvent(new PageEvent('click', held))).toBe(true)
    expect(page.address).toBe('/feed')
  })
})

test('a changed filter replaces the view, so that one step back leaves the page', async () => {
  await using page = await openPage(Links, '/feed')
  navigate('/search')
  for (const query of ['t', 'ti', 'tid']) navigate(`/search?q=${query}`, 'replace')
  expect(currentRoute.value.query.q).toBe('tid')
  history.back()
  expect(page.address).toBe('/feed')
})

test('a link to the view that is already open needs only one step back', async () => {
  await using page = await openPage(Links, '/feed')
  for (let n = 0; n < 3; n++) await page.click('a memory')
  history.back()
  expect(page.address).toBe('/feed')
})
