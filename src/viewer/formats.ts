import type { ForgetCounts } from '../wire/contract/forget.ts'

export const formatClockTime = (at: number) =>
  new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' })

/** From when to when, within a day. */
export function formatTimeSpan(from: number, to: number): string {
  const format = (at: number) => new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
  return format(from) === format(to) ? format(from) : `${format(from)} – ${format(to)}`
}

export const formatDay = (at: number) => new Date(at).toLocaleDateString([], { year: 'numeric', month: 'short', day: 'numeric' })
export const formatCount = (n: number, singular: string, plural = `${singular}s`) => `${n.toLocaleString()} ${n === 1 ? singular : plural}`

export function formatBytes(n: number): string {
  if (n < 1024) return `${n} B`
  const [value, unit] = n < 1024 ** 2 ? [n / 1024, 'KB'] : n < 1024 ** 3 ? [n / 1024 ** 2, 'MB'] : [n / 1024 ** 3, 'GB']
  return `${value.toFixed(value < 10 ? 1 : 0)} ${unit}`
}

/** The value of a setting in words. */
export function formatValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : value.join(', ')
  return value === '' ? 'no value' : typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value)
}

/** JSON with indents and real line breaks; other text as it is. */
export function prettyJson(text: string): string {
  try {
    const value: unknown = JSON.parse(text)
    // The n of `C:\\new` follows a backslash too, but that one is a character of the text.
    return typeof value === 'string' ? value : JSON.stringify(value, null, 2).replace(/(?<!\\)((?:\\\\)*)\\n/g, '$1\n')
  } catch {
    return text
  }
}

const COUNT_NAMES: [keyof ForgetCounts, string, string?][] = [
  ['sessions', 'session'],
  ['prompts', 'prompt'],
  ['toolUses', 'tool use'],
  ['observations', 'observation'],
  ['summaries', 'summary', 'summaries'],
  ['notes', 'note'],
  ['commits', 'commit'],
  ['injections', 'record of what was shown', 'records of what was shown'],
]

/** How much a deletion takes along: `1 session, 3 prompts`. */
export function describeCounts(counts: ForgetCounts): string {
  return COUNT_NAMES.filter(([name]) => counts[name] > 0)
    .map(([name, one, many]) => formatCount(counts[name], one, many))
    .join(', ')
}
