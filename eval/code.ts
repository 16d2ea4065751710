/**
 * `bin/with-bun eval/code.ts`: finding code by its description. Each documented function of our own source is searched by its comment, among
 * all functions without their comments: by each local embedder alone, and, as a baseline, by the number of shared words.
 */
import { join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import { sentenceModel, shippedTable } from './meaning.ts'

parseArguments('eval/code.ts', {})
const signal = new AbortController().signal
const pairs = await functionsIn(join(import.meta.dir, '..', 'src'))
console.log('| search | first | among 5 | MRR | functions | ms per text |\n|---|---|---|---|---|---|')
const words = pairs.map(({ question, code }) => ({ queryWords: wordsOf(question), codeWords: wordsOf(code) }))
printRow(
  'shared words',
  words.map(({ queryWords }) => words.map(({ codeWords }) => queryWords.intersection(codeWords).size)),
  0,
)
for (const [name, open] of Object.entries({ static: shippedTable, minilm: sentenceModel })) {
  const opened = await open()
  if (opened.kind === 'absent') throw new Error(opened.reason)
  const started = performance.now()
  const questions = await opened.embedder.embed(
    pairs.map(({ question }) => question),
    signal,
  )
  const codes = await opened.embedder.embed(
    pairs.map(({ code }) => code),
    signal,
  )
  const ms = (performance.now() - started) / pairs.length / 2
  printRow(
    name,
    questions.map((question) => codes.map((code) => code.reduce((sum, value, d) => sum + value * (question[d] ?? 0), 0))),
    ms,
  )
  opened.embedder.close?.()
}

/** `scores` has a row for each question and a column for each function; the right answers are on the diagonal. */
function printRow(name: string, scores: number[][], ms: number): void {
  const ranks = scores.map((row, right) => 1 + row.filter((score) => score > (row[right] ?? 0)).length)
  const within = (n: number) => `${((100 * ranks.filter((rank) => rank <= n).length) / ranks.length).toFixed(1)}`
  const mrr = ranks.reduce((sum, rank) => sum + 1 / rank, 0) / ranks.length
  console.log(`| ${[name, within(1), within(5), mrr.toFixed(3), ranks.length, ms.toFixed(2)].join(' | ')} |`)
}

async function functionsIn(folder: string): Promise<{ question: string; code: string }[]> {
  const found: { question: string; code: string }[] = []
  for await (const path of new Bun.Glob('**/*.ts').scan(folder)) {
    if (path.endsWith('.test.ts')) continue
    const text = await Bun.file(join(folder, path)).text()
    for (const [, comment = '', code = ''] of text.matchAll(
      /^\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n((?:export )?(?:async )?function[\s\S]*?\n}\n)/gm,
    )) {
      found.push({
        question: comment.replace(/^\s*\* ?/gm, '').trim(),
        code: code.replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$/gm, '').slice(0, 2000),
      })
    }
  }
  return found
}

function wordsOf(text: string): Set<string> {
  return new Set(
    text
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/\p{L}{3,}/gu),
  )
}
