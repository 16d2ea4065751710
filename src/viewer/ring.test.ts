import { expect, test } from 'bun:test'
import { placeOnRing } from './ring.ts'

const BOX = { width: 1000, height: 700 }

test('earlier items are on the left, later ones on the right, all inside the box and apart from each other', () => {
  const items = Array.from({ length: 24 }, (_, i) => ({ name: i, side: i % 3 === 0 ? 'before' : 'after' }))
  const placed = placeOnRing(items, BOX)
  expect(placed).toHaveLength(24)
  for (const { side, x, y } of placed) {
    expect(side === 'before' ? x < 500 : x > 500).toBe(true)
    expect(x > 0 && x < 1000 && y > 0 && y < 700).toBe(true)
  }
  expect(new Set(placed.map(({ x, y }) => `${x.toFixed(0)},${y.toFixed(0)}`)).size).toBe(24)
})

test('a single item is level with the centre', () => {
  expect(placeOnRing([{ side: 'after' }], BOX)[0]).toMatchObject({ x: 840, y: 350 })
})
