import { expect, test } from 'bun:test'
import { nearest } from './nearest.ts'

test.each([
  ['mian', 'main'],
  ['amin', 'main'],
  ['mai', 'main'],
  ['Serach', 'search'],
  ['releese', 'release'],
  ['niam', null],
  ['zzyzx', null],
])('by %s somebody probably meant %p', (word, meant) => {
  expect(nearest(word, ['release', 'search', 'main', 'develop'])).toBe(meant)
})
