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
