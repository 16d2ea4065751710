/**
 * Every random choice of the fault tests comes from a seed. `FAULT_SEED=7` sets it, `FAULT_POINTS=40` how many places are tried in each test
 * (`all` for every one), and `FAULT_STEP=12` tries a single place, such as the one that a failure names.
 */
const seed = Number(process.env.FAULT_SEED ?? 1)
const step = process.env.FAULT_STEP ? Number(process.env.FAULT_STEP) : null
const points = process.env.FAULT_POINTS ?? null

/** The time limit of a test that tries many places. */
export const MANY_TRIES_MS = points === null ? 900_000 : 6 * 3_600_000

/** Numbers from 0 to 1, the same for the same seed. `salt` keeps two tests from making the same choices. */
export function random(salt: string): () => number {
  let state = seed
  for (const character of salt) state = (Math.imul(state, 31) + character.charCodeAt(0)) | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Which of the steps 1 to `total` to try: one from each of `count` equal parts, so that no part of the work is left out. */
export function chooseSteps(total: number, count: number, salt: string): number[] {
  if (step !== null) return [step]
  const wanted = points === 'all' ? total : Math.min(total, Number(points ?? count))
  const next = random(salt)
  return Array.from({ length: wanted }, (_, part) => {
    const [from, until] = [Math.floor((part * total) / wanted), Math.floor(((part + 1) * total) / wanted)]
    return 1 + from + Math.floor(next() * (until - from))
  })
}

/** Runs one try. If it fails, the error says how to repeat it. */
export async function tryAt(what: string, tried: number, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    console.error(`failed ${what} ${tried}; to repeat it: FAULT_SEED=${seed} FAULT_STEP=${tried}`)
    throw cause
  }
}
