import { expect, test } from 'bun:test'
import { closestName } from './closest-name.ts'

test.each([
  ['mian', 'main'],
  ['amin', 'main'],
  ['mai', 'main'],
  ['Serach', 'search'],
  ['releese', 'release'],
  ['niam', null],
  ['zzyzx', null],
])('the closest name to %s is %p', (word, closest) => {
  expect(closestName(word, ['release', 'search', 'main', 'develop'])).toBe(closest)
})
