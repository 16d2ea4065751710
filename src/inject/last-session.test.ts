import { describe, expect, test } from 'bun:test'
import { observation, storedPrompt, summary } from '../../test/support/builders.ts'
import type { Observation, Summary } from '../core/memory.ts'
import { addRestOfSession, addSummary, countFailing, nameOf, otherBranchPart, type SummaryInBrief, summaryHeading } from './last-session.ts'
import { openPage, type ReasonedItem } from './page.ts'
import type { WorkResult } from './results.ts'

const DAY = 86_400_000
const NOW = 100 * DAY
const ANSWER = 'The retry waits 250 ms now and doubles each time, up to ten seconds.'

const result = (id: number, title: string, answer = ANSWER, given: Partial<WorkResult> = {}): WorkResult => ({
  thread: { id, sessionId: 7, first: 1, last: 9, outcome: 3, replacedBy: null },
  session: 's7',
  title,
  outcome: storedPrompt({ id, sessionId: 7, number: 3, answer, at: NOW }),
  branch: null,
  ...given,
})

type Given = Partial<Summary & { branch: string | null }>

const lastSession = (given: Given = {}, rest: Partial<SummaryInBrief> = {}, then = ''): SummaryInBrief => ({
  summary: { ...summary({ id: 4, sessionId: 7, promptNumber: 3, at: NOW - 3_600_000, ...given }), branch: given.branch ?? null },
  session: 's7',
  title: null,
  failing: [],
  then,
  ...rest,
})

/** The lines that a page shows of the last session, and what was left out of it. */
function shown(last: SummaryInBrief, heading = 'Last session', tokens = 1000) {
  const left: ReasonedItem[] = []
  const page = openPage('<first>', '<last>', { tokens, characters: 9000 })
  addSummary(page, last, heading, NOW, left)
  return { lines: page.close().text.split('\n').slice(1, -1), left: left.map(({ why }) => why) }
}

describe('the heading of the last session', () => {
  const heading = (of: string | null, here: string | null, openOf: number | null = null) =>
    summaryHeading(lastSession({ branch: of }), here, openOf === null ? null : storedPrompt({ sessionId: openOf }))

  test('names its branch only when that differs from where the person is, or both are known', () => {
    expect(heading('login', null)).toBe('Last session')
    expect(heading(null, 'main')).toBe('Last session')
    expect(heading('main', 'main')).toBe('Last on this branch (main)')
    expect(heading('login', 'main')).toBe('Last session, on branch login')
  })

  test('says that a later session has no answer yet', () => {
    expect(heading(null, null, 8)).toBe('Last session with an answer')
    expect(heading(null, null, 7)).toBe('Last session')
  })
})

describe('the lines of the last session', () => {
  test('are its result, the files if the result names none, what was done then, what was left, and what comes next', () => {
    const of = result(9, 'Slow down the retry', ANSWER, { files: ['src/retry.ts'], leftover: 'Nothing was pushed.' })
    const { lines } = shown(lastSession({ nextSteps: 'Measure it' }, { result: of }, 'Locked the ledger'))
    expect(lines).toEqual([
      'Last session, 1h ago: Slow down the retry',
      `- Reported (P9): ${ANSWER} (in src/retry.ts)`,
      '- Then: Locked the ledger',
      '- Left: Nothing was pushed.',
      '- Next: Measure it',
    ])
  })

  test('do not name files that the result names, nor many of them', () => {
    const first = (files: string[], answer = ANSWER) => shown(lastSession({}, { result: result(9, 'Retry', answer, { files }) })).lines[1]
    expect(first(['a.ts', 'b.ts', 'c.ts'])).toEndWith(' (in a.ts, b.ts, c.ts)')
    expect(first(['a.ts', 'b.ts', 'c.ts', 'd.ts'])).toEndWith('seconds.')
    expect(first(['src/retry.ts', 'src/b.ts'], `${ANSWER} It is in retry.ts.`)).toEndWith('retry.ts.')
    expect(first([])).toEndWith('seconds.')
  })

  test('do not repeat what the result says already', () => {
    const { lines } = shown(lastSession({ nextSteps: ANSWER }, { result: result(9, 'Retry') }, ANSWER))
    expect(lines).toHaveLength(2)
  })

  test('do not call a plan done', () => {
    const { lines } = shown(lastSession({}, { result: result(9, 'Retry') }, 'Plan: Lock the ledger'))
    expect(lines.at(-1)).toBe('- Then planned: Lock the ledger')
  })

  test('count as the result only where its line fits', () => {
    const memories = (tokens: number) => {
      const page = openPage('<first>', '<last>', { tokens, characters: 9000 })
      addSummary(page, lastSession({ nextSteps: 'word '.repeat(200) }, { result: result(9, 'Retry') }), 'Last session', NOW, [])
      return page.close().items.map(({ kind, id }) => `${kind} ${id}`)
    }
    expect(memories(60)).toEqual(['line frame', 'summary 4', 'prompt 9'])
    expect(memories(1000)).toEqual(['line frame', 'summary 4', 'prompt 9'])
    expect(memories(20)).toEqual(['line frame'])
  })

  test('are cut to the most important when they do not fit, and the reasons name the others', () => {
    const long = 'word '.repeat(60)
    const of = lastSession({ request: long, learned: 'exp is in seconds', completed: 'It works', nextSteps: long })
    const { lines, left } = shown(of, 'Last session', 45)
    expect(lines).toEqual(['Last session, 1h ago', '- Learned: exp is in seconds', '- Done: It works'])
    expect(left).toEqual([expect.stringMatching(/^“Next”: no room: /), expect.stringMatching(/^“Asked”: no room: /)])
  })
})

