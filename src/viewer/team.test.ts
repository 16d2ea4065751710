import { describe, expect, test } from 'bun:test'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import { TeamPage } from './team.tsx'
import { toast } from './user-actions.ts'

const project = {
  key: 'tides',
  project: 'host/tidepool',
  title: 'Tides',
  policy: 'notes' as const,
  may: 'write' as const,
  review: false,
  shared: 2,
  received: 0,
  authors: [],
}
const joined = {
  kind: 'joined' as const,
  url: 'https://hub',
  member: 'Ada',
  device: 'desk',
  projects: [project],
  waiting: 0,
  toReview: 0,
  proposed: 0,
  rejected: 0,
  conflicts: 0,
  problems: [],
  own: { kind: 'off' as const },
  lastContact: null,
  problem: null,
}
const worker = (given: object = {}, answers: WorkerAnswers = {}): WorkerAnswers => ({
  'GET /api/team': { ...joined, ...given },
  'POST /api/team/withdraw': {},
  'POST /api/team/review': {},
  'POST /api/team/resolve': {},
  ...answers,
})

describe('the team page', () => {
  test('explains how to join one', async () => {
    await using page = await openPage(TeamPage, '/team', { 'GET /api/team': { kind: 'none', url: '' } })
    expect(page.text).toContain('This machine has not joined a team.')
    expect(page.text).toContain('Nothing of yours is shared until you share a project.')
  })

  test('says what needs attention', async () => {
    await using well = await openPage(TeamPage, '/team', worker())
    expect([well.texts('.head .mark'), well.text.includes('Last contact\nnever')]).toEqual([['no problems'], true])
    await well[Symbol.asyncDispose]()
    for (const given of [
      { problem: 'the hub refuses the token' },
      { conflicts: 1 },
      { problems: [{ id: '1', title: 'Harbour', problem: 'it contains a secret' }] },
    ]) {
      await using page = await openPage(TeamPage, '/team', worker(given))
      expect(page.texts('.head .mark')).toEqual(['needs attention'])
    }
  })

  test('shows in each project what is shared and received, and what the person may do', async () => {
    const others = {
      ...project,
      key: 'old',
      may: null,
      policy: 'off' as const,
      shared: 0,
      received: 3,
      review: true,
      authors: [
        { name: 'Bob', memories: 2 },
        { name: 'Cy', memories: 1 },
      ],
    }
    await using page = await openPage(TeamPage, '/team', worker({ projects: [project, others], own: { kind: 'on', waiting: 4 } }))
    expect(page.text).toContain('you may write\nYou share 2 memories (notes); nothing came from others.')
    expect(page.text).toContain(
      'you have no access any more, a curator accepts what is shared\nYou share nothing here; from others: Bob 2, Cy 1.',
    )
    expect(page.text).toContain('Own machines\non, 4 to send')
    expect(page.hasControl('Withdraw… old')).toBe(false)
  })

  test('withdraws a project only after asking', async () => {
    await using page = await openPage(TeamPage, '/team', worker())
    await page.click('Withdraw… tides')
    expect(page.text).toContain('2 memories of yours will be deleted on the hub and on every laptop.')
    await page.click('Cancel')
    expect(page.requestsTo('POST /api/team/withdraw')).toEqual([])
    await page.click('Withdraw… tides')
    await page.click('Withdraw')
    expect(page.requestsTo('POST /api/team/withdraw').map(({ body }) => body)).toEqual([{ project: 'host/tidepool', dryRun: false }])
  })
})

