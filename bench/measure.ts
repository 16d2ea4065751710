import { recordResult } from './result.ts'

/** Median times in milliseconds. The things take turns, so that a busy moment of the machine affects all of them. */
export async function medianTimes(rounds: number, things: Record<string, () => Promise<void>>): Promise<Record<string, number>> {
  const times: Record<string, number[]> = Object.fromEntries(Object.keys(things).map((name) => [name, []]))
  for (let round = -2; round < rounds; round++) {
    for (const [name, run] of Object.entries(things)) {
      const started = performance.now()
      await run()
      if (round >= 0) times[name]?.push(performance.now() - started)
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, median(values)]))
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/**
 * The environment of everything that is measured. The caller's own would change the times: with NODE_EXTRA_CA_CERTS set, for example, `node -e 0`
 * takes three times as long, and every ratio to it would look better than it is.
 */
const CLEAN_ENVIRONMENT = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '/', LANG: 'C.UTF-8' }

/** Starts a program in the clean environment. */
export function spawnClean(command: string[], stdin: string | null, env: Record<string, string>) {
  const input = stdin === null ? ('ignore' as const) : new Blob([stdin])
  return Bun.spawn(command, { stdin: input, stdout: 'pipe', stderr: 'ignore', env: { ...CLEAN_ENVIRONMENT, ...env } })
}

/** Runs a program with this stdin and returns its output. */
export async function spawnWith(command: string[], stdin: string, env: Record<string, string>): Promise<string> {
  const child = spawnClean(command, stdin, env)
  const out = await new Response(child.stdout).text()
  await child.exited
  return out
}

/** Prints a table of times and their ratios to the baseline. */
export function printRatios(title: string, times: Record<string, number>, baseline: string, goals: Record<string, number> = {}): void {
  const base = times[baseline] ?? Number.NaN
  console.log(`\n${title}`)
  for (const [name, ms] of Object.entries(times)) {
    const goal = goals[name]
    const ratio = ms / base
    recordResult({ part: title, name, value: ms, unit: 'ms' })
    if (baseline === 'node -e 0') recordResult({ part: title, name, value: ratio, unit: 'x node -e 0', ...(goal ? { goal } : {}) })
    const verdict = goal === undefined ? '' : ratio <= goal ? `  goal <= ${goal}x: met` : `  goal <= ${goal}x: MISSED`
    console.log(`  ${name.padEnd(44)} ${ms.toFixed(1).padStart(8)} ms  ${ratio.toFixed(2).padStart(6)}x${verdict}`)
  }
}
