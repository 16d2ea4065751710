/**
 * How many times longer four times the text keeps the processor busy: 4 is linear, 16 quadratic. Other programs do not count, but they take
 * turns with the caches, so the shortest of several looks counts, and it looks again if need be.
 */
export function growth(act: (text: string) => unknown, text: string): number {
  const long = text.repeat(4)
  let [short, fourfold] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < 40 && (round < 2 || fourfold > 6 * short); round++) {
    short = Math.min(short, processorTimeOf(act, text))
    fourfold = Math.min(fourfold, processorTimeOf(act, long))
  }
  return fourfold / Math.max(short, 0.5)
}

/** Between linear and quadratic. */
export const LINEAR = 11

function processorTimeOf(act: (text: string) => unknown, text: string): number {
  const used = processorTime()
  act(text)
  return used()
}

/** A clock that stands still while others have the machine: the milliseconds that this process has computed since it was started. */
export function processorTime(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
}
