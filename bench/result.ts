/** The measurements of the benches, for the page that `npm run bench` writes. Without it, they only print. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'

/** One measured value. `size` is the number of observations in the store, for what is measured at several sizes. */
export type Result = { part: string; name: string; value: number; unit: Unit; size?: number; goal?: number }
export type Unit = 'ms' | 'x node -e 0' | 'x plain FTS5' | 'MB' | 'MB/s' | 'events/s' | 'bytes' | 'x' | 'not run'

/** The file that `npm run bench` collects results in. */
export const RESULTS_VARIABLE = 'RECOLLECT_BENCH_RESULTS'

export function recordResult(result: Result): void {
  const file = process.env[RESULTS_VARIABLE]
  if (file && Number.isFinite(result.value)) appendFileSync(file, `${JSON.stringify(result)}\n`)
}

/** The last result of each name counts: an interrupted part runs again. */
export function readResults(file: string): Result[] {
  if (!existsSync(file)) return []
  const results = Bun.JSONL.parse(readFileSync(file, 'utf8')) as Result[]
  return [...new Map(results.map((result) => [[result.part, result.name, result.unit, result.size].join('\0'), result])).values()]
}
