/**
 * Real text for benchmarks, from folders on this machine: code and documents, split into passages as long as memories. One of fifty file names is
 * reserved for queries, in every folder because the same file often occurs twice, so that queries rarely occur in a passage word for word.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

type BenchTexts = { passages: Generator<string>; queries: string[]; files: number; step: number }

const TEXT_FILE_ENDINGS = 'c,cpp,go,h,java,js,jsx,kt,md,mjs,php,py,rb,rs,rst,scala,sh,swift,ts,tsx,txt'
/** Like a title, a prompt with its answer, and a summary. */
const PASSAGE_CHARS = [120, 350, 900]
const QUERY_CHARS = { min: 30, max: 160 }
/** Only the start of a long file is used: the rest is often a table. */
const MAX_FILE_CHARS = 200_000
const QUERY_FILE_RATIO = 50

/** About as many different passages as wanted. They overlap if there is little text, and leave gaps if there is much. */
export function textsIn(folders: string[], wanted: number, queryCount: number): BenchTexts {
  const paths = folders.flatMap((folder) => pathsIn(folder)).sort((a, b) => a.order - b.order)
  const [queryFiles = [], passageFiles = []] = [true, false].map((isForQueries) =>
    paths.filter((path) => path.isForQueries === isForQueries),
  )
  const totalChars = passageFiles.reduce((sum, { size }) => sum + size, 0)
  // A little closer than needed, because some passages are duplicates.
  const step = Math.max(1, Math.floor(totalChars / wanted / 1.6))
  return { passages: passagesOf(passageFiles, step), queries: queriesOf(queryFiles, queryCount), files: passageFiles.length, step }
}

type TextFile = { path: string; size: number; order: number; isForQueries: boolean }

/** Text files, in an order that is the same in every run and independent of their folders. */
function pathsIn(folder: string): TextFile[] {
  const glob = new Bun.Glob(`**/*.{${TEXT_FILE_ENDINGS}}`)
  const paths = [...glob.scanSync({ cwd: folder, dot: true, followSymlinks: false })]
  return paths
    .filter((path) => !path.includes('.min.'))
    .map((path) => ({
      path: join(folder, path),
      size: Math.min(MAX_FILE_CHARS, Bun.file(join(folder, path)).size),
      order: numberOf(path),
      isForQueries: numberOf(basename(path)) % QUERY_FILE_RATIO === 0,
    }))
}

const numberOf = (text: string) => Number(BigInt(Bun.hash(text)) & 0xffffffffn)

function* passagesOf(paths: TextFile[], step: number): Generator<string> {
  const seen = new Set<number | bigint>()
  for (const { path, order } of paths) {
    const text = textOf(path)
    for (let at = order % step, nth = 0; at < text.length; at += step, nth++) {
      const passage = text.slice(at, at + (PASSAGE_CHARS[nth % PASSAGE_CHARS.length] as number))
      const hash = Bun.hash(passage)
      if (passage.length < 40 || seen.has(hash)) continue
      seen.add(hash)
      yield passage
    }
  }
}

/** Lines as long as a query, from everywhere in the files. */
function queriesOf(paths: TextFile[], wanted: number): string[] {
  const ofEach = Math.ceil((2 * wanted) / paths.length)
  const lines = paths.flatMap(({ path }) => {
    const fitting = textOf(path)
      .split('\n')
      .map((line) => line.replace(/^[\s/*#>|-]+/, '').trim())
      .filter((line) => line.length >= QUERY_CHARS.min && line.length <= QUERY_CHARS.max && /[a-z] [a-z]/.test(line))
    const apart = Math.max(1, Math.floor(fitting.length / ofEach))
    return fitting.filter((_, nth) => nth % apart === apart >> 1).slice(0, ofEach)
  })
  return [...new Set(lines)].slice(0, wanted)
}

function textOf(path: string): string {
  return readFileSync(path, 'utf8')
    .slice(0, MAX_FILE_CHARS)
    .replace(/[ \t]+/g, ' ')
}
