import { join } from 'node:path'
import { readBytes } from '../platform/files.ts'
import { shippedFolder } from '../platform/shipped.ts'

/** Where the table of word vectors stands that is shipped, and with it the vocabulary that all our embedders cut text by. */
export const shippedEmbedder = () => join(shippedFolder(), 'assets', 'embedder')

export const VOCABULARY_FILE = 'vocabulary.txt'

/** A piece a line. */
export function readVocabulary(folder = shippedEmbedder()): string {
  return new TextDecoder().decode(readBytes(join(folder, VOCABULARY_FILE)))
}
