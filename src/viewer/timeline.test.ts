import { afterEach, describe, expect, test } from 'bun:test'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import type { ProjectSummary } from '../wire/contract/projects.ts'
import { projects } from './project-list.ts'
import { TimelinePage } from './timeline.tsx'

const DAY_MS = 86_400_000
/** A day of May 2024, where the person is. */
const startOfDay = (date: number) => Date.UTC(2024, 4, date) + new Date().getTimezoneOffset() * 60_000
const active = (...days: string[]): WorkerAnswers => ({
  'GET /api/activity': days.map((day) => ({ day, project: 'host/tidepool', kind: 'observation' as const, count: 2 })),
  'GET /api/feed': {
    rows: [{ kind: 'observation', id: '12', type: 'bugfix', title: 'Fixed tides', snippet: '', project: 'host/tidepool', at: 1 }],
    total: 3,
  },
})
const project = (name: string, lastAt: number | null) => ({ project: `host/${name}`, name, lastAt }) as unknown as ProjectSummary

afterEach(() => {
  projects.value = []
})

describe('the timeline', () => {
  test('ends with the newest memory, which may be long ago, and shows the memories of its last active day', async () => {
    projects.value = [project('tidepool', Date.UTC(2024, 4, 20, 12)), project('older', Date.UTC(2023, 0, 1))]
    await using page = await openPage(TimelinePage, '/timeline', active('2024-05-18', '2024-05-01'))
    expect(page.requestsTo('GET /api/activity')[0]?.query).toMatchObject({
      since: String(startOfDay(20) - 83 * DAY_MS),
      before: String(startOfDay(21)),
    })
    expect(page.requestsTo('GET /api/feed')[0]?.query).toMatchObject({
      since: String(startOfDay(18)),
      before: String(startOfDay(19)),
    })
    expect(page.text).toContain('18 May 2024 3 memories')
    expect(page.text).toContain('Only the newest 1 are shown.')
    expect(page.texts('.calendar a.cell')).toEqual(['tidepool, 2024-05-01: 2', 'tidepool, 2024-05-18: 2'])
  })

  test('moves by half its length with the arrow keys, and not beyond today', async () => {
    await using page = await openPage(TimelinePage, '/timeline?end=2024-05-20&from=2024-05-18', active('2024-05-18'))
    await page.press('ArrowLeft')
    expect(page.address).toBe('/timeline?end=2024-04-08')
    await page.press('ArrowRight')
    expect(page.address).toBe('/timeline?end=2024-05-20')
    const today = new Date().toISOString().slice(0, 10)
    await page.go(`/timeline?end=${today}`)
    expect(page.control('Later').disabled).toBe(true)
    await page.press('ArrowRight')
    expect(page.address).toBe(`/timeline?end=${today}`)
  })

  test('shows a chosen week from its first to its last day', async () => {
    await using page = await openPage(TimelinePage, '/timeline?by=week&end=2024-05-20', active('2024-05-18'))
    expect(page.requestsTo('GET /api/feed')[0]?.query).toMatchObject({ since: String(startOfDay(14)) })
    await page.click('tidepool, 2024-05-14: 2')
    expect(page.address).toBe('/timeline?by=week&end=2024-05-20&project=host%2Ftidepool&from=2024-05-14&to=2024-05-20')
    expect(page.requestsTo('GET /api/feed').at(-1)?.query).toMatchObject({
      since: String(startOfDay(14)),
      before: String(startOfDay(21)),
    })
    expect(page.texts('.calendar a.on')).toEqual(['tidepool, 2024-05-14: 2'])
    await page.click('Days')
    expect(page.address).toBe('/timeline?end=2024-05-20&project=host%2Ftidepool')
  })

  test('says that a period is empty, or that there is nothing at all yet', async () => {
    await using empty = await openPage(TimelinePage, '/timeline?end=2024-05-20', active())
    expect(empty.text).toContain('No memories yet.')
    projects.value = [project('tidepool', 1)]
    await empty.settle()
    await empty.click('Show an earlier period')
    expect(empty.address).toBe('/timeline?end=2024-04-08')
  })

  test('opens with the newest memories when the days in its address are none', async () => {
    projects.value = [project('tidepool', Date.UTC(2024, 4, 20, 12))]
    await using page = await openPage(TimelinePage, '/timeline?end=someday&from=2024-99-99&to=%3Cscript%3E', active('2024-05-18'))
    expect(page.text).toContain('18 May 2024 3 memories')
  })
})
