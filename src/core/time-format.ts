const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** How long ago, in few characters: `now`, `5m`, `3h`, `2d`, then the date. */
export function formatAge(at: number, now: number): string {
  const passed = Math.max(0, now - at)
  if (passed < MINUTE) return 'now'
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)}m`
  if (passed < DAY) return `${Math.floor(passed / HOUR)}h`
  if (passed < 14 * DAY) return `${Math.floor(passed / DAY)}d`
  return dayOf(at)
}

/** The day of a moment, `2026-03-01`, and the time of that day, `14:05`, where the person is. */
export function dayOf(at: number): string {
  const date = new Date(at)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-')
}
export function clockOf(at: number): string {
  const date = new Date(at)
  return [date.getHours(), date.getMinutes()].map(twoDigits).join(':')
}

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** The same, to be read in a sentence: `just now`, `5m ago`, `on 2026-03-01`. */
export function formatAgo(at: number, now: number): string {
  const short = formatAge(at, now)
  if (short === 'now') return 'just now'
  return short.includes('-') ? `on ${short}` : `${short} ago`
}

const UNITS: Record<string, number> = { m: MINUTE, h: HOUR, d: DAY, w: 7 * DAY }

/** When a time from now is over (30m, 12h, 30d, 2w), or the day that was named. Null when the text is neither. */
export function parseTimeFromNow(text: string, now: number): number | null {
  const [, count, unit] = /^(\d{1,6})([mhdw])$/i.exec(text.trim()) ?? []
  if (count && unit) return now + Number(count) * (UNITS[unit.toLowerCase()] ?? 0)
  const at = new Date(text).getTime()
  return Number.isNaN(at) ? null : at
}
