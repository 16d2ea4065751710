import { expect, test } from 'bun:test'
import { observation } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Change, Prompt } from '../core/memory.ts'
import type { LiveEvent } from '../wire/live-events.ts'
import { addArrival, arrivalsFromCount, describeArrivals, hasArrivals, NO_ARRIVALS } from './arrivals.ts'

const all = { project: '', kinds: [], types: [] }
const event = (change: Change): LiveEvent => ({ id: 'r-1', type: change.kind, change })
const added = (id: number, project = 'app') =>
  event({ kind: 'observation-added', observation: { ...observation({ id, type: 'bugfix' }), project: asProjectKey(project) } })

test('a memory that arrives twice is counted once', () => {
  let arrivals = NO_ARRIVALS
  for (const id of [1, 2, 2, 1]) arrivals = addArrival(arrivals, added(id), all)
  expect(describeArrivals(arrivals)).toBe('2 new')
})

test('only memories that the list would show are counted', () => {
  const filter = { project: 'app', kinds: ['observation', 'note'], types: [] }
  expect(addArrival(NO_ARRIVALS, added(1, 'other'), filter)).toBe(NO_ARRIVALS)
  expect(addArrival(NO_ARRIVALS, added(1), { ...filter, types: ['feature'] })).toBe(NO_ARRIVALS)
  const prompt = { id: 1 } as Prompt
  expect(addArrival(NO_ARRIVALS, event({ kind: 'prompt-added', prompt, project: asProjectKey('app') }), filter)).toBe(NO_ARRIVALS)
  expect(addArrival(NO_ARRIVALS, event({ kind: 'session-completed', sessionId: 1 }), filter)).toBe(NO_ARRIVALS)
  expect(addArrival(NO_ARRIVALS, added(1), filter).keys.size).toBe(1)
})

test('counting stops at 500 memories', () => {
  let arrivals = NO_ARRIVALS
  for (let id = 0; id < 5000; id++) arrivals = addArrival(arrivals, added(id), all)
  expect(arrivals.keys.size).toBeLessThanOrEqual(500)
  expect(describeArrivals(arrivals)).toBe('500+ new')
})

test('live events are added to the count by the worker', () => {
  expect(hasArrivals(arrivalsFromCount(0))).toBe(false)
  expect(describeArrivals(addArrival(arrivalsFromCount(3), added(9), all))).toBe('4 new')
})
