import { expect, test } from 'bun:test'
import { isDeeperThan } from './depth.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test.each<[string, boolean]>([
  ['[[[]]]', false],
  ['[[[[]]]]', true],
  ['{"a":{"b":[{}]}}', true],
  ['[[],[],[[]]]', false],
  ['["[[[[[["]', false],
  ['["\\"[[[["]', false],
  ['["\\\\",[[[]]]]', true],
  ['["', false],
  ['', false],
])('%s is deeper than three: %p', (json, deeper) => {
  expect(isDeeperThan(bytes(json), 3)).toBe(deeper)
})

test('what is built to be slow is not', () => {
  const started = performance.now()
  isDeeperThan(bytes(`["${'\\"'.repeat(1_000_000)}`), 100)
  isDeeperThan(bytes('[]'.repeat(1_000_000)), 100)
  expect(isDeeperThan(bytes('['.repeat(1_000_000)), 1000)).toBe(true)
  expect(performance.now() - started).toBeLessThan(1500)
})
