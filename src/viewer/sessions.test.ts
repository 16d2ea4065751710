import { describe, expect, test } from 'bun:test'
import { observation, storedPrompt, summary } from '../../test/support/builders.ts'
import { openPage, type WorkerAnswers } from '../../test/support/page/open-page.ts'
import type { SessionContents } from '../wire/contract/sessions.ts'
import { SessionsPage } from './sessions.tsx'
import { toast, undoLastAction } from './user-actions.ts'

const session = {
  id: 4,
  contentSessionId: 'agent-4',
  title: 'About tides',
  project: 'host/tidepool',
  agent: 'codex',
  host: null,
  branch: 'main',
  startedAt: 0,
  lastEventAt: 60_000,
}
const use = { id: 7, tool: 'Bash', input: '{"command":"bun te', output: 'cut', error: null, at: 1500, clipped: true }
const contents = (given: Partial<SessionContents> = {}): SessionContents =>
  ({
    session,
    outcome: null,
    prompts: [storedPrompt({ id: 9, text: 'Fix the tide clock\nplease', answer: 'Done.', at: 1000, answeredAt: 3000 })],
    toolUses: [use],
    observations: [observation({ id: 3, title: 'Clock fixed', narrative: 'By *one* hour.', facts: ['Brest'], at: 2000 })],
    summaries: [],
    injections: [],
    ...given,
  }) as unknown as SessionContents
const worker = (given: Partial<SessionContents> = {}): WorkerAnswers => ({
  'GET /api/sessions/:id': contents(given) as never,
  'PATCH /api/sessions/:id': {},
})
const selected = (page: { texts(selector: string): string[] }) => page.texts('.detail')[0]?.split('\n')[0]

describe('the replay of a session', () => {
  test('goes through its events in the order in which they happened, with the keyboard too', async () => {
    await using page = await openPage(SessionsPage, '/sessions/4', worker())
    expect(page.texts('.event .what')).toEqual(['Fix the tide clock', 'Bash bun te', 'Clock fixed', 'Done.'])
    const seen = [selected(page)]
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) {
      await page.press(key)
      seen.push(selected(page))
    }
    expect(seen).toEqual(['Prompt', 'Bash', 'Clock fixed', 'Answer', 'Answer', 'Clock fixed'])
    expect(page.address).toBe('/sessions/4?at=observation%3A3')
  })

  test('starts at the event in the address, also when only the turn is known', async () => {
    await using page = await openPage(SessionsPage, '/sessions/4?at=answer%3A9', worker())
    expect(selected(page)).toBe('Answer')
    await page.go('/sessions/4?at=turn%3A1')
    expect(selected(page)).toBe('Prompt')
    await page.go('/sessions/4?at=nonsense')
    expect(selected(page)).toBe('Prompt')
  })

  test('plays until its last event', async () => {
    await using page = await openPage(SessionsPage, '/sessions/4?at=observation%3A3', worker())
    await page.click('Play')
    expect(page.hasControl('Pause')).toBe(true)
    await page.until(() => page.address.endsWith('answer%3A9'))
    await page.until(() => page.hasControl('Play'))
  })

  test('shows the beginning of a long output, and all of it when asked', async () => {
    await using page = await openPage(SessionsPage, '/sessions/4?at=use%3A7', {
      ...worker(),
      'GET /api/tool-uses/:id': { ...use, input: '{"command":"bun test"}', output: 'all\\nof it' },
    })
    expect(page.text).toContain('Output\ncut')
    await page.click('Show all')
    expect(page.text).toContain('"command": "bun test"')
    expect(page.hasControl('Show all')).toBe(false)
  })

  test('adds what happens while it is open, and the selected event stays selected', async () => {
    let given = contents()
    await using page = await openPage(SessionsPage, '/sessions/4?at=observation%3A3', { 'GET /api/sessions/:id': () => given as never })
    given = contents({ summaries: [summary({ id: 5, request: 'Tides', at: 9000 })] })
    await page.send('tool-use-added', { sessionId: 99 })
    await Bun.sleep(400)
    expect(page.requestsTo('GET /api/sessions/:id')).toHaveLength(1)
    await page.send('summary-added', { summary: summary({ sessionId: 4 }) })
    await page.until(() => page.texts('.event .what').includes('Tides'))
    expect(selected(page)).toBe('Clock fixed')
    expect(page.requestsTo('GET /api/sessions/:id')).toHaveLength(2)
  })

  test('shows every field of a summary, and an injected text as it was', async () => {
    const fields = { request: 'r1', investigated: 'i1', learned: 'l1', completed: 'c1', nextSteps: 'n1', notes: 'o1' }
    const injection = { id: 2, event: 'SessionStart', items: [], tokens: 40, at: 9500, text: '# *Brief*' } as never
    await using page = await openPage(
      SessionsPage,
      '/sessions/4?at=summary%3A5',
      worker({ summaries: [summary({ id: 5, ...fields })], injections: [injection] }),
    )
    expect(page.texts('.detail .prose')).toEqual(Object.values(fields))
    await page.go('/sessions/4?at=injection%3A2')
    expect(page.texts('.detail .verbatim')).toEqual(['# *Brief*'])
    expect(page.hasControl(/^Forget this/)).toBe(false)
  })

  test('says that a session is empty, or does not exist', async () => {
    await using empty = await openPage(SessionsPage, '/sessions/4', worker({ prompts: [], toolUses: [], observations: [] }))
    expect(empty.text).toContain('No events yet.')
    await empty[Symbol.asyncDispose]()
    await using missing = await openPage(SessionsPage, '/sessions/5', {
      'GET /api/sessions/:id': () => Response.json({ error: 'no' }, { status: 400 }),
    })
    expect(missing.text).toContain('Session 5 was not found.')
  })
})

