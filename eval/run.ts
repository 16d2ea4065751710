/**
 * `npm run eval`: scores the product's own search and brief on the evaluation sets in ../shared/eval, beside what plain means give, and
 * writes the table into README.md between its two marks. `--check` only prints it. `--minilm` and `--table <folder>` print instead how the
 * sentence model, or another table of word vectors, scores beside the one that comes along. `npm run eval -- distill` scores how turns are
 * told (`tell.ts`).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { given } from '../scripts/given.ts'
import type { RankingScore } from '../src/evaluate/evaluate.ts'
import { scoreBrief } from './brief.ts'
import { hasData, NO_DATA } from './data.ts'
import { type Open, sentenceModel, shippedTable, tableIn } from './meaning.ts'
import { plainCommitRecall, plainLocomo, plainLocomoSessions } from './plain.ts'
import { openCommitRecall, scoreLocomo, scoreLocomoSessions } from './sets.ts'
import { between, briefTable, searchTable } from './table.ts'
import { printDistill } from './tell.ts'
import { byDefault, byVectorsOf, byWords, byWordsAnd, type Way } from './ways.ts'

const README = join(import.meta.dir, '..', 'README.md')

const USAGE = `npm run eval -- [--check | --minilm | --table <folder>]
       npm run eval -- distill …, which has a --help of its own`

type Row = [set: string, way: string, RankingScore]

if (process.argv[2] === 'distill') await printDistill(process.argv.slice(3))
else {
  const flag = { type: 'boolean', default: false } as const
  const options = { check: flag, minilm: flag, table: { type: 'string', multiple: true } } as const
  const { values } = given(USAGE, options)
  if (hasData) await score({ table: [], ...values })
  else console.log(NO_DATA)
}

async function score(values: { check: boolean; minilm: boolean; table: string[] }): Promise<void> {
  const others: [string, Open][] = values.table.map((folder) => [basename(folder), tableIn(folder)])
  if (values.minilm) others.push(['minilm', sentenceModel])
  if (others.length > 0) console.log(searchTable(await embedders([['static', shippedTable], ...others])))
  else {
    const measured = `Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run eval\`.`
    const tables = [searchTable(await product()), briefTable(await scoreBrief()), measured].join('\n\n')
    console.log(tables)
    if (!values.check) writeFileSync(README, between(readFileSync(README, 'utf8'), tables))
  }
}

async function product(): Promise<Row[]> {
  const plain: Row[] = [
    ['LoCoMo, turns', 'plain bm25', plainLocomo()],
    ['LoCoMo, sessions', 'plain bm25', plainLocomoSessions()],
    ['CommitRecall, sessions', 'plain bm25', plainCommitRecall()],
  ]
  const ways: [string, Way][] = [
    ['by words', byWords],
    ['by words and meaning', byDefault],
  ]
  return bySet([...plain, ...(await scores(ways))])
}

/** Each beside the words, and alone. */
async function embedders(all: [string, Open][]): Promise<Row[]> {
  const ways = all.flatMap(([name, open]): [string, Way][] => [
    [`words and ${name}`, byWordsAnd(open)],
    [`${name} alone`, byVectorsOf(open)],
  ])
  return bySet(await scores(ways))
}

async function scores(ways: [string, Way][]): Promise<Row[]> {
  using commits = await openCommitRecall()
  const rows: Row[] = []
  for (const [name, way] of ways) {
    const { sessions, rows: asShown } = await commits.score(way)
    rows.push(['LoCoMo, turns', name, await scoreLocomo(way)])
    rows.push(['LoCoMo, sessions', name, await scoreLocomoSessions(way)])
    rows.push(['CommitRecall, sessions', name, sessions], ['CommitRecall, row by row', name, asShown])
  }
  return rows
}

function bySet(rows: Row[]): Row[] {
  return [...Map.groupBy(rows, ([set]) => set).values()].flat()
}
