import { expect, test } from 'bun:test'
import { clip, firstLine, linesOf, shorten } from './text.ts'

test('a short text is only put on one line', () => {
  expect(shorten('  two\n\t words ', 20)).toBe('two words')
  expect(firstLine('\n\n  first  \nsecond', 20)).toBe('first')
  expect(firstLine('   \n  ', 20)).toBe('')
})

test('a long text is cut at a word and never exceeds the limit', () => {
  expect(shorten('the quick brown fox jumps', 21)).toBe('the quick brown fox…')
  for (let max = 1; max < 30; max++) expect(shorten('the quick brown fox jumps over it', max).length).toBeLessThanOrEqual(max)
})

test('a long word is cut at the limit', () => {
  expect(shorten('x'.repeat(50), 10)).toBe(`${'x'.repeat(9)}…`)
})

test('a cut never splits a character', () => {
  for (const faces of ['😀'.repeat(40), '\u{10000}'.repeat(40), '\u{103ff}'.repeat(40)])
    for (let max = 1; max < 60; max++) {
      expect(shorten(faces, max).isWellFormed()).toBe(true)
      expect(clip(faces, max).isWellFormed()).toBe(true)
    }
})

test('a clipped text keeps its start and end and says how much is missing', () => {
  const text = `${'a'.repeat(500)}${'b'.repeat(500)}`
  const clipped = clip(text, 200)
  expect(clipped.length).toBeLessThanOrEqual(200)
  expect(clipped).toStartWith('aaa')
  expect(clipped).toEndWith('bbb')
  expect(clipped).toContain('800 characters left out')
  expect(clip(text, 1000)).toBe(text)
})

test('a very small limit still works', () => {
  expect(clip('\udc00'.repeat(100), 1)).toContain('left out')
})

test('lines lose their carriage return, and a very long one its end', () => {
  expect(linesOf('one\r\ntwo\n\n12345', 4)).toEqual(['one', 'two', '', '1234'])
})