describe('a session', () => {
  test('shows how much it has, and where', async () => {
    await using page = await openPage(
      SessionsPage,
      '/sessions/4',
      worker({ outcome: { id: 'P9', of: 'this work', text: 'It ticks.', replaced: null } }),
    )
    expect(page.texts('h1')).toEqual(['About tides'])
    expect(page.text).toContain('1 turn, 1 tool use, 1 observation')
    expect(page.texts('.session-top .mark')).toEqual(['tidepool', 'Codex', 'main'])
    expect(page.text).toContain('Outcome of this session: P9')
  })

  test('is renamed, and gets its old name back', async () => {
    await using page = await openPage(SessionsPage, '/sessions/4', worker())
    await page.press('e')
    await page.typeInto('Title', '  ')
    expect(page.control('Rename').disabled).toBe(true)
    await page.typeInto('Title', 'Tide clock')
    await page.click('Rename')
    await undoLastAction()
    expect(page.requestsTo('PATCH /api/sessions/:id').map(({ body }) => body.title)).toEqual(['Tide clock', 'About tides'])
  })

  test('is handed over as a note of its project that expires', async () => {
    await using page = await openPage(SessionsPage, '/sessions/4', {
      ...worker(),
      'GET /api/sessions/:id/handover': { title: 'Tides', text: '# Hand-over', tokens: 3 },
      'POST /api/notes': { kind: 'added', note: { id: '01NEW' } },
    })
    await page.click('Hand over…')
    expect(page.text).toContain('3 tokens')
    await page.click('Save as a note')
    const [saved] = page.requestsTo('POST /api/notes')
    expect(saved?.body).toMatchObject({ title: 'Hand-over: Tides', body: '# Hand-over', project: 'host/tidepool', scope: 'project' })
    expect(Number(saved?.body.expiresAt)).toBeGreaterThan(Date.now())
    expect([page.address, toast.value?.isError]).toEqual(['/memory/N01NEW', false])
  })

  test('is copied for another agent, or the page asks the person to copy it', async () => {
    await using page = await openPage(SessionsPage, '/sessions/4', {
      ...worker(),
      'GET /api/sessions/:id/handover': { title: 'Tides', text: '# Hand-over', tokens: 3 },
    })
    await page.click('Hand over…')
    await page.click('Copy')
    expect(toast.value).toMatchObject({ isError: true, text: 'The browser did not allow copying. Select the text and copy it yourself.' })
  })
})

describe('the list of sessions', () => {
  const rows = [
    { ...session, live: true, promptCount: 1, observations: 2 },
    { ...session, id: 5, title: null, live: false, promptCount: 2, observations: 0 },
  ]

  test('names each session, and marks those that are live', async () => {
    await using page = await openPage(SessionsPage, '/sessions', { 'GET /api/sessions': { sessions: rows, total: 2 } as never })
    expect(page.texts('.row b')).toEqual(['About tides', 'Session 5'])
    expect(page.texts('.row .mark')).toEqual(['Codex', 'live', 'Codex'])
    expect(page.texts('.snippet')).toEqual(['1 turn, 2 observations', '2 turns, 0 observations'])
  })

  test('is fetched again when a session starts while its top is on the screen', async () => {
    await using page = await openPage(SessionsPage, '/sessions?agent=codex', { 'GET /api/sessions': { sessions: rows, total: 2 } as never })
    const fetched = () => page.requestsTo('GET /api/sessions').length
    const before = fetched()
    await page.send('session-opened')
    expect(fetched()).toBe(before + 1)
    const list = page.document.querySelector('.list')
    if (list) list.scrollTop = 40
    await page.settle()
    await page.send('session-opened')
    expect(fetched()).toBe(before + 1)
  })
})
