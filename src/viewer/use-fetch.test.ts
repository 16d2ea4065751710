import { describe, expect, test } from 'bun:test'
import { signal } from '@preact/signals'
import { h } from 'preact'
import { openPage } from '../../test/support/page/open-page.ts'
import { dataVersion } from './live.ts'
import { useFetch } from './use-fetch.ts'

/** Shows the title of the note that is wanted, whether it is missing, and what went wrong. */
function noteTitle(first: string | null) {
  const wanted = signal(first)
  const Page = () => {
    const fetched = useFetch('GET /api/notes/:id', wanted.value === null ? null : { id: wanted.value })
    return h('p', {}, [fetched.value?.title, fetched.isMissing && ' is missing', fetched.error && ` (${fetched.error})`])
  }
  return { Page, wanted }
}

const titleOf = (path: string) => ({ title: `Note ${path.split('/').at(-1)}` })

describe('a page', () => {
  test('is fetched again when data may have changed, and stays on the screen until the answer arrives', async () => {
    let [title, isSlow] = ['old', false]
    const late = Promise.withResolvers<Response>()
    const { Page } = noteTitle('1')
    await using page = await openPage(Page, '/feed', { 'GET /api/notes/:id': () => (isSlow ? late.promise : { title }) })
    expect(page.text).toBe('old')
    ;[title, isSlow] = ['new', true]
    dataVersion.value++
    await Bun.sleep(20)
    expect(page.text).toBe('old')
    late.resolve(Response.json({ title }))
    await page.settle()
    expect(page.text).toBe('new')
  })

  test('is not that of an earlier request that was slower', async () => {
    const slow = Promise.withResolvers<Response>()
    const { Page, wanted } = noteTitle('1')
    await using page = await openPage(Page, '/feed', {
      'GET /api/notes/:id': ({ path }) => (path.endsWith('/2') ? slow.promise : titleOf(path)),
    })
    wanted.value = '2'
    await Bun.sleep(20)
    expect(page.text).toBe('')
    wanted.value = '3'
    await Bun.sleep(20)
    slow.resolve(Response.json({ title: 'too late' }))
    await page.settle()
    expect(page.text).toBe('Note 3')
  })

  test('is nothing without a request', async () => {
    const { Page } = noteTitle(null)
    await using page = await openPage(Page, '/feed', { 'GET /api/notes/:id': { title: 'x' } })
    expect([page.text, page.requests.length]).toEqual(['', 0])
  })
})

describe('a failure', () => {
  test('leaves the last answer on the screen and says what went wrong', async () => {
    let isAway = false
    const { Page } = noteTitle('1')
    await using page = await openPage(Page, '/feed', {
      'GET /api/notes/:id': () => (isAway ? Promise.reject(new Error('ECONNREFUSED')) : { title: 'kept' }),
    })
    isAway = true
    dataVersion.value++
    await page.settle()
    expect(page.text).toMatch(/^kept \(The worker is not responding\..*recollect start/)
  })

  test('because the worker does not know an id is not one of the worker', async () => {
    for (const [status, shown] of [
      [404, ' is missing (gone)'],
      [400, ' is missing (gone)'],
      [500, '(gone)'],
    ] as const) {
      const { Page } = noteTitle('1')
      await using page = await openPage(Page, '/feed', { 'GET /api/notes/:id': () => Response.json({ error: 'gone' }, { status }) })
      expect(page.text).toBe(shown.trim())
    }
  })

  test('belongs to its request only: the next one starts without it', async () => {
    const slow = Promise.withResolvers<Response>()
    const { Page, wanted } = noteTitle('1')
    await using page = await openPage(Page, '/feed', {
      'GET /api/notes/:id': ({ path }) => (path.endsWith('/2') ? slow.promise : Response.json({ error: 'gone' }, { status: 404 })),
    })
    expect(page.text).toBe('is missing (gone)')
    wanted.value = '2'
    await Bun.sleep(20)
    expect(page.text).toBe('')
    slow.resolve(Response.json({ title: 'Note 2' }))
    await page.settle()
    expect(page.text).toBe('Note 2')
    wanted.value = '1'
    await page.settle()
    wanted.value = null
    await page.settle()
    expect(page.text).toBe('')
  })
})
