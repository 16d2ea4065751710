import { expect, test } from 'bun:test'
import { fitToTerminal, formatBytes, plural, table } from './print.ts'

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
  ['a line that is too long', 10, 'a line th…'],
  ['记忆记忆记忆', 7, '记忆记…'],
  ['\u001b[1mbold \u001b[33mmarked\u001b[39m rest\u001b[22m', 9, '\u001b[1mbold \u001b[33mmar…\u001b[39m\u001b[22m'],
  ['piped output is not cut', null, 'piped output is not cut'],
])('“%s” cut to %p columns is “%s”', (line, width, shown) => {
  expect(fitToTerminal(line, width)).toBe(shown)
})
