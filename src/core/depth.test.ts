import { expect, test } from 'bun:test'
import { processorTime } from '../../test/support/growth.ts'
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
  const used = processorTime()
  isDeeperThan(bytes(`["${'\\"'.repeat(1_000_000)}`), 100)
  isDeeperThan(bytes('[]'.repeat(1_000_000)), 100)
  expect(isDeeperThan(bytes('['.repeat(1_000_000)), 1000)).toBe(true)
  expect(used()).toBeLessThan(1500)
})
