import { afterEach, describe, expect, test } from 'bun:test'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import type { ProjectSummary } from '../wire/contract/projects.ts'
import { InjectionsPage } from './injections.tsx'
import { projects } from './project-list.ts'

const injection = (id: number, given: object = {}) => ({
  id,
  sessionId: 4,
  project: 'app',
  event: 'SessionStart',
  text: 'one\ntwo',
  tokens: 9,
  at: 1,
  omitted: [],
  items: [],
  ...given,
})
const items = [
  { kind: 'line' as const, id: 'files', why: 'always', tokens: 2 },
  { kind: 'observation' as const, id: 12, why: 'recent', tokens: 3 },
  { kind: 'note' as const, id: '01N', why: 'pinned', tokens: 4 },
]
const worker = (...all: object[]): WorkerAnswers => ({ 'GET /api/injections': all as never })

afterEach(() => {
  projects.value = []
})

describe('an injection', () => {
  test('shows its text, which of its lines came up again, and why each part was there', async () => {
    await using page = await openPage(InjectionsPage, '/injections', {
      ...worker(injection(8, { items, omitted: [{ kind: 'prompt', id: 7, why: 'too long' }] })),
      'GET /api/injections/:id/usage': {
        lines: [
          { text: 'one', isUsed: true },
          { text: 'two', isUsed: false },
        ],
        counted: 2,
        used: 1,
        doubt: null,
      },
      'POST /api/memories/batch': [
        { id: '#12', kind: 'observation', memory: { title: 'Clock fixed' } },
        { id: 'N01N', kind: 'note', memory: null },
      ] as never,
    })
    expect(page.texts('.shown-text .used')).toEqual(['one (used later)'])
    expect(page.text).toContain('1 of 2 lines used later')
    expect(page.texts('tbody tr').map((row) => row.split('\n'))).toEqual([
      ['files', 'always', '2'],
      ['Clock fixed', 'recent', '3'],
      [expect.stringContaining('(deleted)'), 'pinned', '4'],
    ])
    expect(page.texts('tfoot td')).toEqual(['9'])
    expect(page.text).toContain('Left out: 1')
    expect(page.requestsTo('POST /api/memories/batch').flatMap(({ body }) => body.ids)).toEqual(['#12', 'N01N', 'P7'])
  })

  test('is chosen from the list with j and k, within its session', async () => {
    await using page = await openPage(
      InjectionsPage,
      '/injections?session=4',
      worker(injection(8), injection(6, { event: 'UserPromptSubmit' })),
    )
    expect(page.requestsTo('GET /api/injections')[0]?.query.session).toBe('4')
    await page.press('j')
    expect([page.address, page.texts('h2')[0]]).toEqual(['/injections/6?session=4', 'With a prompt'])
    await page.press('j')
    await page.press('k')
    expect(page.address).toBe('/injections/8?session=4')
  })

  test('that is new appears when a prompt arrives', async () => {
    let all = [injection(8)]
    await using page = await openPage(InjectionsPage, '/injections', { 'GET /api/injections': () => all as never })
    all = [injection(9), injection(8)]
    await page.send('tool-use-added', { sessionId: 4 })
    expect(page.texts('.pick')).toHaveLength(1)
    await page.send('prompt-added', { prompt: {}, project: 'app' })
    expect(page.texts('.pick')).toHaveLength(2)
  })

  test('has not happened yet', async () => {
    await using page = await openPage(InjectionsPage, '/injections', worker())
    expect(page.text).toContain('Nothing has been shown to a model yet.')
  })
})

describe('the next brief', () => {
  test('is previewed for a project and a budget, and the last one stays while another is made', async () => {
    projects.value = [{ project: 'host/tidepool', name: 'tidepool', sessions: 1 } as unknown as ProjectSummary]
    const slow = Promise.withResolvers<Response>()
    await using page = await openPage(InjectionsPage, '/injections/next', {
      'GET /api/context/inject': ({ query }) =>
        query.tokens === '500' ? slow.promise : ({ text: 'The brief', tokens: 40, items: [], omitted: [] } as never),
    })
    expect(page.requestsTo('GET /api/context/inject')[0]?.query).toMatchObject({ project: 'host/tidepool', tokens: '2000' })
    expect(page.text).toContain('40 of 2000 tokens')
    void page.typeInto('Budget', '500')
    await Bun.sleep(30)
    expect([page.address, page.texts('.verbatim')]).toEqual(['/injections/next?project=host%2Ftidepool&tokens=500', ['The brief']])
    slow.resolve(Response.json({ text: '', tokens: 0, items: [], omitted: [] }))
    await page.settle()
    expect(page.text).toContain('The brief would be empty.')
  })

  test('needs a project', async () => {
    await using page = await openPage(InjectionsPage, '/injections/next', {})
    expect(page.text).toContain('No projects yet.')
  })
})
