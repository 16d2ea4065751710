import { join } from 'node:path'

/** Where the table of word vectors stands that is shipped, and with it the vocabulary that all our embedders cut text by. */
export const SHIPPED = join(import.meta.dir, '../../assets/embedder')

export async function readVocabulary(folder = SHIPPED): Promise<string[]> {
  return (await Bun.file(join(folder, 'vocabulary.txt')).text()).trimEnd().split('\n')
}
