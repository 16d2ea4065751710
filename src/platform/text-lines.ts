import { splitLines } from '../core/line-splitter.ts'

/** The lines of a text file of any size, read as a stream. Throws with the path when the file cannot be read or has a line over the limit. */
export async function* readTextLines(path: string): AsyncGenerator<string> {
  try {
    yield* splitLines(Bun.file(path).stream())
  } catch (cause) {
    throw new Error(`could not read ${path}: ${(cause as Error).message}`, { cause })
  }
}
