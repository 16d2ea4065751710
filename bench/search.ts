/** How search and the brief grow: bench/search.ts [sizes…], 10,000 and 100,000 observations unless others are named. */
import { asProjectKey } from '../src/core/ids.ts'
import { briefFor } from '../src/inject/brief.ts'
import { search } from '../src/retrieval/search.ts'
import { percentiles, seeded, storeWith, wordMaker } from './filled.ts'

const sizes = process.argv.slice(2).map(Number).filter(Boolean)
const GOALS: Record<string, Record<number, number>> = {
  'common words, all projects': { 100000: 10, 1000000: 50 },
  brief: { 100000: 10 },
}
for (const size of sizes.length > 0 ? sizes : [10_000, 100_000]) {
  const started = performance.now()
  using filled = await storeWith(size)
  const { store } = filled
  console.log(
    `\n${size.toLocaleString('en')} observations (filled in ${((performance.now() - started) / 1000).toFixed(0)} s, ${Math.round(store.bytes() / 1e6)} MB)`,
  )
  const random = seeded(11)
  const words = wordMaker(random)
  const common = () =>
    ['word0', 'word1', 'word2', 'word3', 'word5']
      .sort(() => random() - 0.5)
      .slice(0, 3)
      .join(' ')
  const big = asProjectKey('big')
  const runs: Record<string, () => Promise<unknown>> = {
    'common words, all projects': () => search(store, common()),
    'common words, one project': () => search(store, common(), { project: big }),
    'ordinary question, all projects': () => search(store, words(7)),
    'ordinary question, one project': () => search(store, words(7), { project: big }),
    brief: () => briefFor(store, big, Date.now()),
  }
  for (const [name, run] of Object.entries(runs)) {
    const times: number[] = []
    for (let i = 0; i < 60; i++) {
      const from = performance.now()
      await run()
      if (i >= 10) times.push(performance.now() - from)
    }
    const { p50, p95 } = percentiles(times)
    const goal = GOALS[name]?.[size]
    const verdict = goal === undefined ? '' : p50 <= goal ? `  goal <= ${goal} ms: met` : `  goal <= ${goal} ms: MISSED`
    console.log(`  ${name.padEnd(34)} p50 ${p50.toFixed(1).padStart(7)} ms   p95 ${p95.toFixed(1).padStart(7)} ms${verdict}`)
  }
}
