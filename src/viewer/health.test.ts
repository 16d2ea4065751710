import { describe, expect, test } from 'bun:test'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import type { WorkerStatus } from '../wire/contract/status.ts'
import { HealthPage } from './health.tsx'
import { toast } from './user-actions.ts'

const status = {
  version: '0.1.0',
  pid: 7,
  port: 4000,
  wantedPort: 4000,
  startedAt: 0,
  memoryBytes: 1024 ** 2,
  sessions: { live: 0 },
  lastEventAt: null,
  unstoredEvents: 0,
  jobs: { waiting: 0, running: 0, dead: 0 },
  spooled: 0,
  deadJobs: [],
  databaseBytes: 2048,
  databaseParts: [],
  notes: { all: 3, hidden: 1, problems: [] },
  home: '/home/you/.recollect',
  problems: [],
  embedder: { name: null, provider: 'none', embedded: 1200, waiting: 0, problem: null },
  textModel: { absent: 'none: rules only' },
} as unknown as WorkerStatus
const worker = (given: object = {}, answers: WorkerAnswers = {}): WorkerAnswers => ({
  'GET /api/status': { ...status, ...given } as never,
  'POST /api/jobs/retry': {},
  'POST /api/sync': {},
  'POST /api/sync/resolve': {},
  ...answers,
})

describe('the health page', () => {
  test('finds no problems where there are none', async () => {
    await using page = await openPage(HealthPage, '/worker', worker())
    expect(page.texts('.head .mark')).toEqual(['no problems'])
    expect(page.text).toContain('Port\n4000')
    expect(page.text).toContain('No failed jobs.')
    expect(page.text).toContain('Last event\nnone yet')
    expect(page.text).toContain('Text model\nnone: rules only')
    expect(page.text).toContain('Notes\n3 (1 hidden)')
  })

  test('calls for attention for each kind of problem, and says what it is', async () => {
    for (const [given, said] of [
      [{ unstoredEvents: 2 }, '2 events could not be stored.'],
      [{ problems: ['retention.days is not a number'] }, 'retention.days is not a number'],
      [{ notes: { ...status.notes, problems: [{ path: 'a.md', problem: 'no id' }] } }, 'a.md: no id'],
      [{ jobs: { ...status.jobs, dead: 1 }, deadJobs: [{ id: 1, kind: 'distill', key: 'k', error: '', attempts: 1 }] }, 'tried 1 time'],
    ] as const) {
      await using page = await openPage(HealthPage, '/worker', worker(given))
      expect(page.texts('.head .mark')).toEqual(['needs attention'])
      expect(page.text).toContain(said)
    }
  })

  test('says why there is no search by meaning', async () => {
    await using page = await openPage(HealthPage, '/worker', worker({ embedder: { ...status.embedder, problem: 'the endpoint is away' } }))
    expect(page.texts('.notice-box')).toEqual(['the endpoint is away'])
  })

  test('says when another program has the port', async () => {
    await using page = await openPage(HealthPage, '/worker', worker({ port: 4001 }))
    expect(page.text).toContain('4001 (another program uses 4000)')
  })

  test('retries one failed job, or all', async () => {
    const deadJobs = [3, 4].map((id) => ({ id, kind: `job ${id}`, key: '', error: 'no answer', attempts: 5 }))
    await using page = await openPage(HealthPage, '/worker', worker({ deadJobs }))
    await page.click('Retry job 4')
    await page.click('Retry all')
    expect(page.requestsTo('POST /api/jobs/retry').map(({ body }) => body)).toEqual([{ id: 4 }, {}])
  })

  test('adds up tokens and cost, and says what has no price', async () => {
    const row = { calls: 3, input: 1000, output: 200, usd: 0.25, unpriced: 0 }
    await using page = await openPage(
      HealthPage,
      '/worker',
      worker(
        {},
        {
          'GET /api/economy': {
            freeBytes: 3072,
            shown: [
              { event: 'SessionStart', tokens: 1500, count: 2 },
              { event: 'x', tokens: 500, count: 1 },
            ],
            observations: { count: 5, tokens: 90 },
            toolUseBytes: 8000,
          },
          'GET /api/cost': { rows: [row, row] } as never,
        },
      ),
    )
    expect(page.text).toContain('Injected in 30 days\n2,000 tokens')
    expect(page.text).toContain('· at SessionStart\n1,500 in 2 injections')
    expect(page.text).toContain('Stored tool uses\nabout 2,000 tokens of text')
    expect(page.text).toContain('Calls in 30 days\n6\nTokens in\n2,000')
    expect(page.text).toContain('$0.50')
    expect(page.text).toContain('Free\n3.0 KB')
  })
})

describe('sync', () => {
  const sync = { remote: 'git@host:notes', ahead: 1, behind: 2, waiting: 3, conflicted: [], last: null }

  test('shows what waits, and why a line is not sent', async () => {
    const last = { at: 1, outcome: 'failed', reason: 'no network', withheld: [{ path: 'a.md', line: 4 }] }
    await using page = await openPage(HealthPage, '/worker', worker({}, { 'GET /api/sync': { ...sync, last } as never }))
    expect(page.text).toContain('To send\n4\nTo merge\n2')
    expect(page.text).toContain('Result\nno network')
    expect(page.text).toContain('a.md:4 is not synced, because this line contains a secret or private text.')
    await page.click('Sync now')
    expect(toast.value?.text).toBe('Synced.')
  })

  test('offers both versions of a note that two machines changed', async () => {
    const conflicted = [{ id: 'other', of: 'own', title: 'Harbour', machine: 'laptop' }]
    await using page = await openPage(
      HealthPage,
      '/worker',
      worker(
        {},
        {
          'GET /api/sync': { ...sync, conflicted } as never,
          'GET /api/notes/:id': ({ path }) => ({ body: path.endsWith('own') ? 'at dusk' : 'at ten', machine: 'desk' }),
        },
      ),
    )
    expect(page.texts('.conflict pre')).toEqual(['at dusk', 'at ten'])
    expect(page.texts('.conflict h3')).toEqual(['Current version, from desk', 'Other version, from laptop'])
    await page.click('Keep theirs')
    expect(page.requestsTo('POST /api/sync/resolve').map(({ body }) => body)).toEqual([{ id: 'other', choice: 'theirs' }])
  })
})
