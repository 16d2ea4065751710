import { expect, test } from 'bun:test'
import { abbreviateList, countNoun, unique } from './lists.ts'

test('of repeated texts the first is kept, and empty ones are left out', () => {
  expect(unique(['b', '', 'a', 'b', ''])).toEqual(['b', 'a'])
})

test('a long list says how many are left out', () => {
  expect([abbreviateList(['a', 'b'], 2), abbreviateList(['a', 'b', 'c'], 2)]).toEqual(['a, b', 'a, b and 1 more'])
})

test('a noun follows its number', () => {
  expect([0, 1, 2].map((n) => countNoun(n, 'test'))).toEqual(['0 tests', '1 test', '2 tests'])
})
