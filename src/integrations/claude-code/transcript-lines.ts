/**
 * The lines of a transcript, in whatever state the file is: packed, still being written, with two objects on one line, or with a line that
 * a crash cut off.
 */
import { MAX_PAYLOAD_BYTES } from '../../core/limits.ts'
import { openLineSplitter } from '../../core/line-splitter.ts'
import { readRegularFileFrom } from '../../platform/files.ts'
import { isRecord } from './payload.ts'

export async function* readTranscriptBytes(path: string, offset: number, packed: boolean): AsyncGenerator<Uint8Array> {
  try {
    const bytes = readRegularFileFrom(path, packed ? 0 : offset)
    yield* packed ? streamOf(bytes).pipeThrough(new DecompressionStream('gzip')) : bytes
  } catch (cause) {
    throw new Error(`could not read the transcript ${path}`, { cause })
  }
}

function streamOf(chunks: AsyncGenerator<Uint8Array<ArrayBuffer>>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull: async (controller) => {
      const { value, done } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await chunks.return(undefined)),
  })
}

/**
 * Lines and their size in bytes, newline included; the text of a line over the limit is null. An unfinished last line is held back while the
 * client may still be writing it.
 */
export async function* splitTranscriptLines(
  chunks: AsyncIterable<Uint8Array>,
  finished: boolean,
): AsyncGenerator<{ text: string | null; bytes: number }> {
  const splitter = openLineSplitter()
  for await (const chunk of chunks) yield* splitter.push(chunk)
  const last = splitter.finish()
  if (!last || last.text === null) return
  // A client that died before it wrote the newline may still have written a complete object.
  if (finished || parseJson(last.text) !== undefined) yield last
}

export function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/**
 * The objects on a line that is not one JSON object. Two share a line when the newline between them was lost; after a crash the next
 * object follows a line that was cut off. After a cut, only objects that name their session count, because others may be part of
 * the broken one. `torn` is 1 when something was lost.
 */
export function salvageObjects(written: string): { objects: unknown[]; torn: number } {
  const objects: unknown[] = []
  let torn = 0
  let at = written.indexOf('{')
  if (at < 0) return { objects, torn: 1 }
  // Give up on a line that is broken in many places before it costs more than the longest line.
  for (let budget = MAX_PAYLOAD_BYTES; at >= 0 && budget > 0; ) {
    const end = objectEnd(written, at)
    budget -= (end < 0 ? written.length : end) - at
    const object = end < 0 ? undefined : parseJson(written.slice(at, end))
    if (object !== undefined && (torn === 0 || (isRecord(object) && 'sessionId' in object))) objects.push(object)
    if (object === undefined && torn === 0) torn = 1
    LINE_START.lastIndex = object === undefined ? at + 1 : end
    at = LINE_START.exec(written)?.index ?? -1
  }
  return { objects, torn }
}

const LINE_START = /\{"(?:parentUuid|logicalParentUuid|isSidechain|type|uuid|sessionId)":/g

/** The end of the object that starts at `start`, or -1. Braces inside strings do not count. */
function objectEnd(json: string, start: number): number {
  let depth = 0
  let inString = false
  for (let i = start; i < json.length; i++) {
    const char = json[i]
    if (inString) {
      if (char === '\\') i++
      else if (char === '"') inString = false
    } else if (char === '"') inString = true
    else if (char === '{') depth++
    else if (char === '}' && --depth === 0) return i + 1
  }
  return -1
}
