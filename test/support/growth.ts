/**
 * How many times more processor time a text needs when it is four times as long: 4 is linear, 16 quadratic. Other programs do not count, but they
 * evict the caches, so the shortest of several measurements counts, and it measures again if the result looks too high.
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

/** A limit between linear and quadratic growth. */
export const LINEAR = 11

function processorTimeOf(act: (text: string) => unknown, text: string): number {
  const used = processorTime()
  act(text)
  return used()
}

/** Measures the processor time of this process in milliseconds. It does not advance while other programs run. */
export function processorTime(): () => number {
  const before = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000
  }
}
