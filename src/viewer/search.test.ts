import { describe, expect, test } from 'bun:test'
import { searchHit } from '../../test/support/builders.ts'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import type { SearchHit } from '../wire/contract/memories.ts'
import { SearchPage } from './search.tsx'

const found = (...hits: Partial<SearchHit>[]): WorkerAnswers => ({
  'GET /api/search': { hits: hits.map((hit, n) => searchHit({ id: String(n + 1), title: `Hit ${n + 1}`, ...hit })) },
})
const outdated = { state: 'changed' as const, text: 'changed since', isHistory: false, gone: [] }

describe('a search', () => {
  test('starts when the person pauses typing, and its query is in the address', async () => {
    await using page = await openPage(SearchPage, '/search', found({ title: 'Tides' }))
    expect(page.text).toContain('Search in your own words.')
    await page.fill('Search memories', 'tide & moon')
    expect(page.requestsTo('GET /api/search')).toEqual([])
    await page.until(() => page.text.includes('Tides'))
    expect(page.address).toBe('/search?q=tide+%26+moon')
    expect(page.requestsTo('GET /api/search').map(({ query }) => query.query)).toEqual(['tide & moon'])
    expect(page.text).not.toContain('Search in your own words.')
  })

  test('is narrowed by the filters of the address, and values that are none are left out', async () => {
    await using page = await openPage(SearchPage, '/search?q=tide&kind=note&project=app&since=7&agent=codex', found())
    const [request] = page.requestsTo('GET /api/search')
    expect(request?.query).toMatchObject({ kind: 'note', project: 'app', agent: 'codex' })
    const hoursBack = (Date.now() - Number(request?.query.since)) / 3_600_000
    expect(hoursBack).toBeGreaterThanOrEqual(7 * 24)
    expect(hoursBack).toBeLessThan(7 * 24 + 1)
    expect(page.text).toContain('Try fewer or different words, or fewer filters.')
    await page.go('/search?q=tide&kind=nonsense&agent=nobody')
    const last = page.requestsTo('GET /api/search').at(-1)?.query
    expect([last?.kind, last?.agent, last?.since]).toEqual([undefined, undefined, undefined])
  })

  test('says how the worker understood the query', async () => {
    await using page = await openPage(SearchPage, '/search?q=x', {
      'GET /api/search': {
        hits: [searchHit({ title: 'One' })],
        understood: [{ word: 'tidepool', meaning: 'a project' }],
        message: 'nothing is close',
        problems: [{ word: 'since:x', message: 'not a time' }],
      },
    })
    expect(page.texts('.notice')).toEqual(['1 hit · “tidepool” is a project · nothing is close · since:x: not a time'])
  })

  test('leaves the last hits on the screen until the next ones arrive, and none without a query', async () => {
    const slow = Promise.withResolvers<Response>()
    await using page = await openPage(SearchPage, '/search?q=tide', {
      'GET /api/search': ({ query }) => (query.query === 'moon' ? slow.promise : { hits: [searchHit({ title: 'Tides' })] }),
    })
    void page.go('/search?q=moon')
    await Bun.sleep(20)
    expect(page.texts('.hit b')).toEqual(['Tides'])
    slow.resolve(Response.json({ hits: [searchHit({ title: 'Moons' })] }))
    await page.settle()
    expect(page.texts('.hit b')).toEqual(['Moons'])
    await page.go('/search')
    expect(page.texts('.hit b')).toEqual([])
  })

  test('that fails can be tried again', async () => {
    let isAway = true
    await using page = await openPage(SearchPage, '/search?q=tide', {
      'GET /api/search': () =>
        isAway ? Response.json({ error: 'the index is being built' }, { status: 503 }) : { hits: [searchHit({ title: 'Tides' })] },
    })
    expect(page.texts('[role="alert"]')).toEqual(['the index is being built\nTry again'])
    isAway = false
    await page.click('Try again')
    expect(page.text).toContain('Tides')
    expect(page.texts('[role="alert"]')).toEqual([])
  })
})

