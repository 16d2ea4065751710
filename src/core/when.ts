const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago, in few characters: `now`, `5m`, `3h`, `2d`, then the date. */
export function age(at: number, now: number): string {
  const passed = Math.max(0, now - at)
  if (passed < MINUTE) return 'now'
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)}m`
  if (passed < DAY) return `${Math.floor(passed / HOUR)}h`
  if (passed < 14 * DAY) return `${Math.floor(passed / DAY)}d`
  return new Date(at).toISOString().slice(0, 10)
}

/** The same, to be read in a sentence: `just now`, `5m ago`, `on 2026-03-01`. */
export function ago(at: number, now: number): string {
  const short = age(at, now)
  if (short === 'now') return 'just now'
  return short.includes('-') ? `on ${short}` : `${short} ago`
}
