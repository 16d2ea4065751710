import { describe, expect, test } from 'bun:test'
import { note } from '../../test/support/builders.ts'
import type { Note } from '../core/note.ts'
import { openPage, type ReasonedItem } from './page.ts'
import { addStatements, type Surroundings, splitStatements } from './statements.ts'

const DAY = 86_400_000
const NOW = 100 * DAY

let made = 0
const stated = (namespace: string, body: string, daysAgo = 1, given: Partial<Note> = {}) =>
  note({
    id: `n${made++}` as Note['id'],
    namespace,
    body,
    title: body,
    type: 'semantic',
    state: 'proposed',
    session: 's1',
    updatedAt: NOW - daysAgo * DAY,
    ...given,
  })

function shown(notes: Note[], known: Partial<Surroundings> = {}, above: string[] = [], tokens = 2000) {
  const page = openPage('<x>', '</x>', { tokens, characters: 9000 })
  page.add({ of: { kind: 'line', id: 'frame', why: '' }, lines: above })
  const left: ReasonedItem[] = []
  addStatements(page, notes, { topic: new Set(), work: [], ...known }, NOW, left)
  const lines = page
    .close()
    .text.split('\n')
    .slice(1, -1)
    .filter((line) => !above.includes(line))
  return { lines, why: left.map(({ why }) => why) }
}

test('open ends come before decisions, each under its heading and with its age', () => {
  const { lines } = shown([
    stated('decisions', 'Cache in a JSON file, not SQLite, because the native build breaks.'),
    stated('open-ends', 'Next: retry-After is not honoured yet.', 3),
  ])
  expect(lines).toEqual([
    'Still open:',
    '- Retry-After is not honoured yet. (3d ago)',
    'Decisions:',
    '- Cache in a JSON file, not SQLite, because the native build breaks. (1d ago)',
  ])
})

test.each([
  ['I want to replace getUserID with a machine identifier.', 'a decision without its reason'],
  ['This should not be changed, only the `--local-dev` flag should, because of CI.', 'not clear without its conversation'],
])('%s is left out: %s', (body, why) => {
  expect(shown([stated('decisions', body)])).toEqual({ lines: [], why: [why] })
})

test('learnings are left to recall', () => {
  expect(shown([stated('learnings', 'The root cause was the stale lock file of the ledger.')]).lines).toEqual([])
})

test('an old decision of the agent goes sooner than one of the person, unless the branch is about it', () => {
  const decision = (days: number, given: Partial<Note> = {}) =>
    stated('decisions', 'Use the official install script of GoReleaser instead of the action.', days, given)
  expect(shown([decision(20)]).lines).toHaveLength(2)
  expect(shown([decision(20, { tags: ['agent'] })]).lines).toEqual([])
  expect(shown([decision(40)]).lines).toEqual([])
  expect(shown([decision(40)], { topic: new Set(['gorele']) }).lines).toHaveLength(2)
})

describe('an open end', () => {
  const open = () => stated('open-ends', 'Links with parentheses nested two levels deep are not supported yet.', 5)
  const work = (text: string, daysAgo: number, session = 's2') => ({ session, at: NOW - daysAgo * DAY, text })

  test('leaves once another session worked on it', () => {
    const done = 'Links with nested parentheses are supported at any levels'
    expect(shown([open()], { work: [work(done, 2)] })).toEqual({ lines: [], why: ['later work was about it'] })
    expect(shown([open()], { work: [work(done, 9)] }).lines).toHaveLength(2)
    expect(shown([open()], { work: [work(done, 2, 's1')] }).lines).toHaveLength(2)
    expect(shown([open()], { work: [work('The cache keeps links for a day', 2)] }).lines).toHaveLength(2)
  })

  test('leaves after a month', () => {
    expect(shown([stated('open-ends', 'Retry-After is not honoured yet.', 31)]).lines).toEqual([])
  })
})

test('points are joined in one line, and the label that the heading repeats goes', () => {
  const { lines } = shown([
    stated('open-ends', 'Remaining: the following\n- honour Retry-After\n- close the ledger'),
    stated('blockers', 'The review of the ledger waits for the museum:\n- it is closed'),
  ])
  expect(lines).toEqual([
    'Still open:',
    '- The following · honour Retry-After · close the ledger (1d ago)',
    'Blocked:',
    '- The review of the ledger waits for the museum: it is closed (1d ago)',
  ])
})

test('a few of each kind are shown, and the reasons tell of the others', () => {
  const open = [
    'Retry-After is not honoured yet.',
    'Links with nested parentheses are not parsed.',
    'The museum ledger has no lighthouse page.',
    'Daylight saving time shifts the tide tables by an hour.',
    'The `--quiet` flag prints warnings.',
  ].map((body) => stated('open-ends', body))
  const { lines, why } = shown(open)
  expect(lines.filter((line) => line === 'Still open:')).toHaveLength(1)
  expect(lines).toHaveLength(5)
  expect(why).toEqual(['4 are shown'])
})

test('a statement that does not fit is left out, and a shorter one below it is not', () => {
  const long = `The ledger of the museum has no lighthouse yet: ${'no lamp, '.repeat(30)}no light.`
  const { lines, why } = shown([stated('open-ends', long), stated('open-ends', 'Retry-After is not honoured yet.')], {}, [], 40)
  expect(lines).toEqual(['Still open:', '- Retry-After is not honoured yet. (1d ago)'])
  expect(why).toEqual([expect.stringMatching(/^no room: /)])
})

test('nothing is said twice', () => {
  const body = 'Cache in a JSON file, not SQLite, because the native build breaks.'
  expect(shown([stated('decisions', body)], {}, [`- Reported (P3): ${body}`])).toEqual({ lines: [], why: ['said above'] })
})

test('a statement that a person has accepted is a note like others', () => {
  const accepted = stated('decisions', 'Use tabs.', 1, { state: 'accepted' })
  expect(splitStatements([accepted])).toEqual({ stated: [], others: [accepted] })
})

test('a proposed note about knowledge is a statement, one about a session is not', () => {
  const [proposed, episode] = [stated('decisions', 'Use tabs.'), stated('sessions', 'Used tabs.', 1, { type: 'episodic' })]
  expect(splitStatements([proposed, episode])).toEqual({ stated: [proposed], others: [episode] })
})
