import { join } from 'node:path'
import { shippedFolder } from '../platform/shipped.ts'

/** Where the table of word vectors stands that is shipped, and with it the vocabulary that all our embedders cut text by. */
export const shippedEmbedder = () => join(shippedFolder(), 'assets', 'embedder')

export async function readVocabulary(folder = shippedEmbedder()): Promise<string[]> {
  return (await Bun.file(join(folder, 'vocabulary.txt')).text()).trimEnd().split('\n')
}
