import type { Observation } from '../core/memory.ts'
import type { WithBranch } from '../store/store.ts'

/** Each observation once, the youngest first. Work on the session's own branch ages more slowly. */
export function orderByAge(observations: WithBranch<Observation>[], branch: string | null, now: number): WithBranch<Observation>[] {
  const all = [...new Map(observations.map((o) => [o.id, o])).values()]
  return all.sort((a, b) => effectiveAge(a, branch, now) - effectiveAge(b, branch, now) || b.at - a.at || b.id - a.id)
}

/** The age for the reasons of a brief: `7.0 days on this branch count as 1.0 days`. */
export function describeAge(o: WithBranch<Observation>, branch: string | null, now: number): string {
  const days = (ms: number) => `${(ms / DAY_MS).toFixed(1)} days`
  return isOnBranch(o, branch) ? `${days(now - o.at)} on this branch count as ${days(effectiveAge(o, branch, now))}` : days(now - o.at)
}

/** A time in the future, from a wrong clock, stays as it is: divided, it would be less new. */
const effectiveAge = (o: WithBranch<Observation>, branch: string | null, now: number) =>
  isOnBranch(o, branch) && o.at < now ? (now - o.at) / BRANCH_AGE_DIVISOR : now - o.at

const isOnBranch = (o: WithBranch<unknown>, branch: string | null) => branch !== null && o.branch === branch

/** A week of work on the branch counts like a day of work elsewhere. */
const BRANCH_AGE_DIVISOR = 7
const DAY_MS = 86_400_000
