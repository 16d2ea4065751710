import { expect, test } from 'bun:test'
import { addArrival, arrivalsFromCount, describeArrivals, hasArrivals, NO_ARRIVALS } from './arrivals.ts'

const all = { project: '', kinds: [], types: [] }
const observation = (id: number, given: object = {}) => ({
  id: `r-${id}`,
  type: 'observation-added',
  data: { observation: { id, project: 'app', type: 'bugfix', ...given } },
})

test('what comes in is counted, and what is told twice is one', () => {
  let seen = NO_ARRIVALS
  for (const id of [1, 2, 2, 1]) seen = addArrival(seen, observation(id), all)
  expect(describeArrivals(seen)).toBe('2 new')
})

test('only what the list would show is announced', () => {
  const wanted = { project: 'app', kinds: ['observation', 'note'], types: [] }
  expect(addArrival(NO_ARRIVALS, observation(1, { project: 'other' }), wanted)).toBe(NO_ARRIVALS)
  expect(addArrival(NO_ARRIVALS, observation(1), { ...wanted, types: ['feature'] })).toBe(NO_ARRIVALS)
  expect(addArrival(NO_ARRIVALS, { id: 'r-1', type: 'prompt-added', data: { prompt: { id: 1 }, project: 'app' } }, wanted)).toBe(
    NO_ARRIVALS,
  )
  expect(addArrival(NO_ARRIVALS, { id: 'r-1', type: 'session-completed', data: { sessionId: 1 } }, wanted)).toBe(NO_ARRIVALS)
  expect(addArrival(NO_ARRIVALS, observation(1), wanted).keys.size).toBe(1)
})

test('a flood is not kept one by one', () => {
  let seen = NO_ARRIVALS
  for (let id = 0; id < 5000; id++) seen = addArrival(seen, observation(id), all)
  expect(seen.keys.size).toBeLessThanOrEqual(500)
  expect(describeArrivals(seen)).toBe('Much is new')
})

test('after a silence it is counted how much is new, and what is heard from then on is added', () => {
  expect(hasArrivals(arrivalsFromCount(0))).toBe(false)
  expect(describeArrivals(addArrival(arrivalsFromCount(3), observation(9), all))).toBe('4 new')
})
