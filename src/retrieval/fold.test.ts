import { expect, test } from 'bun:test'
import type { Hit } from '../core/hit.ts'
import { asProjectKey } from '../core/ids.ts'
import { foldHits, type HitWithText } from './fold.ts'

const story = 'The tide was shown an hour late because the station held a fixed offset from summer and nobody looked at the clock'

test('nearly identical hits of two sessions become one, the newest, which lists the other', () => {
  const hits = foldHits([
    told(1, `${story}.`, { sessionId: 1, at: 1, score: 2 }),
    told(2, `${story} again.`, { sessionId: 2, at: 2, score: 1.9 }),
  ])
  expect(hits.map(({ id, also }) => [id, also])).toEqual([['2', ['observation:1']]])
})

test('an extra small word, even in the middle, does not make a difference', () => {
  const [start, end] = [story.slice(0, 40), story.slice(40)]
  expect(foldHits([told(1, story, { sessionId: 1 }), told(2, `${start} the${end}`, { sessionId: 2 })])).toHaveLength(1)
})

test('summaries of "go on" are not merged, nor are notes with the same title', () => {
  const [drawn, painted] = ['The harbour was drawn.', 'The lighthouse was painted.'].map((text) => `Go on\n${text}`)
  for (const kind of ['summary', 'note'] as const)
    expect(foldHits([told(1, drawn ?? '', { kind, title: 'Go on' }), told(2, painted ?? '', { kind, title: 'Go on' })])).toHaveLength(2)
})

test('the note of a session folds into the turn with the same title', () => {
  const turn = told(1, `Draw the harbour\n${story}`, { kind: 'summary', title: 'Draw the harbour', score: 2 })
  const note = told(2, 'Draw the\nAsk: Draw the harbour', { kind: 'note', type: 'sessions', title: 'Draw the…', score: 1 })
  expect(foldHits([turn, note]).map(({ kind, also }) => [kind, also])).toEqual([['summary', ['note:2']]])
  expect(foldHits([turn, { ...note, hit: { ...note.hit, type: 'decisions' } }])).toHaveLength(2)
})

test('an older hit with a much better score is kept instead of the newer', () => {
  const hits = foldHits([told(1, story, { sessionId: 1, at: 1, score: 2 }), told(2, story, { sessionId: 2, at: 2, score: 1 })])
  expect(hits.map(({ id, also }) => [id, also])).toEqual([['1', ['observation:2']]])
})

test('three identical hits become one that lists the other two', () => {
  const hits = foldHits([1, 2, 3].map((id) => told(id, story, { sessionId: id, at: id, score: 1 })))
  expect(hits.map(({ id, also }) => [id, also])).toEqual([['3', ['observation:1', 'observation:2']]])
})

test.each([
  ['another file', `${story} in src/a.ts`, `${story} in src/b.ts`],
  ['another name', `${story} so getTide`, `${story} so getTime`],
  ['another number', `${story}, 15 tests`, `${story}, 16 tests`],
  ['another order of numbers', `${story}, part 0 of module 2`, `${story}, part 2 of module 0`],
  ['another count of a number', `${story}, 3 of 3 and 1 later`, `${story}, 1 of 3 and 1 later`],
  ['another order of files', `${story} from src/a.ts to src/b.ts`, `${story} from src/b.ts to src/a.ts`],
  ['another count of a file', `${story} in src/a.ts, src/a.ts, src/b.ts`, `${story} in src/b.ts, src/a.ts, src/b.ts`],
  ['another order of words', `${story}: from alpha to beta`, `${story}: from beta to alpha`],
  ['other words', story, 'Rain fell on the pier all day while the keeper wrote letters home and waited for the boat to come'],
  ['few words', 'The tide was late', 'The tide was too late'],
  ['much more of it', story, `${story}. ${'Then the harbour was painted blue. '.repeat(9)}`],
])('%s makes a different memory', (_, one, other) => {
  expect(foldHits([told(1, one, { sessionId: 1 }), told(2, other, { sessionId: 2 })])).toHaveLength(2)
})

test('hits of different projects are not merged', () => {
  expect(foldHits([told(1, story), told(2, story, { project: asProjectKey('other') })])).toHaveLength(2)
})

test('within a session, equal titles are enough', () => {
  const read = (id: number, session: number) => told(id, `Fixed the tide\nin way ${id}`, { title: 'Fixed the tide', sessionId: session })
  expect(foldHits([read(1, 1), read(2, 1)])).toHaveLength(1)
  expect(foldHits([read(1, 1), read(2, 2)])).toHaveLength(2)
})

test('a repeated prompt of a session is two hits if the answers differ, otherwise one', () => {
  const said = (id: number, answer: string) => told(id, `go on\n${answer}`, { kind: 'prompt', title: 'go on' })
  expect(foldHits([said(1, 'The tide is fixed.'), said(2, 'The pier is painted.')])).toHaveLength(2)
  expect(foldHits([said(1, 'Done.'), said(2, 'Done.')])).toHaveLength(1)
})

test('a commit is merged with the work of the session that made it', () => {
  const commit = {
    ...told(1, 'Fix the tide\n', { kind: 'commit', title: 'Fix the tide', sessionId: null }),
    hash: `abc1234${'0'.repeat(33)}`,
  }
  const by = (text: string, given: Partial<Hit> = {}) => foldHits([commit, told(2, text, { at: 2, ...given })])
  expect(by('The tide\ncommit abc1234 on main')).toMatchObject([{ kind: 'observation', also: ['commit:1'] }])
  expect(by('Committed abc1234 Fix the tide', { kind: 'summary' })).toHaveLength(1)
  expect(by('Fix the tide\nin a way', { title: 'Fix the tide' })).toHaveLength(1)
  expect(by('The tide\nas in abc1234')).toHaveLength(2)
})

test('hits stay in the order of their scores', () => {
  const hits = foldHits([told(1, 'low', { score: 1 }), told(2, story, { score: 3, at: 1 }), told(3, 'middle', { score: 2 })])
  expect(hits.map((hit) => hit.id)).toEqual(['2', '3', '1'])
})

function told(id: number, text: string, given: Partial<Hit> = {}): HitWithText {
  const hit: Hit = {
    kind: 'observation',
    id: String(id),
    type: 'change',
    title: `Title ${id}`,
    snippet: '',
    project: asProjectKey('app'),
    sessionId: 1,
    turn: null,
    at: 1,
    score: 1,
    signals: {},
    cosine: null,
    coverage: 1,
    known: { coverage: 1, matched: 1, unlikely: 1 },
    matched: 1,
    unlikely: 1,
    tokens: 1,
    also: [],
    ...given,
  }
  return { hit, text }
}
