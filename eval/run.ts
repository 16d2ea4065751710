/**
 * `npm run eval`: scores the product's search, recall and brief on the evaluation sets in ../shared/eval, next to simple baselines, and writes the
 * tables into docs/evaluation.md between its marks. `--check` only prints them. `--minilm` and `--table <folder>` instead compare the
 * sentence model, or another table of word vectors, with the shipped table. `npm run eval -- distill` scores distillation
 * (`distill-report.ts`), `npm run eval -- stale` the check of memories against the code (`stale/`).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import type { RankingScore } from '../src/evaluate/evaluate.ts'
import { scoreBrief } from './brief.ts'
import { hasData, NO_DATA } from './data.ts'
import { scoreDecisions } from './decisions.ts'
import { printDistill } from './distill-report.ts'
import { type OpenEmbedder, sentenceModel, shippedTable, tableIn } from './meaning.ts'
import { plainCommitRecall, plainLocomo, plainLocomoSessions } from './plain.ts'
import { scoreRules } from './rules.ts'
import { byDefault, byVectorsOf, byWords, byWordsAnd, type SearchMethod } from './search-methods.ts'
import { openCommitRecall, scoreLocomo, scoreLocomoSessions } from './sets.ts'
import { briefTable, decisionTable, replaceBetweenMarks, ruleTable, searchTable } from './table.ts'

const EVALUATION_PAGE = join(import.meta.dir, '..', 'docs', 'evaluation.md')

const USAGE = `npm run eval -- [--check | --minilm | --table <folder>]
       npm run eval -- distill --help
       npm run eval -- stale --help`

type Row = [set: string, method: string, RankingScore]

if (process.argv[2] === 'distill') await printDistill(process.argv.slice(3))
else if (process.argv[2] === 'stale') await (await import('./stale/report.ts')).printStale(process.argv.slice(3))
else {
  const flag = { type: 'boolean', default: false } as const
  const options = { check: flag, minilm: flag, table: { type: 'string', multiple: true } } as const
  const { values } = parseArguments(USAGE, options)
  if (hasData) await printScores({ table: [], ...values })
  else console.log(NO_DATA)
}

async function printScores(values: { check: boolean; minilm: boolean; table: string[] }): Promise<void> {
  const others: [string, OpenEmbedder][] = values.table.map((folder) => [basename(folder), tableIn(folder)])
  if (values.minilm) others.push(['minilm', sentenceModel])
  if (others.length > 0) {
    console.log(searchTable(await scoreEmbedders([['static', shippedTable], ...others])))
    return
  }
  const measured = `Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run eval\`.`
  const tables = [
    searchTable(await scoreProduct()),
    decisionTable(await scoreDecisions()),
    ruleTable(await scoreRules()),
    briefTable(await scoreBrief()),
    measured,
  ].join('\n\n')
  console.log(tables)
  if (!values.check) writeFileSync(EVALUATION_PAGE, replaceBetweenMarks(readFileSync(EVALUATION_PAGE, 'utf8'), tables))
}

async function scoreProduct(): Promise<Row[]> {
  const plain: Row[] = [
    ['LoCoMo, turns', 'plain bm25', plainLocomo()],
    ['LoCoMo, sessions', 'plain bm25', plainLocomoSessions()],
    ['CommitRecall, sessions', 'plain bm25', plainCommitRecall()],
  ]
  const methods: [string, SearchMethod][] = [
    ['by words', byWords],
    ['by words and meaning', byDefault],
  ]
  return groupBySet([...plain, ...(await scoreMethods(methods))])
}

/** Scores each embedder twice: together with words, and alone. */
async function scoreEmbedders(embedders: [string, OpenEmbedder][]): Promise<Row[]> {
  const methods = embedders.flatMap(([name, open]): [string, SearchMethod][] => [
    [`words and ${name}`, byWordsAnd(open)],
    [`${name} alone`, byVectorsOf(open)],
  ])
  return groupBySet(await scoreMethods(methods))
}

async function scoreMethods(methods: [string, SearchMethod][]): Promise<Row[]> {
  using commits = await openCommitRecall()
  const table: Row[] = []
  for (const [name, method] of methods) {
    const { sessions, rows } = await commits.score(method)
    table.push(['LoCoMo, turns', name, await scoreLocomo(method)])
    table.push(['LoCoMo, sessions', name, await scoreLocomoSessions(method)])
    table.push(['CommitRecall, sessions', name, sessions], ['CommitRecall, row by row', name, rows])
  }
  return table
}

function groupBySet(rows: Row[]): Row[] {
  return [...Map.groupBy(rows, ([set]) => set).values()].flat()
}
