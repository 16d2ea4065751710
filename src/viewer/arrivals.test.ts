import { expect, test } from 'bun:test'
import { addArrival, arrivalsFromCount, describeArrivals, hasArrivals, NO_ARRIVALS } from './arrivals.ts'

const all = { project: '', kinds: [], types: [] }
const observation = (id: number, given: object = {}) => ({
  id: `r-${id}`,
  type: 'observation-added',
  data: { observation: { id, project: 'app', type: 'bugfix', ...given } },
})

test('a memory that arrives twice is counted once', () => {
  let arrivals = NO_ARRIVALS
  for (const id of [1, 2, 2, 1]) arrivals = addArrival(arrivals, observation(id), all)
  expect(describeArrivals(arrivals)).toBe('2 new')
})

test('only memories that the list would show are counted', () => {
  const filter = { project: 'app', kinds: ['observation', 'note'], types: [] }
  expect(addArrival(NO_ARRIVALS, observation(1, { project: 'other' }), filter)).toBe(NO_ARRIVALS)
  expect(addArrival(NO_ARRIVALS, observation(1), { ...filter, types: ['feature'] })).toBe(NO_ARRIVALS)
  expect(addArrival(NO_ARRIVALS, { id: 'r-1', type: 'prompt-added', data: { prompt: { id: 1 }, project: 'app' } }, filter)).toBe(
    NO_ARRIVALS,
  )
  expect(addArrival(NO_ARRIVALS, { id: 'r-1', type: 'session-completed', data: { sessionId: 1 } }, filter)).toBe(NO_ARRIVALS)
  expect(addArrival(NO_ARRIVALS, observation(1), filter).keys.size).toBe(1)
})

test('counting stops at 500 memories', () => {
  let arrivals = NO_ARRIVALS
  for (let id = 0; id < 5000; id++) arrivals = addArrival(arrivals, observation(id), all)
  expect(arrivals.keys.size).toBeLessThanOrEqual(500)
  expect(describeArrivals(arrivals)).toBe('500+ new')
})

test('live events are added to the count by the worker', () => {
  expect(hasArrivals(arrivalsFromCount(0))).toBe(false)
  expect(describeArrivals(addArrival(arrivalsFromCount(3), observation(9), all))).toBe('4 new')
})
