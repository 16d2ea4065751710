import { expect, test } from 'bun:test'
import { fitToTerminal, formatBytes, plural, table } from './print.ts'

test('columns are as wide as they must be, also for wide letters, and lines do not end in blanks', () => {
  expect(
    table([
      ['a', 'one', ''],
      ['记忆', 'x', 'last'],
    ]),
  ).toBe(['a     one', '记忆  x    last'].join('\n'))
  expect(table([])).toBe('')
})

test('a row with fewer cells than the first is a row all the same', () => {
  expect(table([['a', 'b', 'c'], ['long']])).toBe('a     b  c\nlong')
})

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KB'],
  [10 * 1024, '10 KB'],
  [1.5 * 1024 * 1024, '1.5 MB'],
  [5000 * 1024 ** 3, '5000 GB'],
])('%d bytes are %s', (bytes, said) => {
  expect(formatBytes(bytes)).toBe(said)
})

test('one is one and many are many', () => {
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
  ['piped: as long as it is', null, 'piped: as long as it is'],
])('“%s” in %p columns is “%s”', (line, width, shown) => {
  expect(fitToTerminal(line, width)).toBe(shown)
})
