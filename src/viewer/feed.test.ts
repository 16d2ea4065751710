import { describe, expect, test } from 'bun:test'
import { Fragment, h } from 'preact'
import { observation } from '../../test/support/builders.ts'
import { feedTurn } from '../../test/support/feed-turn.ts'
import { PageEvent } from '../../test/support/page/document.ts'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import type { FeedSession } from '../wire/contract/feed.ts'
import { FeedPage } from './feed.tsx'
import { ForgetDialog } from './forget.tsx'
import { dataVersion } from './live.ts'

const session = (given: Partial<FeedSession> = {}) => ({
  sessionId: 4,
  title: 'About tides',
  project: 'host/tidepool',
  agent: 'codex',
  host: null,
  branch: null,
  live: false,
  from: 0,
  to: 0,
  turns: [feedTurn(1)],
  earlierTurns: 0,
  ...given,
})
const days = (...sessions: FeedSession[]): WorkerAnswers => ({
  'GET /api/feed/days': { days: [{ day: '2026-02-16', sessions, notes: [] }], next: null, upTo: 50 },
  'GET /api/feed': { rows: [], total: 0, upTo: 50 },
})

const FeedWithDialog = () => h(Fragment, {}, h(FeedPage, {}), h(ForgetDialog, {}))

/** The feed remembers what it showed last, so each test has a project of its own. */
let projects = 0
const address = () => `/feed?project=p${++projects}`

describe('a turn of the feed', () => {
  test('shows what was asked, what came of it and which memories it led to', async () => {
    const memories = [
      { kind: 'observation' as const, id: '12', type: 'bugfix', title: '[undone by P7] Fixed `tide`' },
      { kind: 'note' as const, id: '01N', type: 'rules', title: 'Never on Fridays' },
      { kind: 'note' as const, id: '02N', type: 'context', title: 'Harbour' },
    ]
    const given = feedTurn(1, { request: 'Fix `tide()`', outcome: 'It is **fixed**.', isSettled: true, memories, moreMemories: 1200 })
    await using page = await openPage(FeedPage, address(), days(session({ turns: [given] })))
    expect(page.texts('.ask')).toEqual(['Fix tide()'])
    expect(page.texts('.out')).toEqual(['Settled: It is fixed.'])
    expect(page.texts('.memories li')).toEqual(['Fixed tide undone by P7', 'Rule: Never on Fridays', 'context: Harbour', 'and 1,200 more'])
    expect(page.control('Fix tide()').getAttribute('href')).toBe('/sessions/4?at=prompt%3A1')
  })

  test('that was undone or replaced is not called settled', async () => {
    const turns = [
      feedTurn(1, { outcome: 'Yes.', isSettled: true, undoneBy: 'P7' }),
      feedTurn(2, { outcome: 'No.', isSettled: true, replacedBy: 'P9' }),
    ]
    await using page = await openPage(FeedPage, address(), days(session({ turns })))
    expect(page.texts('.out')).toEqual(['undone by P7 Yes.', 'replaced by P9 No.'])
    expect(page.control('undone by P7').getAttribute('href')).toBe('/memory/P7')
  })

  test('of a machine is folded, and one without a prompt leads to its session', async () => {
    const turns = [feedTurn(1, { promptId: null, request: '' }), feedTurn(2, { origin: 'machine', request: 'A task ended' })]
    await using page = await openPage(FeedPage, address(), days(session({ turns, earlierTurns: 3 })))
    expect(page.texts('summary')).toEqual(['1 machine turn folded: A task ended'])
    expect(page.control('A turn without a prompt').getAttribute('href')).toBe('/sessions/4')
    expect(page.text).toContain('3 earlier turns of this session')
    expect(page.texts('h2.day')).toEqual([expect.stringContaining(' 1 session · 5 turns')])
  })

  test('is reached and forgotten with the keyboard', async () => {
    await using page = await openPage(FeedWithDialog, address(), days(session({ turns: [feedTurn(1), feedTurn(2)] })))
    const seen: (string | undefined)[] = []
    for (const key of ['j', 'j', 'j', 'k']) {
      await page.press(key)
      seen.push(page.document.activeElement?.dataset.turn)
    }
    expect(seen).toEqual(['1', '2', '2', '1'])
    await page.press('x')
    expect(page.texts('dialog h2')).toEqual(['Forget prompt P1?'])
    await page.click('Cancel')
    page.document.querySelector('[data-turn="1"]')?.focus()
    await page.press('Enter')
    expect(page.address).toBe('/sessions/4?at=prompt%3A1')
  })
})

