import { expect, test } from 'bun:test'
import { countTokens } from './tokens.ts'

test('an empty text has no tokens, any other at least one', () => {
  expect(countTokens('')).toBe(0)
  expect(countTokens('a')).toBe(1)
})

test('English has four characters per token, Chinese little more than one', () => {
  expect(countTokens('four'.repeat(100))).toBe(100)
  expect(countTokens('记忆'.repeat(50))).toBe(80)
})

test('two texts together never have more tokens than separately', () => {
  const parts = ['', 'a', 'abc', 'word word', '记忆', 'a记忆b', '😀😀😀', '\n']
  for (const a of parts) for (const b of parts) expect(countTokens(a + b)).toBeLessThanOrEqual(countTokens(a) + countTokens(b))
})
