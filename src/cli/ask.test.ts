import { expect, test } from 'bun:test'
import { stripControlCharacters } from './ask.ts'

test('what is remembered cannot speak to the terminal', () => {
  const heard = JSON.parse(JSON.stringify({ title: '\u001b[31mred\u001b]0;owned\u0007\nline\ttab' }), stripControlCharacters)
  expect(heard).toEqual({ title: '[31mred]0;owned\nline\ttab' })
})