describe('new memories', () => {
  const arrived = (id: number, project: string) => ({ observation: observation({ id, project: project as never }) })

  test('are announced and move nothing until the person asks for them', async () => {
    const path = address()
    const project = path.split('=')[1] ?? ''
    await using page = await openPage(FeedPage, path, days(session()))
    const fetched = () => page.requestsTo('GET /api/feed/days').length
    const before = fetched()
    await page.send('observation-added', arrived(1, project))
    await page.send('observation-added', arrived(2, project))
    await page.send('observation-added', arrived(3, 'another project'))
    expect([page.texts('.announce'), fetched()]).toEqual([['2 new'], before])
    await page.press('n')
    expect([page.texts('.announce'), fetched()]).toEqual([[''], before + 1])
  })

  test('that arrived while the connection was lost are counted by the worker', async () => {
    await using page = await openPage(FeedPage, address(), { ...days(session()), 'GET /api/feed': { rows: [], total: 7, upTo: 57 } })
    dataVersion.value++
    await page.settle()
    expect(page.texts('.announce')).toEqual(['7 new'])
    expect(page.requestsTo('GET /api/feed').at(-1)?.query).toMatchObject({ after: '50', limit: '0' })
  })

  test('that are asked for while older days are being fetched are not forgotten', async () => {
    const older = Promise.withResolvers<Response>()
    let title = 'Before'
    await using page = await openPage(FeedPage, address(), {
      'GET /api/feed': { rows: [], total: 0, upTo: 50 },
      'GET /api/feed/days': ({ query }) =>
        query.before ? older.promise : { days: [{ day: '2026-02-16', sessions: [session({ title })], notes: [] }], next: 9, upTo: 50 },
    })
    page.control('Show older days').click()
    await Bun.sleep(20)
    title = 'After'
    page.document.body.dispatchEvent(new PageEvent('keydown', { key: 'n' }))
    await Bun.sleep(20)
    older.resolve(Response.json({ days: [], next: null, upTo: 50 }))
    await page.settle()
    expect(page.texts('h3')).toEqual(['After'])
  })
})

describe('the feed', () => {
  test('continues with older days, and a failure leaves what was there', async () => {
    let isFull = false
    await using page = await openPage(FeedPage, address(), {
      'GET /api/feed/days': ({ query }) => {
        if (isFull) return Response.json({ error: 'the disk is full' }, { status: 500 })
        const day = query.before ? '2026-02-15' : '2026-02-16'
        return { days: [{ day, sessions: [session({ title: day })], notes: [] }], next: query.before ? 5 : 9, upTo: 50 }
      },
    })
    await page.click('Show older days')
    expect(page.texts('h3')).toEqual(['2026-02-16', '2026-02-15'])
    isFull = true
    await page.click('Show older days')
    expect(page.texts('h3')).toHaveLength(2)
    expect(page.texts('[role="alert"]')).toEqual(['the disk is full\nTry again'])
  })

  test('without memories says how to get some, and with filters how to get rid of them', async () => {
    const nothing: WorkerAnswers = { 'GET /api/feed/days': { days: [], next: null, upTo: 0 } }
    await using empty = await openPage(FeedPage, '/feed', nothing)
    expect(empty.text).toContain('Connect your agent with recollect init')
    await empty[Symbol.asyncDispose]()
    await using filtered = await openPage(FeedPage, '/feed?agent=codex', nothing)
    expect(filtered.text).toContain('No memories match these filters.')
  })

  test('lists notes that belong to no session, and what holds now beside it', async () => {
    const note = { kind: 'note' as const, id: '01N', type: 'context', title: 'Harbour', text: 'Closes at *dusk*.', project: 'app', at: 1 }
    await using page = await openPage(FeedPage, address(), {
      'GET /api/feed/days': { days: [{ day: '2026-02-16', sessions: [], notes: [note] }], next: null, upTo: 1 },
      'GET /api/notes': ({ query }) =>
        ({ notes: query.namespace === 'rules' ? [{ id: '09R', title: 'Never', said: ['a', 'b'] }] : [] }) as never,
    })
    expect(page.text).toContain('Harbour\nCloses at dusk.\ncontextapp')
    expect(page.texts('h2.day')).toEqual([expect.stringContaining(' 1 note')])
    expect(page.texts('aside h3')).toEqual(['Standing rulesall Standing rules'])
    expect(page.text).toContain('said 2 times')
  })
})

describe('the list of all memories', () => {
  const row = {
    kind: 'observation' as const,
    id: '12',
    type: 'bugfix',
    title: 'Fixed tides',
    snippet: 'in the clock',
    project: 'app',
    sessionId: 1,
    at: 1,
    tokens: 3,
  }

  test('is filtered by type, and by kinds with prompts only when they are wanted', async () => {
    await using page = await openPage(FeedPage, '/feed?view=list', { 'GET /api/feed': { rows: [row], total: 1, upTo: 5 } })
    const last = () => page.requestsTo('GET /api/feed').at(-1)?.query
    expect([page.texts('.row b'), page.text.includes('1 memory')]).toEqual([['Fixed tides'], true])
    expect(last()?.kinds).toBe('observation,summary,note')
    await page.click('bugfix')
    await page.click('decision')
    expect(page.address).toBe('/feed?view=list&types=bugfix%2Cdecision')
    await page.click('bugfix')
    await page.click('prompts')
    expect(
      page.requestsTo('GET /api/feed').some(({ query }) => query.types === 'decision' && query.kinds === 'observation,summary,note,prompt'),
    ).toBe(true)
  })
})
