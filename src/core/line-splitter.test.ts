import { expect, test } from 'bun:test'
import { openLineSplitter, splitLines } from './line-splitter.ts'

const collect = async (chunks: (Uint8Array | string)[], maxLineBytes?: number) => Array.fromAsync(splitLines(chunks, maxLineBytes))
const bytesOf = (text: string) => new TextEncoder().encode(text)

test('lines are complete whatever the chunks are, and the last needs no newline', async () => {
  expect(await collect(['a', 'b\nc', '\n\n', 'd'])).toEqual(['ab', 'c', '', 'd'])
  expect(await collect(['a\n'])).toEqual(['a'])
  expect(await collect([])).toEqual([])
})

test('a character that is cut by a chunk arrives whole', async () => {
  const bytes = bytesOf('"é😀"\n')
  expect(await collect([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(['"é😀"'])
})

test('a chunk may be reused by the stream after it was pushed', () => {
  const chunk = bytesOf('x\nab')
  const splitter = openLineSplitter()
  splitter.push(chunk)
  chunk.fill(0)
  expect(splitter.push('c\n')).toEqual([{ text: 'abc', bytes: 4 }])
})

test('the bytes of a line include its newline if it has one', () => {
  const splitter = openLineSplitter()
  expect(splitter.push('é\r\n\nz')).toEqual([
    { text: 'é\r', bytes: 4 },
    { text: '', bytes: 1 },
  ])
  expect([splitter.finish(), splitter.finish()]).toEqual([{ text: 'z', bytes: 1 }, null])
})

test('a line over the limit is reported by its two ends, and the next line is read', () => {
  const splitter = openLineSplitter(1000)
  const lines = ['<', 'x'.repeat(1000), 'y'.repeat(1000), '>\nnext\n'].flatMap((chunk) => splitter.push(chunk))
  expect(lines).toEqual([
    { text: null, bytes: 2003, start: `<${'x'.repeat(399)}`, end: `${'y'.repeat(399)}>` },
    { text: 'next', bytes: 5 },
  ])
  expect(splitter.push(`${'x'.repeat(1000)}\n`)).toEqual([{ text: 'x'.repeat(1000), bytes: 1001 }])
})

test('reading text lines stops with an error at a line over the limit', async () => {
  expect(collect(['ok\n', 'x'.repeat(2 * 1024 * 1024)], 1024 * 1024)).rejects.toThrow('a line is longer than 1 MB')
})
