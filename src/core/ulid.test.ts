import { expect, test } from 'bun:test'
import { isUlid, timeOfUlid, ulid, ulidOf } from './ulid.ts'

const AT = 1_700_000_000_123

test('an id contains its time and sorts by it', () => {
  expect(timeOfUlid(ulid(AT))).toBe(AT)
  expect(ulid(AT) < ulid(AT + 1)).toBe(true)
  expect(isUlid(ulid(AT))).toBe(true)
})

test('an id of a text has the usual length and is the same on every machine', () => {
  expect(isUlid(ulidOf('a note', AT))).toBe(true)
  expect(ulidOf('a note', AT)).toBe(ulidOf('a note', AT))
  expect(ulidOf('a note', AT)).not.toBe(ulidOf('another note', AT))
})

test('a time outside the range becomes the nearest that an id can contain', () => {
  expect(timeOfUlid(ulid(-5))).toBe(0)
  expect(timeOfUlid(ulid(2 ** 60))).toBe(2 ** 48 - 1)
})