describe('a hit', () => {
  test('shows its words highlighted, why it was found, and its marks; a hostile text stays text', async () => {
    const hostile = '<img src=x onerror=alert(1)> tide'
    await using page = await openPage(
      SearchPage,
      '/search?q=tide',
      found({
        title: '[undone by P7] Late tides',
        snippet: hostile,
        matched: 1,
        signals: { words: 1 },
        code: outdated,
        outcome: { id: 'P9', of: 'newer work', text: 'Now *quietly*', replaced: null },
      }),
    )
    expect(page.texts('mark')).toEqual(['tides', 'tide'])
    expect(page.texts('.hit .mark')).toEqual(['undone by P7', 'changed since', 'replaced by P9'])
    expect(page.texts('.hit .snippet')).toEqual([hostile])
    expect(page.document.querySelectorAll('img')).toEqual([])
    expect(page.text).toContain('Matches tide.')
    expect(page.texts('.ended')).toEqual(['Now holds: Now quietly P9'])
  })

  test('is shown under its session; a note or a commit stands alone', async () => {
    await using page = await openPage(SearchPage, '/search?q=x', {
      ...found({ sessionId: 4 }, { kind: 'note', sessionId: null }, { kind: 'commit', sessionId: null }, { sessionId: 5 }),
      'GET /api/sessions/labels': [{ id: 4, contentSessionId: 'c4', title: 'About tides', agent: 'codex', branch: 'main', lastEventAt: 1 }],
    })
    expect(page.texts('.hits h2')).toEqual(['About tides', 'A note', 'From the git history', 'Session 5'])
    expect(page.texts('.hits header .mark').slice(0, 3)).toEqual(['p', 'Codex', 'main'])
  })

  test('is reached with the keyboard in the order on the screen, also when a session comes up twice', async () => {
    await using page = await openPage(SearchPage, '/search?q=x', found({ sessionId: 1 }, { sessionId: 2 }, { sessionId: 1 }))
    expect(page.texts('.hit b')).toEqual(['Hit 1', 'Hit 3', 'Hit 2'])
    const seen: (string | undefined)[] = []
    page.document.activeElement?.blur()
    for (const key of ['j', 'j', 'ArrowDown', 'k', 'k', 'k']) {
      await page.press(key)
      seen.push(page.document.activeElement?.textContent.slice(0, 5))
    }
    expect(seen).toEqual(['Hit 1', 'Hit 3', 'Hit 2', 'Hit 3', 'Hit 1', 'Hit 1'])
  })

  test('is reached from the search field with Enter, and / leads back to the field', async () => {
    await using page = await openPage(SearchPage, '/search?q=x', found({}, {}))
    page.field('Search memories').focus()
    await page.press('Enter')
    expect(page.document.activeElement?.getAttribute('href')).toBe('/memory/P1')
    await page.press('/')
    expect(page.document.activeElement).toBe(page.field('Search memories'))
  })
})

describe('the hits', () => {
  const thirty = Array.from({ length: 30 }, (_, n) => ({ code: n === 3 ? outdated : null }))

  test('are the best thirty until more are wanted', async () => {
    await using page = await openPage(SearchPage, '/search?q=x', found(...thirty))
    expect(page.text).toContain('30 hits or more')
    await page.click('Show more')
    expect(page.requestsTo('GET /api/search').at(-1)?.query.limit).toBe('200')
    expect(page.hasControl('Show more')).toBe(false)
  })

  test('can be limited to those about outdated code, of which there may be more further down', async () => {
    await using page = await openPage(SearchPage, '/search?q=x&code=outdated', found(...thirty))
    expect(page.texts('.hit b')).toEqual(['Hit 4'])
    expect(page.text).toContain('1 hit or more')
    expect(page.hasControl('Show more')).toBe(true)
    await page.fill('Code', 'current')
    expect(page.texts('.hit b')).toHaveLength(29)
  })

  test('are counted by type and project, each a way to narrow the search', async () => {
    const of = (type: string, project: string) => ({ kind: 'observation' as const, type, project: project as SearchHit['project'] })
    await using page = await openPage(
      SearchPage,
      '/search?q=tide',
      found(of('bugfix', 'a'), of('bugfix', 'b'), of('change', 'b'), { project: 'b' as SearchHit['project'] }),
    )
    expect(page.texts('aside li')).toEqual(['bugfix 2', 'change 1', 'b 3', 'a 1'])
    expect(page.control('bugfix 2').getAttribute('href')).toBe('/search?q=tide+type%3Abugfix')
    await page.click('b 3')
    expect(page.address).toBe('/search?q=tide&project=b')
  })
})

test('everything that matches can be forgotten only with filters that forgetting knows too', async () => {
  await using page = await openPage(SearchPage, '/search?q=tide&project=app', found({}))
  expect(page.hasControl('Forget matches…')).toBe(true)
  for (const filter of ['kind=note', 'agent=codex', 'code=outdated']) {
    await page.go(`/search?q=tide&${filter}`)
    expect([filter, page.hasControl('Forget matches…')]).toEqual([filter, false])
  }
})
