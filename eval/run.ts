/** `npm run eval`: scores the product's own search on the evaluation sets in ../shared/eval, by words and by words and meaning. */
import { hasData } from './data.ts'
import { byShippedTable } from './meaning.ts'
import { type Prepare, scoreCommitRecall, scoreLocomo } from './sets.ts'

const percent = (value: number) => (100 * value).toFixed(1).padStart(5)
const sets = { 'LoCoMo, turns': scoreLocomo, 'CommitRecall, sessions': scoreCommitRecall }
const ways: Record<string, Prepare> = { words: async () => null, 'words and meaning': byShippedTable }

if (!hasData) console.log('There is no ../shared/eval here, so there is nothing to evaluate.')
else {
  console.log('| set | by | frac@5 | any@5 | frac@10 | any@10 | MRR | questions |\n|---|---|---|---|---|---|---|---|')
  for (const [name, run] of Object.entries(sets)) {
    for (const [way, prepare] of Object.entries(ways)) {
      const r = await run(prepare)
      const cells = [r['frac@5'], r['any@5'], r['frac@10'], r['any@10']].map(percent)
      console.log(`| ${[name, way, ...cells, r.mrr.toFixed(3), r.questions].join(' | ')} |`)
    }
  }
}
