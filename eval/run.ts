/** `npm run eval`: scores the product's own search on the evaluation sets in ../shared/eval. */
import { hasData } from './data.ts'
import { scoreCommitRecall, scoreLocomo } from './sets.ts'

if (!hasData) {
  console.log('There is no ../shared/eval here, so there is nothing to evaluate.')
  process.exit(0)
}
const percent = (value: number) => (100 * value).toFixed(1).padStart(5)
for (const [name, run] of [
  ['LoCoMo, turns', scoreLocomo],
  ['CommitRecall, sessions', scoreCommitRecall],
] as const) {
  const started = performance.now()
  const r = await run(async () => null)
  const cells = ['frac@5', 'any@5', 'frac@10', 'any@10'].map((key) => `${key} ${percent(r[key as 'frac@5'])}`)
  console.log(
    `${name.padEnd(24)} ${cells.join('  ')}  mrr ${r.mrr.toFixed(3)}  (${r.questions} questions, ${((performance.now() - started) / 1000).toFixed(1)} s)`,
  )
}