describe('a curator', () => {
  const memory = { key: 'tides', id: 'm1', hash: 'h1', author: 'Bob', changedAt: 1, title: 'Harbour', text: 'Closes at dusk <b>sharp</b>' }

  test('decides about exactly the version that was shown', async () => {
    await using page = await openPage(TeamPage, '/team', worker({}, { 'GET /api/team/review': { memories: [memory] } }))
    expect(page.texts('.verbatim')).toEqual(['Closes at dusk <b>sharp</b>'])
    await page.click('Accept Harbour')
    await page.click('Reject Harbour')
    expect(page.requestsTo('POST /api/team/review').map(({ body }) => [body.id, body.hash, body.verdict])).toEqual([
      ['m1', 'h1', 'accepted'],
      ['m1', 'h1', 'rejected'],
    ])
  })
})

describe('a conflict', () => {
  const version = (author: string, text: string) => ({ key: 'tides', id: 'm1', hash: author, author, changedAt: 1, title: 'Harbour', text })
  const conflict = {
    key: 'tides',
    id: 'm1',
    title: 'Harbour',
    current: version('Bob', 'at ten'),
    kept: [version('Ada', 'at dusk')],
    isOwn: true,
  }

  test('shows both versions, and its author chooses', async () => {
    await using page = await openPage(TeamPage, '/team', worker({ conflicts: 1 }, { 'GET /api/team/conflicts': { conflicts: [conflict] } }))
    expect(page.texts('.conflict h3')).toEqual(['The team has, from Bob', 'Kept beside it, from Ada'])
    await page.click('Keep theirs')
    expect(toast.value?.text).toBe("Your note has the team's version.")
    expect(page.requestsTo('POST /api/team/resolve').map(({ body }) => body)).toEqual([{ key: 'tides', id: 'm1', choice: 'theirs' }])
  })

  test('of another person is only shown', async () => {
    await using page = await openPage(
      TeamPage,
      '/team',
      worker({}, { 'GET /api/team/conflicts': { conflicts: [{ ...conflict, isOwn: false }] } }),
    )
    expect([page.texts('.conflict b'), page.hasControl('Keep mine')]).toEqual([['Harbour'], false])
  })
})

describe('members and devices', () => {
  test('show their rights, and a hub that is away is an error there only', async () => {
    const members = [
      { id: '1', name: 'Ada', role: 'admin', grants: [{ project: 'tides', may: 'curate' }], disabledAt: null },
      { id: '2', name: 'Bob', role: 'member', grants: [], disabledAt: null },
      { id: '3', name: 'Cy', role: 'member', grants: [{ project: 'tides', may: 'read' }], disabledAt: 5 },
    ]
    await using page = await openPage(
      TeamPage,
      '/team',
      worker(
        {},
        {
          'GET /api/team/members': { members } as never,
          'GET /api/team/devices': () => Response.json({ error: 'the hub is away' }, { status: 400 }),
        },
      ),
    )
    expect(page.text).toContain('Ada admin\ncurate tides\nBob\nno rights in your projects\nCy\nhas no access any more')
    expect(page.texts('[role="alert"]')).toContain('the hub is away\nTry again')
  })

  test('a lost device is revoked, and the new phrase is shown once', async () => {
    const device = (id: string, revokedAt: number | null = null) => ({
      id,
      name: `laptop ${id}`,
      enrolledAt: 1,
      lastSeenAt: null,
      revokedAt,
    })
    await using page = await openPage(
      TeamPage,
      '/team',
      worker(
        {},
        {
          'GET /api/team/devices': { devices: [device('here'), device('lost'), device('gone', 5)], current: 'here' },
          'POST /api/team/devices/revoke': { phrase: 'tide moon buoy' },
        },
      ),
    )
    expect(page.text).toContain('laptop here this machine')
    expect(page.text).not.toContain('laptop gone')
    expect(page.hasControl('Revoke… laptop here')).toBe(false)
    await page.click('Revoke… laptop lost')
    await page.click('Revoke')
    expect(page.requestsTo('POST /api/team/devices/revoke').map(({ body }) => body)).toEqual([{ id: 'lost' }])
    expect(page.texts('dialog')[0]).toContain('tide moon buoy')
    await page.click('Close')
    expect(page.text).not.toContain('tide moon buoy')
  })
})
