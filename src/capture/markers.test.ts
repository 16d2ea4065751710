import { expect, test } from 'bun:test'
import { processorTime } from '../../test/support/growth.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Prompt, Session } from '../core/memory.ts'
import { clip } from '../core/text.ts'
import { draftMarkedNotes, findMarkedTexts } from './markers.ts'

const ALL = ['decision', 'learned', 'blocker', 'progress', 'remember', 'global']
const marked = (text: string, markers = ALL) => findMarkedTexts(text, markers).map((m) => [m.namespace, m.scope, m.text])

test('a marker in a sentence marks the whole sentence', () => {
  expect(marked("Let's use PostgreSQL [decision] because of JSONB support")).toEqual([
    ['decisions', 'project', "Let's use PostgreSQL because of JSONB support"],
  ])
  expect(marked('First this. We use tabs [decision], not spaces. Then that.')).toEqual([
    ['decisions', 'project', 'We use tabs, not spaces.'],
  ])
})

test('a marker before or after a sentence marks that sentence', () => {
  expect(marked('[learned] The cache is per process. Now fix it.')).toEqual([['learnings', 'project', 'The cache is per process.']])
  expect(marked('The cache is per process. [learned]')).toEqual([['learnings', 'project', 'The cache is per process.']])
  expect(marked('[blocker]: waiting for the key')).toEqual([['blockers', 'project', 'waiting for the key']])
  expect(marked('- [progress] the parser is done')).toEqual([['progress', 'project', 'the parser is done']])
})

test('markers are not case-sensitive', () => {
  expect(marked('[DECISION] Ship on Friday')).toEqual([['decisions', 'project', 'Ship on Friday']])
})

test('[remember] before a text marks the rest of the paragraph', () => {
  expect(marked('Hi.\n[remember] The staging host is db-7.\nIt restarts at night.\n\nNow the tests, please.')).toEqual([
    ['context', 'project', 'The staging host is db-7.\nIt restarts at night.'],
  ])
  expect(marked('[remember] The host is db-7.\n[decision] Ship on Friday.')).toEqual([
    ['context', 'project', 'The host is db-7.'],
    ['decisions', 'project', 'Ship on Friday.'],
  ])
  expect(marked('The host is db-7 [remember]\nNow the tests.')).toEqual([['context', 'project', 'The host is db-7']])
})

test('[global] makes a note apply to every project, alone or with another marker', () => {
  expect(marked('[global] Answer in British spelling.')).toEqual([['context', 'global', 'Answer in British spelling.']])
  expect(marked('[decision][global] Tabs it is')).toEqual([['decisions', 'global', 'Tabs it is']])
  expect(marked('[decision] Tabs it is [global]')).toEqual([['decisions', 'global', 'Tabs it is']])
  expect(marked('[remember] [global] Never push on Fridays')).toEqual([['context', 'global', 'Never push on Fridays']])
})

test('several markers give several notes', () => {
  expect(marked('[decision] Use Bun. [learned] Node starts slowly.\n[blocker] No licence yet')).toEqual([
    ['decisions', 'project', 'Use Bun.'],
    ['learnings', 'project', 'Node starts slowly.'],
    ['blockers', 'project', 'No licence yet'],
  ])
})

test('text that only looks like a marker is ignored', () => {
  for (const text of [
    '```\n[decision] use X\n```',
    '~~~md\n[decision] use X',
    '> [decision] use X',
    'Write `[decision] use X` into the prompt',
    'See [decision](https://example.org/adr) for more',
    '[decision]: https://example.org',
    'See [decision][1]',
    '![decision] picture',
    '- [ ] [decision] on the database',
    '- [x] write the [decision] record',
    'const row = table[decision] + 1',
    'the "[decision]" marker is documented',
    '\\[decision] is escaped',
    'Text:\n\n    [decision] use X',
    '[decisions] are many',
    '[todo] write tests',
    '[decision]',
    '[decision] [global]',
    '[decision] …',
  ]) {
    expect([text, marked(text)]).toEqual([text, []])
  }
})

