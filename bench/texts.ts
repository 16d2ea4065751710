/**
 * Real text to measure with, from folders on this machine: code and documents, cut into passages as long as memories are. Of fifty names of
 * files one is kept back for the questions wherever it lies, because the same file is often there twice: what is asked should hardly stand in
 * a passage word for word.
 */
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

type Texts = { passages: Generator<string>; questions: string[]; files: number; step: number }

const READ = 'c,cpp,go,h,java,js,jsx,kt,md,mjs,php,py,rb,rs,rst,scala,sh,swift,ts,tsx,txt'
/** A title, a prompt with its answer, a summary. */
const LENGTHS = [120, 350, 900]
const QUESTION = { shortest: 30, longest: 160 }
/** Of a long file the beginning: the rest is often a table. */
const LONGEST_FILE = 200_000
const KEPT_BACK = 50

/** Different passages, at least about as many as wanted: they overlap where there is little text, and leave gaps where there is much. */
export function textsIn(folders: string[], wanted: number, questions: number): Texts {
  const paths = folders.flatMap((folder) => pathsIn(folder)).sort((a, b) => a.order - b.order)
  const [asked = [], told = []] = [true, false].map((isKeptBack) => paths.filter((path) => path.isKeptBack === isKeptBack))
  const all = told.reduce((sum, { size }) => sum + size, 0)
  // A little closer than needed: some passages are there twice.
  const step = Math.max(1, Math.floor(all / wanted / 1.6))
  return { passages: passagesOf(told, step), questions: questionsOf(asked, questions), files: told.length, step }
}

type Path = { path: string; size: number; order: number; isKeptBack: boolean }

/** Text files in an order that is the same on every run and has nothing to do with where they lie. */
function pathsIn(folder: string): Path[] {
  const glob = new Bun.Glob(`**/*.{${READ}}`)
  const paths = [...glob.scanSync({ cwd: folder, dot: true, followSymlinks: false })]
  return paths
    .filter((path) => !path.includes('.min.'))
    .map((path) => ({
      path: join(folder, path),
      size: Math.min(LONGEST_FILE, Bun.file(join(folder, path)).size),
      order: numberOf(path),
      isKeptBack: numberOf(basename(path)) % KEPT_BACK === 0,
    }))
}

const numberOf = (text: string) => Number(BigInt(Bun.hash(text)) & 0xffffffffn)

function* passagesOf(paths: Path[], step: number): Generator<string> {
  const seen = new Set<number | bigint>()
  for (const { path, order } of paths) {
    const text = textOf(path)
    for (let at = order % step, nth = 0; at < text.length; at += step, nth++) {
      const passage = text.slice(at, at + (LENGTHS[nth % LENGTHS.length] as number))
      const hash = Bun.hash(passage)
      if (passage.length < 40 || seen.has(hash)) continue
      seen.add(hash)
      yield passage
    }
  }
}

/** Lines as long as a question, from all over the files. */
function questionsOf(paths: Path[], wanted: number): string[] {
  const ofEach = Math.ceil((2 * wanted) / paths.length)
  const lines = paths.flatMap(({ path }) => {
    const fitting = textOf(path)
      .split('\n')
      .map((line) => line.replace(/^[\s/*#>|-]+/, '').trim())
      .filter((line) => line.length >= QUESTION.shortest && line.length <= QUESTION.longest && /[a-z] [a-z]/.test(line))
    const apart = Math.max(1, Math.floor(fitting.length / ofEach))
    return fitting.filter((_, nth) => nth % apart === apart >> 1).slice(0, ofEach)
  })
  return [...new Set(lines)].slice(0, wanted)
}

function textOf(path: string): string {
  return readFileSync(path, 'utf8')
    .slice(0, LONGEST_FILE)
    .replace(/[ \t]+/g, ' ')
}
