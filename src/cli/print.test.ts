import { expect, test } from 'bun:test'
import { fitToTerminal, formatBytes, plural, table, wrapLine } from './print.ts'

test('table pads columns, counts wide letters as two, and leaves no trailing spaces', () => {
  expect(
    table([
      ['a', 'one', ''],
      ['记忆', 'x', 'last'],
    ]),
  ).toBe(['a     one', '记忆  x    last'].join('\n'))
  expect(table([])).toBe('')
})

test('table accepts a row with fewer cells than the first', () => {
  expect(table([['a', 'b', 'c'], ['long']])).toBe('a     b  c\nlong')
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KB'],
  [10 * 1024, '10 KB'],
  [1.5 * 1024 * 1024, '1.5 MB'],
  [5000 * 1024 ** 3, '5000 GB'],
])('%d bytes are printed as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test('plural uses the singular for one', () => {
  expect([plural(1, 'session'), plural(0, 'session'), plural(1234, 'memory', 'memories')]).toEqual([
    '1 session',
    '0 sessions',
    '1,234 memories',
  ])
})

test.each([
  ['short', 10, 'short'],
  ['a line that is too long', 10, 'a line…'],
  ['a line that is too long', 12, 'a line that…'],
  ['incomprehensibilities stay', 12, 'incomprehen…'],
  ['记忆记忆记忆', 7, '记忆记…'],
  ['\u001b[1mbold \u001b[33mmarked\u001b[39m rest\u001b[22m', 9, '\u001b[1mbold…\u001b[22m'],
  ['\u001b[1mbold \u001b[33mmarked\u001b[39m rest\u001b[22m', 13, '\u001b[1mbold \u001b[33mmarked\u001b[39m…\u001b[22m'],
  ['piped output is not cut', null, 'piped output is not cut'],
])('“%s” cut to %p columns is “%s”', (line, width, shown) => {
  expect(fitToTerminal(line, width)).toBe(shown)
})

test.each([
  ['one two three four', 9, 'one two\nthree\nfour'],
  ['  - one two three', 9, '  - one\n  two\n  three'],
  ['a/very/long/path/of/a/file next', 10, 'a/very/long/path/of/a/file\nnext'],
  ['\u001b[2mone two\u001b[22m', 5, '\u001b[2mone \u001b[22m\n\u001b[2mtwo\u001b[22m'],
])('%j wrapped to %d columns breaks no word', (line, width, wrapped) => {
  expect(wrapLine(line, width)).toBe(wrapped)
})

test('the rest of a table cell continues below the cell', () => {
  expect(wrapLine('Name  one two three', 12, '      ')).toBe('Name  one\n      two\n      three')
})
