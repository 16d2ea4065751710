/** Splits a stream into lines, whatever the size of its chunks. A newline ends a line; a `\r` before it stays in the text. */
import { inMegabytes, MAX_PAYLOAD_BYTES } from './limits.ts'

/**
 * A line without its newline; `bytes` includes the newline. A line over the limit has no text, only its first and last few hundred bytes: enough
 * to say which line it was.
 */
export type SplitLine = { text: string; bytes: number } | { text: null; bytes: number; start: string; end: string }

export type LineSplitter = {
  /** The lines that this chunk completes. A string must not end in the middle of a surrogate pair. */
  push(chunk: Uint8Array | string): SplitLine[]
  /** The last line when no newline ended it, else null. The splitter is then empty. */
  finish(): SplitLine | null
}

/** The text lines of a stream, including a last line without a newline. Throws when a line exceeds the limit. */
export async function* splitLines(
  chunks: AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>,
  maxLineBytes: number = MAX_PAYLOAD_BYTES,
): AsyncGenerator<string> {
  const splitter = openLineSplitter(maxLineBytes)
  for await (const chunk of chunks) for (const line of splitter.push(chunk)) yield textOf(line, maxLineBytes)
  const last = splitter.finish()
  if (last) yield textOf(last, maxLineBytes)
}

function textOf({ text }: SplitLine, maxLineBytes: number): string {
  if (text === null) throw new Error(`a line is longer than ${inMegabytes(maxLineBytes)}`)
  return text
}

/** For callers that receive chunks in a callback, need the size of each line, or go on after a line that is too long. */
export function openLineSplitter(maxLineBytes: number = MAX_PAYLOAD_BYTES): LineSplitter {
  const decoder = new TextDecoder()
  const encoder = new TextEncoder()
  let pieces: Uint8Array[] = []
  let bytes = 0
  let tooLong: { start: Uint8Array; end: Uint8Array } | null = null

  const add = (piece: Uint8Array): void => {
    bytes += piece.length
    if (tooLong) tooLong.end = concat([tooLong.end, piece]).slice(-EXCERPT_BYTES)
    else if (piece.length > 0) pieces.push(piece)
    if (tooLong || bytes <= maxLineBytes) return
    const line = concat(pieces)
    tooLong = { start: line.slice(0, EXCERPT_BYTES), end: line.slice(-EXCERPT_BYTES) }
    pieces = []
  }
  const takeLine = (newlineBytes: number): SplitLine => {
    const size = bytes + newlineBytes
    const line: SplitLine = tooLong
      ? { text: null, bytes: size, start: decoder.decode(tooLong.start), end: decoder.decode(tooLong.end) }
      : { text: decoder.decode(concat(pieces)), bytes: size }
    pieces = []
    bytes = 0
    tooLong = null
    return line
  }

  return {
    push(chunk) {
      const data = typeof chunk === 'string' ? encoder.encode(chunk) : chunk
      const lines: SplitLine[] = []
      let start = 0
      for (let end = data.indexOf(NEWLINE); end >= 0; end = data.indexOf(NEWLINE, start)) {
        add(data.subarray(start, end))
        lines.push(takeLine(1))
        start = end + 1
      }
      // The stream may reuse the chunk's memory, so the part that waits for the next chunk is copied.
      add(data.slice(start))
      return lines
    },
    finish: () => (bytes === 0 ? null : takeLine(0)),
  }
}

const NEWLINE = 10
const EXCERPT_BYTES = 400

function concat(pieces: Uint8Array[]): Uint8Array {
  const [only] = pieces
  if (only && pieces.length === 1) return only
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
