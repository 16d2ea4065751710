/** What was asked of one model for one project on one day. `usd` leaves out calls whose price nobody knows; `unpriced` counts them. */
export type Cost = {
  /** Of the person's own calendar: 2026-11-16. */
  day: string
  provider: string
  model: string
  /** Empty for what belongs to no project. */
  project: string
  purpose: string
  calls: number
  failed: number
  input: number
  cached: number
  output: number
  usd: number
  unpriced: number
}

/** Money as a person is told it: what nobody has a price for is not known, which is something else than nothing. */
export function inDollars({ usd, unpriced }: Pick<Cost, 'usd' | 'unpriced'>, digits: number): string {
  if (unpriced === 0) return `$${usd.toFixed(digits)}`
  return usd > 0 ? `more than $${usd.toFixed(digits)}` : 'price not known'
}
