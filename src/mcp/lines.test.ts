import { expect, test } from 'bun:test'
import { lineSplitter } from './lines.ts'

function split(...chunks: (string | Uint8Array)[]): string[] {
  const lines: string[] = []
  const take = lineSplitter((line) => lines.push(line))
  for (const chunk of chunks) take(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk)
  return lines
}

test('lines come whole out of any pieces, with either ending', () => {
  expect(split('{"a"', ':1}\r\n{"b":2}\n\n{"c"', ':3}', '\n{"d"')).toEqual(['{"a":1}', '{"b":2}', '{"c":3}'])
  const [first, second] = [new TextEncoder().encode('"é"\n').slice(0, 2), new TextEncoder().encode('"é"\n').slice(2)]
  expect(split(first, second)).toEqual(['"é"'])
})

test('a line without an end is dropped, and the next one is heard', () => {
  const piece = 'x'.repeat(1024 * 1024)
  expect(split(...Array.from({ length: 20 }, () => piece), '\n{"after":1}\n')).toEqual(['{"after":1}'])
})
