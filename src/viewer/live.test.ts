import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import { PageEvent } from '../../test/support/page/document.ts'
import { type OpenedPage, openPage } from '../../test/support/page/open-page.ts'
import type { LiveEvent } from '../wire/live-events.ts'
import { connectionState, dataVersion, onLiveEvent } from './live.ts'

const Nothing = () => null
const unsubscribers: (() => void)[] = []
afterEach(() => unsubscribers.splice(0).forEach((stop) => void stop()))

function received(): LiveEvent[] {
  const events: LiveEvent[] = []
  unsubscribers.push(onLiveEvent((event) => void events.push(event)))
  return events
}

/** The browser has a network again, so the page does not wait for its next attempt. */
async function comeOnline(page: OpenedPage): Promise<void> {
  dispatchEvent(new PageEvent('online') as never)
  await page.settle()
}

describe('live events', () => {
  test('reach every listener until it stops listening', async () => {
    await using page = await openPage(Nothing, '/feed')
    const events = received()
    await page.send('session-completed', { sessionId: 4 })
    expect(events.map(({ type, change }) => [type, change])).toEqual([
      ['session-completed', { kind: 'session-completed', sessionId: 4 }] as never,
    ])
    unsubscribers.splice(0).forEach((stop) => void stop())
    await page.send('projects-changed')
    expect(events).toHaveLength(1)
  })

  test('that the worker no longer has make everything on the screen be fetched again', async () => {
    await using page = await openPage(Nothing, '/feed')
    const [events, before] = [received(), dataVersion.value]
    await page.send('reset')
    expect([dataVersion.value, events.length]).toEqual([before + 1, 0])
  })
})

describe('a lost connection', () => {
  test('is announced, and everything is fetched again when it is back', async () => {
    await using page = await openPage(Nothing, '/feed')
    const before = dataVersion.value
    expect(connectionState.value).toBe('live')
    await page.disconnect()
    expect([connectionState.value, dataVersion.value]).toEqual(['lost', before])
    await comeOnline(page)
    expect([connectionState.value as string, dataVersion.value]).toEqual(['live', before + 1])
  })

  test('is resumed after the last event that arrived', async () => {
    const resumedAfter: (string | null)[] = []
    await using page = await openPage(Nothing, '/feed')
    await page.send('projects-changed')
    const own = globalThis.fetch
    Object.assign(globalThis, {
      fetch: (address: string, init: RequestInit) => {
        resumedAfter.push(new Headers(init.headers).get('last-event-id'))
        return own(address, init)
      },
    })
    await page.disconnect()
    await comeOnline(page)
    expect(resumedAfter).toEqual([expect.stringMatching(/^test-\d+$/)])
  })

  test('is tried again after longer and longer pauses while the worker is away', async () => {
    await using page = await openPage(Nothing, '/feed')
    const pauses = spyOn(globalThis, 'setTimeout')
    try {
      Object.assign(globalThis, { fetch: () => Promise.reject(new TypeError('Failed to fetch')) })
      await page.disconnect()
      for (let n = 0; n < 5; n++) await comeOnline(page)
      expect(pauses.mock.calls.map(([, ms]) => ms ?? 0).filter((ms) => ms >= 100)).toEqual([500, 1000, 2000, 4000, 8000, 10_000])
    } finally {
      pauses.mockRestore()
    }
  })
})

describe('a page that cannot connect', () => {
  test('says so, also when it never was connected', async () => {
    await using page = await openPage(Nothing, '/feed', { 'GET /stream': () => Promise.reject(new TypeError('Failed to fetch')) })
    expect(connectionState.value).toBe('lost')
    expect(page.requests.every(({ path }) => path === '/stream')).toBe(true)
  })

  test('because its cookie is not valid any more is signed out', async () => {
    await using _page = await openPage(Nothing, '/feed', { 'GET /stream': () => new Response('', { status: 401 }) })
    expect(connectionState.value).toBe('signed-out')
  })

  test('because the worker is busy has lost it', async () => {
    await using _page = await openPage(Nothing, '/feed', { 'GET /stream': () => new Response('', { status: 503 }) })
    expect(connectionState.value).toBe('lost')
  })
})

test('after sleep, a connection that was silent for too long is opened again', async () => {
  await using page = await openPage(Nothing, '/feed')
  const before = dataVersion.value
  const now = spyOn(Date, 'now').mockReturnValue(Date.now() + 151_000)
  page.document.dispatchEvent(new PageEvent('visibilitychange'))
  now.mockRestore()
  await page.settle()
  expect(connectionState.value).toBe('lost')
  page.document.dispatchEvent(new PageEvent('visibilitychange'))
  await page.settle()
  expect([connectionState.value as string, dataVersion.value]).toEqual(['live', before + 1])
})
