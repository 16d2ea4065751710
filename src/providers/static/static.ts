import { join } from 'node:path'
import { toUnitLength } from '../../core/unit-vector.ts'
import { readVocabulary, shippedEmbedderFolder, VOCABULARY_FILE } from '../../minilm/vocabulary.ts'
import { openWordPieceTokenizer, splitIdentifiers } from '../../minilm/word-pieces.ts'
import { fileSizeBytes, mapFileBytes, readBytes } from '../../platform/files.ts'
import type { Embedder, OpenedEmbedder } from '../embedder.ts'

const ABOUT_FILE = 'embedder.json'
const ROWS_FILE = 'rows.i8'
const SCALES_FILE = 'scales.f32'
export const STATIC_FILES = [ABOUT_FILE, VOCABULARY_FILE, ROWS_FILE, SCALES_FILE]

/**
 * A table of word-piece vectors. A text's vector is the sum of its pieces' vectors, scaled to length one. No model runs, so a query takes a
 * hundredth of a millisecond. The table is loaded with the first text, in about ten milliseconds, because many workers never embed one.
 *
 * The folder contains `embedder.json` (name and dimensions), `vocabulary.txt` (one piece per line), `rows.i8` (a row of integers for each
 * piece) and `scales.f32` (a factor for each row).
 */
export async function openStaticEmbedder(folder = shippedEmbedderFolder()): Promise<OpenedEmbedder> {
  const about = Bun.file(join(folder, ABOUT_FILE))
  if (!(await about.exists())) return { kind: 'absent', reason: 'this installation has no table of word vectors' }
  const { name, dimensions }: { name: string; dimensions: number } = await about.json()
  const pieces = fileSizeBytes(join(folder, SCALES_FILE)) / 4
  if (
    pieces === 0 ||
    fileSizeBytes(join(folder, VOCABULARY_FILE)) === 0 ||
    fileSizeBytes(join(folder, ROWS_FILE)) !== pieces * dimensions
  ) {
    return { kind: 'absent', reason: `the table of word vectors in ${folder} is incomplete; reinstall recollect` }
  }
  return { kind: 'ready', embedder: staticEmbedder(name, dimensions, folder) }
}

function staticEmbedder(name: string, dimensions: number, folder: string): Embedder {
  let table: ReturnType<typeof readTable> | null = null
  const embedNow = (text: string): Float32Array => {
    table ??= readTable(folder)
    const { piecesOf, rows, scales } = table
    const sum = new Float32Array(dimensions)
    for (const piece of piecesOf(splitIdentifiers(text))) {
      const scale = scales[piece] ?? 0
      const from = piece * dimensions
      for (let d = 0; d < dimensions; d++) sum[d] = (sum[d] ?? 0) + (rows[from + d] ?? 0) * scale
    }
    return toUnitLength(sum)
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

function readTable(folder: string) {
  const rows = mapFileBytes(join(folder, ROWS_FILE))
  return {
    piecesOf: openWordPieceTokenizer(readVocabulary(folder)),
    rows: new Int8Array(rows.buffer, rows.byteOffset, rows.byteLength),
    scales: new Float32Array(readBytes(join(folder, SCALES_FILE)).buffer),
  }
}
