import { expect, test } from 'bun:test'
import { repeatsText } from './repeated-text.ts'

const KNOWN = 'Settled: the retry of the ledger waits 250 ms in src/retry.ts, because the museum answers slowly.'

test('a text repeats another if nearly all of its words are there, in any order and case', () => {
  expect(repeatsText(KNOWN, 'The LEDGER retry waits 250 ms')).toBe(true)
  expect(repeatsText(KNOWN, 'the retry waits 500 ms forever now')).toBe(false)
  expect(repeatsText(KNOWN, '')).toBe(true)
})

test('a text repeats another if it begins with the same five words, however it goes on', () => {
  expect(repeatsText(KNOWN, 'The retry of the ledger is a long story about herons, pelicans and geese')).toBe(true)
  expect(repeatsText(KNOWN, 'A long story about herons, pelicans and geese: the retry of the ledger')).toBe(false)
})

test('a path counts by the name of its file', () => {
  expect(repeatsText(KNOWN, 'packages/core/retry.ts')).toBe(true)
})
