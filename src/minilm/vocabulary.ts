import { join } from 'node:path'
import { readBytes } from '../platform/files.ts'
import { shippedFilesFolder } from '../platform/shipped-files.ts'

/** The shipped folder with the table of word vectors and the vocabulary. The table and MiniLM use the same vocabulary. */
export const shippedEmbedderFolder = () => join(shippedFilesFolder(), 'assets', 'embedder')

export const VOCABULARY_FILE = 'vocabulary.txt'

/** The text of the vocabulary: one word piece per line. */
export function readVocabulary(folder = shippedEmbedderFolder()): string {
  return new TextDecoder().decode(readBytes(join(folder, VOCABULARY_FILE)))
}
