import { basename } from 'node:path'
import { shippedTable, vectorsIn } from '../eval/meaning.ts'
import { given, refuse } from '../scripts/given.ts'
import type { VectorIndex } from '../src/retrieval/vectors.ts'
import type { Store } from '../src/store/store.ts'
import { percentiles, storeWith } from './filled.ts'

/** What is measured in: a store, where its database lies, and the vectors that the table which comes along made of everything in it. */
type Filled = { store: Store; path: string; vectors: VectorIndex }

/**
 * Something to time in stores of growing size; a goal is a p50 in milliseconds at a size, or a p95 for what may never take longer. What is slow
 * is run fewer times.
 */
export type Timed = { run(): Promise<unknown>; goals?: Record<number, number>; p95?: Record<number, number>; rounds?: number }

const ROUNDS = 60
const WARM_UP = 5

/**
 * Times things in stores of 10,000 and 100,000 observations, with `--full` of a million too, or of the sizes named on the command line,
 * and prints how each grew from the smallest store to the largest. Things take turns, so that a busy moment falls on all of them alike;
 * the processor's time says what a thing costs where others keep the machine busy.
 */
export async function printGrowth(title: string, thingsIn: (filled: Filled) => Promise<Record<string, Timed>>): Promise<void> {
  const options = { full: { type: 'boolean', default: false } } as const
  const { values, positionals } = given(`bench/${basename(Bun.main)} [--full | sizes…]`, options, { words: true })
  const named = positionals.map((size) => (/^[1-9]\d*$/.test(size) ? Number(size) : refuse(`"${size}" is no size`)))
  const sizes = named.length > 0 ? named : [10_000, 100_000, ...(values.full ? [1_000_000] : [])]
  const medians = new Map<string, number[]>()
  for (const size of sizes) {
    const { store, path, seconds } = await storeWith(size)
    // As the worker does every hour.
    while (await store.space.merge(500));
    const vectors = await embedded(store)
    const [many, megabytes] = [size.toLocaleString('en'), Math.round(store.bytes() / 1e6)]
    const there = `${megabytes} MB, there in ${seconds.toFixed(0)} s; ${vectors.size().toLocaleString('en')} vectors`
    console.log(`\n${title}, ${many} observations (${there})`)
    const things = await thingsIn({ store, path, vectors })
    for (const [name, { times, processor }] of Object.entries(await timesOf(things))) {
      const { p50, p95 } = percentiles(times)
      medians.set(name, [...(medians.get(name) ?? []), p50])
      const used = percentiles(processor)
      const verdict = verdictOf('p50', p50, things[name]?.goals?.[size]) + verdictOf('p95', p95, things[name]?.p95?.[size])
      console.log(`  ${name.padEnd(44)} p50 ${ms(p50)}   p95 ${ms(p95)}   processor ${ms(used.p50)} and ${ms(used.p95)}${verdict}`)
    }
    store.close()
  }
  if (sizes.length < 2) return
  console.log(`\n${title}, p50 at ${sizes.map((size) => size.toLocaleString('en')).join(', ')}, and the last beside the first`)
  for (const [name, values] of medians)
    console.log(`  ${name.padEnd(44)} ${values.map(ms).join('  ')}  ${((values.at(-1) ?? 0) / (values[0] ?? 0)).toFixed(2).padStart(7)}x`)
}

/** They stay in the database, so only the first run waits: some minutes for a million. */
async function embedded(store: Store): Promise<VectorIndex> {
  const { waiting } = await store.vectors.counts()
  const started = performance.now()
  const vectors = await vectorsIn(store, shippedTable)
  if (waiting > 0) console.log(`\nmade ${waiting.toLocaleString('en')} vectors in ${((performance.now() - started) / 1000).toFixed(0)} s`)
  return vectors
}

const verdictOf = (what: string, value: number, goal: number | undefined) =>
  goal === undefined ? '' : `  goal ${what} <= ${goal} ms: ${value <= goal ? 'met' : 'MISSED'}`

type Times = { times: number[]; processor: number[] }

async function timesOf(things: Record<string, Timed>): Promise<Record<string, Times>> {
  const all: Record<string, Times> = Object.fromEntries(Object.keys(things).map((name) => [name, { times: [], processor: [] }]))
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [name, { run, rounds = ROUNDS }] of Object.entries(things)) {
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
