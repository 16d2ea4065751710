import { expect, test } from 'bun:test'
import { connectorPath } from './connectors.ts'

const centre = { left: 300, right: 500, top: 100, height: 40 }
const frame = { left: 20, top: 10 }

test('a cause is connected from its right edge to the left edge of the memory', () => {
  expect(connectorPath({ left: 20, right: 200, top: 10, height: 20 }, centre, frame)).toBe('M180 10C230 10 230 110 280 110')
})

test('an effect is connected from its left edge to the right edge of the memory', () => {
  expect(connectorPath({ left: 600, right: 800, top: 190, height: 20 }, centre, frame)).toBe('M580 190C530 190 530 110 480 110')
})
