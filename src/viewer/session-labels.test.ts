import { expect, test } from 'bun:test'
import { signal } from '@preact/signals'
import { h } from 'preact'
import { openPage } from '../../test/support/page/open-page.ts'
import { useSessionLabels } from './session-labels.ts'

const ids = signal<(number | string | null)[]>([])
const Page = () => {
  const labelOf = useSessionLabels(ids.value)
  return h('p', {}, ids.value.map((id) => labelOf(id)?.title ?? '?').join(', '))
}

test('a session is known by our id and by the agent’s', async () => {
  ids.value = [4, 'agent-5', null, '', 4, 77]
  await using page = await openPage(Page, '/feed', {
    'GET /api/sessions/labels': [
      { id: 4, contentSessionId: 'agent-4', title: 'Tides' },
      { id: 5, contentSessionId: 'agent-5', title: 'Buoys' },
    ],
  })
  expect(page.requests.map(({ query }) => query.ids)).toEqual(['4,agent-5,77'])
  expect(page.text).toBe('Tides, Buoys, ?, ?, Tides, ?')
})

test('titles that are known stay while those of more sessions are fetched, and nothing is asked for without sessions', async () => {
  ids.value = [104]
  await using page = await openPage(Page, '/feed', {
    'GET /api/sessions/labels': ({ query }) => [
      { id: Number(query.ids?.split(',').at(-1)), contentSessionId: `c${query.ids}`, title: `T${query.ids}` },
    ],
  })
  ids.value = [104, 105]
  await page.settle()
  expect(page.text).toBe('T104, T104,105')
  const before = page.requests.length
  ids.value = [null]
  await page.settle()
  expect(page.requests.length).toBe(before)
})

test('an address has room for a part of many sessions only', async () => {
  ids.value = Array.from({ length: 500 }, (_, n) => 1000 + n)
  await using page = await openPage(Page, '/feed', { 'GET /api/sessions/labels': [] })
  expect(page.requests[0]?.query.ids?.length).toBeLessThan(1000)
})
