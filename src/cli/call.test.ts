import { expect, test } from 'bun:test'
import { stripControlCharacters } from './call.ts'

test('control characters are removed from memories before they reach the terminal', () => {
  const parsed = JSON.parse(JSON.stringify({ title: '\u001b[31mred\u001b]0;owned\u0007\nline\ttab' }), stripControlCharacters)
  expect(parsed).toEqual({ title: '[31mred]0;owned\nline\ttab' })
})
