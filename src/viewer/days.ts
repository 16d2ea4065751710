import type { FeedDay, FeedSession } from '../wire/contract/feed.ts'

/** A day as people say it: Today, Yesterday, Monday 16 February, or with its year when that is another one. */
export function dayLabel(day: string, now: Date): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  const midnight = (time: Date) => new Date(time.getFullYear(), time.getMonth(), time.getDate()).getTime()
  const then = new Date(year, month - 1, date)
  const daysAgo = Math.round((midnight(now) - then.getTime()) / 86_400_000)
  if (daysAgo === 0) return 'Today'
  if (daysAgo === 1) return 'Yesterday'
  const isThisYear = year === now.getFullYear()
  return then.toLocaleDateString('en-GB', {
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? { weekday: 'long' as const } : { year: 'numeric' as const }),
  })
}

/** Adds older days to a list. A very busy day may come in two parts, which become one again. */
export function joinDays(newer: FeedDay[], older: FeedDay[]): FeedDay[] {
  const last = newer.at(-1)
  const [first, ...rest] = older
  if (!last || !first || last.day !== first.day) return [...newer, ...older]
  return [...newer.slice(0, -1), joinDay(last, first), ...rest]
}

function joinDay(newer: FeedDay, older: FeedDay): FeedDay {
  const added = older.sessions.filter((session) => !newer.sessions.some(({ sessionId }) => sessionId === session.sessionId))
  const sessions = newer.sessions.map((session) => {
    const earlier = older.sessions.find(({ sessionId }) => sessionId === session.sessionId)
    return earlier ? joinSession(session, earlier) : session
  })
  return { day: newer.day, sessions: [...sessions, ...added], notes: [...newer.notes, ...older.notes] }
}

function joinSession(newer: FeedSession, older: FeedSession): FeedSession {
  const known = new Set(newer.turns.map(({ turn }) => turn))
  return {
    ...newer,
    from: older.from,
    turns: [...older.turns.filter(({ turn }) => !known.has(turn)), ...newer.turns],
    earlierTurns: older.earlierTurns,
  }
}
