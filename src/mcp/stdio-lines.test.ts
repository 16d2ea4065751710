import { expect, test } from 'bun:test'
import { lineSplitter } from './stdio-lines.ts'

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

test('a line that is too long is dropped and refused by its id, and the next one is heard', () => {
  const piece = 'x'.repeat(1024 * 1024)
  const long = (start: string, end: string) => [start, ...Array.from({ length: 17 }, () => piece), `${end}\n`]
  const refused: { jsonrpc: string; id: unknown; error: { message: string } }[] = []
  const lines: string[] = []
  const take = lineSplitter(
    (line) => lines.push(line),
    (answer) => refused.push(JSON.parse(answer)),
  )
  for (const chunk of [
    ...long('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"text":"', '"}}'),
    ...long('{"method":"tools/call","params":{"id":1,"text":"', '"},"jsonrpc":"2.0","id":"a-8"}'),
    ...long('', ''),
    `${'é'.repeat(9 * 1024 * 1024)}\n`,
    '{"after":1}\n',
  ])
    take(new TextEncoder().encode(chunk))
  expect(refused.map(({ id }) => id)).toEqual([7, 'a-8', null, null])
  expect(refused[0]).toMatchObject({ jsonrpc: '2.0', error: { message: expect.stringContaining('16 MB') } })
  expect(lines).toEqual(['{"after":1}'])
})
