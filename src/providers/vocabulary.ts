import { join } from 'node:path'
import { readBytes } from '../platform/files.ts'
import { shippedFilesFolder } from '../platform/shipped-files.ts'

/** Where the table of word vectors stands that is shipped, and with it the vocabulary that all our embedders cut text by. */
export const shippedEmbedderFolder = () => join(shippedFilesFolder(), 'assets', 'embedder')

export const VOCABULARY_FILE = 'vocabulary.txt'

/** A piece a line. */
export function readVocabulary(folder = shippedEmbedderFolder()): string {
  return new TextDecoder().decode(readBytes(join(folder, VOCABULARY_FILE)))
}