test('the last session is called by the subject of its work, its title, or what was done', () => {
  expect(nameOf(lastSession({}, { result: result(9, 'Slow down the retry'), title: 'Some chat' }))).toBe('Slow down the retry')
  expect(nameOf(lastSession({}, { title: 'Some chat' }))).toBe('Some chat')
  expect(nameOf(lastSession({ completed: 'It works', request: 'Fix it' }))).toBe('It works')
  expect(nameOf(lastSession({ completed: '', request: 'Fix it' }))).toBe('Fix it')
})

test('a test that failed in two commands counts once', () => {
  const failure = (names: string[]) => ({ command: 'bun test', names, error: '', at: 1, promptNumber: 1 })
  expect(countFailing(lastSession({}, { failing: [failure(['a', 'b']), failure(['b'])] }))).toBe(2)
})

describe('work on another branch', () => {
  const line = (given: Given, rest: Partial<SummaryInBrief> = {}, then = '') =>
    otherBranchPart(lastSession(given, rest, then), NOW).lines[0]

  test('is one line with the branch, the subject and the result, or what was done after it', () => {
    const of = { result: result(9, 'Slow down the retry') }
    expect(line({ branch: 'login' }, of)).toBe(`Newer work on branch login, not here, 1h ago: Slow down the retry — ${ANSWER}`)
    expect(line({}, of, 'Locked the ledger')).toBe('Newer work elsewhere, not here, 1h ago: Slow down the retry — Locked the ledger')
    expect(line({}, of, 'Plan: Lock the ledger')).toEndWith('— planned: Lock the ledger')
  })

  test('without a result it says what was done, or the title, or what was asked', () => {
    expect(line({ completed: 'It works' }, { title: 'Some chat' })).toEndWith(': It works')
    expect(line({ completed: '' }, { title: 'Some chat' })).toEndWith(': Some chat')
    expect(line({ completed: '', request: 'Fix it' })).toEndWith(': Fix it')
  })
})

describe('the rest of the last session', () => {
  const changed = (id: number, given: Partial<Observation> = {}) => ({
    ...observation({ id, sessionId: 7, promptNumber: 1, title: `Change ${id} of the museum`, filesModified: [`${id}.ts`], ...given }),
    branch: null,
  })
  const LONG = `${ANSWER} ${'It gives up after four tries, because the museum closes its side. '.repeat(5)}`

  /** The line about the other work of the session, and what was left out of it. */
  function rest(results: WorkResult[], observations: ReturnType<typeof changed>[], tokens = 1000, of: WorkResult | null = null) {
    const left: ReasonedItem[] = []
    const page = openPage('<first>', '<last>', { tokens, characters: 9000 })
    const last = lastSession({}, { result: of })
    page.add({ of: { kind: 'summary', id: 4, why: 'a test' }, lines: ['Last session'] })
    addRestOfSession(page, last, results, observations, left)
    return { line: page.close().text.split('\n')[2], left }
  }

  test('names its other results, but no small work, then turns that changed files', () => {
    const small = result(11, 'A line in the changelog', 'Added a line.', { thread: { ...result(11, '').thread, first: 8, last: 8 } })
    const other = { ...result(12, 'Lock the ledger', LONG), outcome: storedPrompt({ id: 12, sessionId: 7, number: 5, answer: LONG }) }
    const elsewhere = result(13, 'Another session', LONG, { thread: { ...result(13, '').thread, sessionId: 8 } })
    const { line } = rest([small, other, elsewhere], [changed(1), changed(2, { promptNumber: 5 }), changed(3, { filesModified: [] })])
    expect(line).toBe('- Also there: P12 Lock the ledger · #1 Change 1 of the museum')
  })

  test('does not name the turns of its result and its summary, half a title, or work of another session', () => {
    const of = { ...result(9, 'Retry'), outcome: storedPrompt({ id: 9, sessionId: 7, number: 2, answer: ANSWER }) }
    const observations = [
      changed(1, { promptNumber: 2 }),
      changed(2, { promptNumber: 3 }),
      changed(3, { title: 'Changed the begin…' }),
      changed(4, { sessionId: 8 }),
    ]
    expect(rest([of], observations, 1000, of).line).toBe('<last>')
  })

  test('names four, and the reasons tell of the others', () => {
    const { line, left } = rest(
      [],
      [1, 2, 3, 4, 5].map((id) => changed(id)),
    )
    expect(line?.split(' · ')).toHaveLength(4)
    expect(left).toEqual([{ kind: 'observation', id: 5, why: '4 more of its session are shown' }])
  })

  test('is left out as a whole when it does not fit', () => {
    const { line, left } = rest([], [changed(1), changed(2)], 20)
    expect(line).toBe('<last>')
    expect(left).toMatchObject([
      { id: 1, why: expect.stringContaining('no room') },
      { id: 2, why: expect.stringContaining('no room') },
    ])
  })

  test('does not name work that the result took back', () => {
    const back = 'The retry is back to its original state.'
    const of = { ...result(9, 'Retry', back), outcome: storedPrompt({ id: 9, sessionId: 7, number: 2, answer: back }) }
    const observations = [
      changed(1, { promptNumber: 2, filesModified: ['retry.ts', 'b.ts'] }),
      changed(2, { filesModified: ['a.ts', 'retry.ts'] }),
    ]
    expect(rest([], observations, 1000, of).line).toBe('<last>')
    // The result takes back earlier work only.
    const later = observations.map((o) => (o.id === 2 ? { ...o, promptNumber: 5 } : o))
    expect(rest([], later, 1000, of).line).toBe('- Also there: #2 Change 2 of the museum')
  })
})