test('a dot in code does not end a sentence', () => {
  expect(marked('We call `db. run()` directly [decision] for speed. Next.')).toEqual([
    ['decisions', 'project', 'We call `db. run()` directly for speed.'],
  ])
})

test('a marker between two pieces of code counts', () => {
  expect(marked('We call `db.run()` [decision] instead of `db.all()`')).toEqual([
    ['decisions', 'project', 'We call `db.run()` instead of `db.all()`'],
  ])
})

test('markers can be replaced or switched off', () => {
  expect(marked('[security] Rotate the key monthly. [decision] no', ['security'])).toEqual([
    ['security', 'project', 'Rotate the key monthly.'],
  ])
  expect(marked('[decision] Use X', [])).toEqual([])
  expect(marked('[decision] Use X', ['[decision]'])).toHaveLength(1)
  expect(marked('(.*) [decision] Use X', ['(.*)'])).toEqual([])
})

test('the id of a draft does not depend on the exact time, but on the session', () => {
  const session = { agent: 'claude-code', contentSessionId: 's1', project: asProjectKey('app') } as Session
  const prompt = { text: '[decision] Use X', at: 1_700_000_000_000 } as Prompt
  const [a] = draftMarkedNotes(session, prompt, 0, ALL).drafts
  const [b] = draftMarkedNotes(session, { ...prompt, at: prompt.at + 40 }, 0, ALL).drafts
  const [c] = draftMarkedNotes({ ...session, contentSessionId: 's2' } as Session, prompt, 0, ALL).drafts
  expect(a).toMatchObject({ source: 'human', session: 's1', confidence: 1, namespace: 'decisions', scope: 'project', project: 'app' })
  expect(b?.id).toBe(a?.id as never)
  expect(c?.id).not.toBe(a?.id as never)
  expect(draftMarkedNotes(session, prompt, 1, ALL).drafts[0]?.id).not.toBe(a?.id as never)
})

test('the first twenty markers of a prompt give drafts, and the rest are counted', () => {
  const session = { agent: 'claude-code', contentSessionId: 's1', project: asProjectKey('app') } as Session
  for (const between of ['\n', ' ']) {
    const text = Array.from({ length: 300 }, (_, n) => `[decision] Rule ${n} holds.`).join(between)
    const { drafts, leftOut } = draftMarkedNotes(session, { text, at: 0 } as Prompt, 0, ALL)
    expect([drafts.length, drafts[19]?.body, leftOut]).toEqual([20, 'Rule 19 holds.', 280])
  }
})

test('only the marked text that was clipped is reported as cut', () => {
  const cut = (text: string) => findMarkedTexts(clip(text, 400), ALL).map((m) => [m.text.slice(0, 9), m.isCut])
  const long = 'word '.repeat(200)
  expect(cut(`[decision] Use tabs. [learned] Known as ${long}`)).toEqual([
    ['Use tabs.', false],
    ['Known as ', true],
  ])
  expect(cut(`[remember] Before it\n${long}\n\n[decision] Afterwards`)).toEqual([
    ['Before it', true],
    ['Afterward', false],
  ])
  expect(cut(`${long}ends here [decision]. Another one [learned].`).map(([, isCut]) => isCut)).toEqual([true, false])
})

test('a very long prompt is searched quickly', () => {
  const text = '[decision] a. '.repeat(5000)
  const used = processorTime()
  expect(findMarkedTexts(text.slice(0, 64 * 1024), ALL).length).toBeLessThanOrEqual(20)
  findMarkedTexts(Array.from({ length: 3000 }, (_, n) => `[decision] Rule ${n}.`).join(' '), ALL)
  findMarkedTexts('`x` [decision] a '.repeat(3500), ALL)
  findMarkedTexts(`${'['.repeat(30_000)}${'`'.repeat(30_000)}[decision]`, ALL)
  expect(used()).toBeLessThan(2000)
})
