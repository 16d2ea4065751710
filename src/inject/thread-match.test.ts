import { expect, test } from 'bun:test'
import { storeWithChats } from '../../test/support/chats.ts'
import type { Hit } from '../core/hit.ts'
import { matchThreads } from './thread-match.ts'

const hit = (sessionId: number, turn: number, cosine: number | null = null) =>
  ({ kind: 'prompt', id: String(turn), sessionId, turn, cosine }) as Hit

const TIDES: [string, string][] = [
  [
    'The tide tables of the harbour page are wrong in summer',
    'The `tideClock` of the harbour read winter time; it reads the offset of the day now.',
  ],
  ['and the tide tables of the heron page', 'The tide tables of the heron page use the same `tideClock` now, with a test for both.'],
]
const OTHERS: [string, string][] = [
  ['Paint the shed of the museum', 'The shed of the museum is green now, from the roof down to the door.'],
]

test('a thread has the words of all its turns, and the similarity of its most similar hit', async () => {
  using t = await storeWithChats(TIDES, OTHERS)
  const [first, second, other] = [hit(1, 1, 0.3), hit(1, 2, 0.7), hit(2, 1)]
  const matches = await matchThreads(t.store, [first, second, other], 'summer offset of the heron page')
  expect(matches.get(first)?.cosine).toBe(0.7)
  expect(matches.get(first)?.matched).toBe(matches.get(second)?.matched as number)
  expect(matches.get(first)?.matched).toBeGreaterThan(2)
  expect(matches.get(other)).toMatchObject({ matched: 0, cosine: 0 })
})

test('a name in the prompt counts if few memories have it, as a whole word and not as part of an address', async () => {
  using t = await storeWithChats(TIDES, OTHERS)
  const rareName = async (prompt: string) => (await matchThreads(t.store, [hit(1, 1)], prompt)).values().next().value?.rareName
  expect(await rareName('why does `tideClock` fail')).toBe('tideClock')
  expect(await rareName('why does tideClockFace fail')).toBeNull()
  expect(await rareName('see https://host.example/tideClock for it')).toBeNull()
  expect(await rareName('why does the shed fail')).toBeNull()
})

test('of a long thread only the turns around the hit count', async () => {
  const turns = Array.from({ length: 14 }, (_, n): [string, string] => [
    `Go on with part ${n}`,
    n === 0 ? 'The pelican has a beak.' : n === 13 ? 'The heron has a pond.' : 'Done with it.',
  ])
  using t = await storeWithChats(turns, OTHERS)
  await t.store.threads.replace(1, [{ first: 1, last: 14, outcome: 14 }])
  const matched = async (turn: number, prompt: string) =>
    (await matchThreads(t.store, [hit(1, turn)], prompt)).values().next().value?.matched
  expect([await matched(1, 'pelican beak'), await matched(1, 'heron pond')]).toEqual([2, 0])
  expect([await matched(13, 'pelican beak'), await matched(13, 'heron pond')]).toEqual([0, 2])
})

test('a hit outside a thread has no match', async () => {
  using t = await storeWithChats(TIDES)
  expect((await matchThreads(t.store, [hit(9, 1), { ...hit(1, 1), sessionId: null, turn: null }], 'tide tables')).size).toBe(0)
})
