import { expect, test } from 'bun:test'
import { temporaryStore } from '../../test/support/builders.ts'
import type { Cost } from '../core/cost.ts'

const cost = (given: Partial<Cost>): Cost => ({
  day: '2026-03-01',
  provider: 'anthropic',
  model: 'm',
  project: 'app',
  purpose: 'distill',
  calls: 1,
  failed: 0,
  input: 10,
  cached: 2,
  output: 3,
  usd: 0.25,
  unpriced: 0,
  ...given,
})

test('calls of a day add up per model, project and purpose, and the sum of some days is spent', async () => {
  using t = await temporaryStore()
  for (const one of [cost({}), cost({ failed: 1 }), cost({ model: 'other', usd: 1 }), cost({ day: '2026-03-02', unpriced: 2 })])
    await t.store.costs.add(one)
  expect(await t.store.costs.since('2026-03-01')).toEqual([
    cost({ day: '2026-03-02', unpriced: 2 }),
    cost({ model: 'other', usd: 1 }),
    cost({ calls: 2, failed: 1, input: 20, cached: 4, output: 6, usd: 0.5 }),
  ])
  expect(await t.store.costs.spent('2026-03-01', '2026-03-01')).toEqual({ usd: 1.5, unpriced: 0 })
  expect(await t.store.costs.spent('2026-03-02', '2026-03-31')).toEqual({ usd: 0.25, unpriced: 2 })
  expect(await t.store.costs.spent('2027-01-01', '2027-12-31')).toEqual({ usd: 0, unpriced: 0 })
})
