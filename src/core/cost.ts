/** The use of one model for one purpose in one project on one day. `usd` excludes calls without a known price; `unpriced` counts them. */
export type Cost = {
  /** In the person's time zone: 2026-11-16. */
  day: string
  provider: string
  model: string
  /** Empty for calls outside a project. */
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

/** A cost for a person to read. Calls without a known price make it "more than" or "price not known", never $0. */
export function inDollars({ usd, unpriced }: Pick<Cost, 'usd' | 'unpriced'>, digits: number): string {
  if (unpriced === 0) return `$${usd.toFixed(digits)}`
  return usd > 0 ? `more than $${usd.toFixed(digits)}` : 'price not known'
}
