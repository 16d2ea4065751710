/**
 * How many times longer four times the text takes: 4 is linear, 16 quadratic. Busy machines measure badly, so the shortest of
 * several looks counts, and it looks again if need be.
 */
export function growth(act: (text: string) => unknown, text: string): number {
  const long = text.repeat(4)
  let [short, fourfold] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let round = 0; round < 40 && (round < 2 || fourfold > 6 * short); round++) {
    short = Math.min(short, millisecondsOf(act, text))
    fourfold = Math.min(fourfold, millisecondsOf(act, long))
  }
  return fourfold / Math.max(short, 0.5)
}

/** Between linear and quadratic, with room for a machine that is busy with something else. */
export const LINEAR = 11

function millisecondsOf(act: (text: string) => unknown, text: string): number {
  const start = performance.now()
  act(text)
  return performance.now() - start
}
