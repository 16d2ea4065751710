import { expect, test } from 'bun:test'
import { inDollars } from './cost.ts'

test('a cost without a known price is never shown as zero', () => {
  expect(inDollars({ usd: 0.0123, unpriced: 0 }, 4)).toBe('$0.0123')
  expect(inDollars({ usd: 0, unpriced: 0 }, 2)).toBe('$0.00')
  expect(inDollars({ usd: 0, unpriced: 3 }, 4)).toBe('price not known')
  expect(inDollars({ usd: 0.5, unpriced: 1 }, 2)).toBe('more than $0.50')
})
