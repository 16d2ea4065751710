const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** The age of a time: `now`, `5m`, `3h`, `2d`, then the date. */
export function formatAge(at: number, now: number): string {
  const age = Math.max(0, now - at)
  if (age < MINUTE) return 'now'
  if (age < HOUR) return `${Math.floor(age / MINUTE)}m`
  if (age < DAY) return `${Math.floor(age / HOUR)}h`
  if (age < 14 * DAY) return `${Math.floor(age / DAY)}d`
  return dayOf(at)
}

/** The local day of a time: `2026-03-01`. */
export function dayOf(at: number): string {
  const date = new Date(at)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
}

/** The local time of day: `14:05`. */
export function clockOf(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes()].map(twoDigits).join(':')
}

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** The age of a time in a sentence: `just now`, `5m ago`, `on 2026-03-01`. */
export function formatAgo(at: number, now: number): string {
  const short = formatAge(at, now)
  if (short === 'now') return 'just now'
  return short.includes('-') ? `on ${short}` : `${short} ago`
}

const UNITS: Record<string, number> = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }

/** The end of a period from now (30m, 12h, 30d, 2w), or the given date. Null for any other text. */
export function parseTimeFromNow(text: string, now: number): number | null {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/i.exec(text.trim()) ?? []
  if (count && unit) return now + Number(count) * (UNITS[unit.toLowerCase()] ?? 0)
  const at = new Date(text).getTime()
  return Number.isNaN(at) ? null : at
}
