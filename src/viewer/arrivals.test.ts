import { expect, test } from 'bun:test'
import { arrived, counted, inWords, isAny, NONE } from './arrivals.ts'

const all = { project: '', kinds: [], types: [] }
const observation = (id: number, given: object = {}) => ({
  id: `r-${id}`,
  type: 'observation-added',
  data: { observation: { id, project: 'app', type: 'bugfix', ...given } },
})

test('what comes in is counted, and what is told twice is one', () => {
  let seen = NONE
  for (const id of [1, 2, 2, 1]) seen = arrived(seen, observation(id), all)
  expect(inWords(seen)).toBe('2 new')
})

test('only what the list would show is announced', () => {
  const wanted = { project: 'app', kinds: ['observation', 'note'], types: [] }
  expect(arrived(NONE, observation(1, { project: 'other' }), wanted)).toBe(NONE)
  expect(arrived(NONE, observation(1), { ...wanted, types: ['feature'] })).toBe(NONE)
  expect(arrived(NONE, { id: 'r-1', type: 'prompt-added', data: { prompt: { id: 1 }, project: 'app' } }, wanted)).toBe(NONE)
  expect(arrived(NONE, { id: 'r-1', type: 'session-completed', data: { sessionId: 1 } }, wanted)).toBe(NONE)
  expect(arrived(NONE, observation(1), wanted).keys.size).toBe(1)
})

test('a flood is not kept one by one', () => {
  let seen = NONE
  for (let id = 0; id < 5000; id++) seen = arrived(seen, observation(id), all)
  expect(seen.keys.size).toBeLessThanOrEqual(500)
  expect(inWords(seen)).toBe('Much is new')
})

test('after a silence it is counted how much is new, and what is heard from then on is added', () => {
  expect(isAny(counted(0))).toBe(false)
  expect(inWords(arrived(counted(3), observation(9), all))).toBe('4 new')
})
