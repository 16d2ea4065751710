import { splitLines } from '../core/line-splitter.ts'
import { readRegularFileFrom } from './files.ts'

/** The lines of a text file of any size, read as a stream. Throws with the path when the file cannot be read or has a line over the limit. */
export async function* readTextLines(path: string): AsyncGenerator<string> {
  try {
    yield* splitLines(readRegularFileFrom(path, 0))
  } catch (cause) {
    throw new Error(`could not read ${path}: ${(cause as Error).message}`, { cause })
  }
}
