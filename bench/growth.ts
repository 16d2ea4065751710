import { basename } from 'node:path'
import { shippedTable, vectorsIn } from '../eval/meaning.ts'
import { exitWithUsageError, parseArguments } from '../scripts/arguments.ts'
import type { VectorIndex } from '../src/retrieval/vectors.ts'
import type { Store } from '../src/store/store.ts'
import { recordResult } from './result.ts'
import { openSampleStore, percentiles } from './sample-store.ts'

/** A sample store, the path of its database, and the static embedder's vectors for everything in it. */
type SampleStore = { store: Store; path: string; vectors: VectorIndex }

/**
 * Something to measure in stores of growing size. `goals` are p50 limits in milliseconds by store size, `p95` are p95 limits. Set `rounds` for slow
 * things.
 */
export type Measurement = { run(): Promise<unknown>; goals?: Record<number, number>; p95?: Record<number, number>; rounds?: number }

const ROUNDS = 60
const WARM_UP_ROUNDS = 5

/**
 * Measures in stores with 10,000 and 100,000 observations, with `--full` also a million, or with the sizes from the command line, and prints how
 * times grow with the size. Measurements take turns, so that a busy moment of the machine affects all of them. The processor time is
 * reliable even if other programs keep the machine busy.
 */
export async function printGrowth(
  title: string,
  measurementsFor: (sample: SampleStore) => Promise<Record<string, Measurement>>,
): Promise<void> {
  const options = { full: { type: 'boolean', default: false } } as const
  const { values, positionals } = parseArguments(`bench/${basename(Bun.main)} [--full | sizes…]`, options, { words: true })
  const named = positionals.map((size) =>
    /^[1-9]\d*$/.test(size) ? Number(size) : exitWithUsageError(`"${size}" is not a size; give a number of observations`),
  )
  const sizes = named.length > 0 ? named : [10_000, 100_000, ...(values.full ? [1_000_000] : [])]
  const medians = new Map<string, number[]>()
  for (const size of sizes) {
    const { store, path, seconds } = await openSampleStore(size)
    // The worker does this every hour.
    while (await store.space.merge(500));
    const vectors = await embedAll(store)
    const [count, megabytes] = [size.toLocaleString('en'), Math.round(store.bytes() / 1e6)]
    const details = `${megabytes} MB, ready in ${seconds.toFixed(0)} s; ${vectors.size().toLocaleString('en')} vectors`
    console.log(`\n${title}, ${count} observations (${details})`)
    recordResult({ part: title, name: 'database per observation', value: store.bytes() / size, unit: 'bytes', size })
    const measurements = await measurementsFor({ store, path, vectors })
    for (const [name, { times, processor }] of Object.entries(await measureTimes(measurements))) {
      const { p50, p95 } = percentiles(times)
      medians.set(name, [...(medians.get(name) ?? []), p50])
      const processorTimes = percentiles(processor)
      const goal = measurements[name]?.goals?.[size]
      recordResult({ part: title, name, value: p50, unit: 'ms', size, ...(goal ? { goal } : {}) })
      const verdict = verdictOf('p50', p50, measurements[name]?.goals?.[size]) + verdictOf('p95', p95, measurements[name]?.p95?.[size])
      console.log(
        `  ${name.padEnd(44)} p50 ${ms(p50)}   p95 ${ms(p95)}   processor p50 ${ms(processorTimes.p50)} p95 ${ms(processorTimes.p95)}${verdict}`,
      )
    }
    store.close()
  }
  if (sizes.length < 2) return
  console.log(`\n${title}, p50 at ${sizes.map((size) => size.toLocaleString('en')).join(', ')}, and the ratio of the last to the first`)
  for (const [name, values] of medians)
    console.log(`  ${name.padEnd(44)} ${values.map(ms).join('  ')}  ${((values.at(-1) ?? 0) / (values[0] ?? 0)).toFixed(2).padStart(7)}x`)
}

/** Embeds everything. Vectors stay in the database, so only the first run waits: some minutes for a million. */
async function embedAll(store: Store): Promise<VectorIndex> {
  const { waiting } = await store.vectors.counts()
  const started = performance.now()
  const vectors = await vectorsIn(store, shippedTable)
  if (waiting > 0) console.log(`\nmade ${waiting.toLocaleString('en')} vectors in ${((performance.now() - started) / 1000).toFixed(0)} s`)
  return vectors
}

const verdictOf = (what: string, value: number, goal: number | undefined) =>
  goal === undefined ? '' : `  goal ${what} <= ${goal} ms: ${value <= goal ? 'met' : 'MISSED'}`

type MeasuredTimes = { times: number[]; processor: number[] }

async function measureTimes(measurements: Record<string, Measurement>): Promise<Record<string, MeasuredTimes>> {
  const all: Record<string, MeasuredTimes> = Object.fromEntries(
    Object.keys(measurements).map((name) => [name, { times: [], processor: [] }]),
  )
  for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round++) {
    for (const [name, { run, rounds = ROUNDS }] of Object.entries(measurements)) {
      if (round >= rounds) continue
      const [started, used] = [performance.now(), process.cpuUsage()]
      await run()
      if (round < 0) continue
      all[name]?.times.push(performance.now() - started)
      const { user, system } = process.cpuUsage(used)
      all[name]?.processor.push((user + system) / 1000)
    }
  }
  return all
}

const ms = (value: number) => `${value.toFixed(1).padStart(7)} ms`
