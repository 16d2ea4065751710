import { join } from 'node:path'
import type { Embedder, OpenedEmbedder } from '../embedder.ts'
import { openPieces, wordsApart } from '../pieces.ts'
import { unit } from '../unit.ts'
import { readVocabulary, shippedEmbedder } from '../vocabulary.ts'

export const STATIC_FILES = ['embedder.json', 'vocabulary.txt', 'rows.i8', 'scales.f32']

/**
 * A table of word-piece vectors: a text's vector is the sum of its pieces' vectors, brought to length one. No model runs, so a
 * question costs a hundredth of a millisecond and opening the table some twenty.
 *
 * The folder holds `embedder.json` (name and width), `vocabulary.txt` (a piece a line), `rows.i8` (a row of whole numbers for each
 * piece) and `scales.f32` (what a row's numbers are multiplied with).
 */
export async function openStaticEmbedder(folder = shippedEmbedder()): Promise<OpenedEmbedder> {
  const about = Bun.file(join(folder, 'embedder.json'))
  if (!(await about.exists())) return { kind: 'absent', reason: 'this installation carries no table of word vectors' }
  const [{ name, dimensions }, vocabulary, scales] = await Promise.all([
    about.json() as Promise<{ name: string; dimensions: number }>,
    readVocabulary(folder),
    Bun.file(join(folder, 'scales.f32')).arrayBuffer(),
  ])
  // Mapped, not read: the system brings in the rows that are used and may take them back.
  const rows = Bun.mmap(join(folder, 'rows.i8'))
  if (rows.byteLength !== vocabulary.length * dimensions || scales.byteLength !== vocabulary.length * 4) {
    return { kind: 'absent', reason: `the table of word vectors in ${folder} is not whole` }
  }
  return {
    kind: 'ready',
    embedder: staticEmbedder(
      name,
      dimensions,
      vocabulary,
      new Int8Array(rows.buffer, rows.byteOffset, rows.byteLength),
      new Float32Array(scales),
    ),
  }
}

function staticEmbedder(name: string, dimensions: number, vocabulary: string[], rows: Int8Array, scales: Float32Array): Embedder {
  const piecesOf = openPieces(vocabulary)
  const embedNow = (text: string): Float32Array => {
    const sum = new Float32Array(dimensions)
    for (const piece of piecesOf(wordsApart(text))) {
      const scale = scales[piece] ?? 0
      const from = piece * dimensions
      for (let d = 0; d < dimensions; d++) sum[d] = (sum[d] ?? 0) + (rows[from + d] ?? 0) * scale
    }
    return unit(sum)
  }
  return {
    name,
    dimensions,
    embedNow,
    embed: async (texts, signal) => {
      signal.throwIfAborted()
      return texts.map(embedNow)
    },
  }
}
