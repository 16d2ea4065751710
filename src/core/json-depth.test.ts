import { expect, test } from 'bun:test'
import { processorTime } from '../../test/support/growth.ts'
import { isJsonDeeperThan } from './json-depth.ts'

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
])('%s is nested deeper than three: %p', (json, deeper) => {
  expect(isJsonDeeperThan(bytes(json), 3)).toBe(deeper)
})

test('hostile input is checked quickly', () => {
  const used = processorTime()
  isJsonDeeperThan(bytes(`["${'\\"'.repeat(1_000_000)}`), 100)
  isJsonDeeperThan(bytes('[]'.repeat(1_000_000)), 100)
  expect(isJsonDeeperThan(bytes('['.repeat(1_000_000)), 1000)).toBe(true)
  expect(used()).toBeLessThan(1500)
})
