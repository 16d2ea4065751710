import { expect, test } from 'bun:test'
import { openPage } from '../../test/support/page/open-page.ts'
import { ForgottenPage } from './forgotten.tsx'

const DAY_MS = 86_400_000
const item = { kind: 'note', id: 'N7F3', title: 'Paint the buoy', project: 'host/tidepool', forgottenAt: Date.now() - 2 * DAY_MS } as const

test('a forgotten memory says when it was forgotten, until when it can be restored, and is restored with a click', async () => {
  let items = [{ ...item, restorableUntil: Date.UTC(2030, 4, 6, 12) }]
  await using page = await openPage(ForgottenPage, '/forgotten', {
    'GET /api/forgotten': () => items,
    'POST /api/restore': () => {
      items = []
      return { restored: [], unchanged: [] }
    },
  })
  expect(page.text).toContain('1 deletion')
  expect(page.text).toMatch(/tidepool · forgotten 2d · erased on .*2030/)
  await page.click('Restore Paint the buoy')
  expect(page.requestsTo('POST /api/restore').map(({ body }) => body)).toEqual([{ ids: ['N7F3'] }])
  expect(page.text).toContain('Nothing to restore.')
})

test('the list is limited to a project by the address, and back to all', async () => {
  await using page = await openPage(ForgottenPage, '/forgotten?project=host%2Ftidepool', { 'GET /api/forgotten': [item] })
  expect(page.requestsTo('GET /api/forgotten').at(-1)?.query.project).toBe('host/tidepool')
  await page.fill('Project', '')
  expect(page.address).toBe('/forgotten')
  expect(page.requestsTo('GET /api/forgotten').at(-1)?.query.project).toBeUndefined()
})

test('a memory without a title is called by its id, and a list that is cut off says so', async () => {
  await using page = await openPage(ForgottenPage, '/forgotten', {
    'GET /api/forgotten': Array.from({ length: 500 }, (_, n) => ({ ...item, id: `#${n}`, title: '' })),
  })
  expect(page.text).toContain('500 deletions or more')
  expect(page.hasControl('Restore #499')).toBe(true)
})
