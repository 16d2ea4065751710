/**
 * `npm run eval`: scores the product's own search and brief on the evaluation sets in ../shared/eval, beside what plain means give, and
 * writes the table into README.md between its two marks. `--check` only prints it, `--minilm` prints the
 * sentence model's scores too. `npm run eval -- distill` scores how turns are told (`tell.ts`).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Result } from '../src/evaluate/evaluate.ts'
import { scoreBrief } from './brief.ts'
import { hasData } from './data.ts'
import { byEmbedder, byShippedTable } from './meaning.ts'
import { plainCommitRecall, plainLocomo, plainLocomoSessions } from './plain.ts'
import { scoreCommitRecall, scoreLocomo, scoreLocomoSessions } from './sets.ts'
import { between, briefTable, searchTable } from './table.ts'
import { printDistill } from './tell.ts'

const README = join(import.meta.dir, '..', 'README.md')
const words = async () => null

if (process.argv[2] === 'distill') await printDistill(process.argv.slice(3))
else if (!hasData) console.log('There is no ../shared/eval here, so there is nothing to evaluate.')
else {
  const byWords = await scoreCommitRecall(words)
  const byMeaning = await scoreCommitRecall(byShippedTable)
  const rows: [string, string, Result][] = [
    ['LoCoMo, turns', 'plain bm25', plainLocomo()],
    ['LoCoMo, turns', 'by words', await scoreLocomo(words)],
    ['LoCoMo, turns', 'by words and meaning', await scoreLocomo(byShippedTable)],
    ['LoCoMo, sessions', 'plain bm25', plainLocomoSessions()],
    ['LoCoMo, sessions', 'by words', await scoreLocomoSessions(words)],
    ['LoCoMo, sessions', 'by words and meaning', await scoreLocomoSessions(byShippedTable)],
    ['CommitRecall, sessions', 'plain bm25', plainCommitRecall()],
    ['CommitRecall, sessions', 'by words', byWords.sessions],
    ['CommitRecall, sessions', 'by words and meaning', byMeaning.sessions],
    ['CommitRecall, row by row', 'by words', byWords.rows],
    ['CommitRecall, row by row', 'by words and meaning', byMeaning.rows],
  ]
  const minilm = process.argv.includes('--minilm')
  if (minilm) {
    rows.push(['LoCoMo, turns', 'by words and minilm', await scoreLocomo(byEmbedder('minilm'))])
    rows.push(['LoCoMo, sessions', 'by words and minilm', await scoreLocomoSessions(byEmbedder('minilm'))])
    rows.push(['CommitRecall, sessions', 'by words and minilm', (await scoreCommitRecall(byEmbedder('minilm'))).sessions])
  }
  const measured = `Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run eval\`.`
  const tables = [searchTable(rows), briefTable(await scoreBrief()), measured].join('\n\n')
  console.log(tables)
  if (!minilm && !process.argv.includes('--check')) writeFileSync(README, between(readFileSync(README, 'utf8'), tables))
}
