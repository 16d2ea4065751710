import type { Database } from 'bun:sqlite'
import { quoteFtsWord, type SqlParams } from './statement.ts'

export type CachedCount = (key: string) => number

/** A word is counted up to this; past it, the count is estimated from how far back these documents reach. */
const MAX_COUNTED_DOCUMENTS = 1200
const MAX_CACHED_KEYS = 10_000
const MAX_GROWTH = 1.1

/**
 * Counts that are computed once and reused until the store has grown by a tenth: how rare a word is changes slowly. A count of zero is not
 * cached, because the next document may contain the word.
 */
export function cachedCounts(lastDocumentId: () => number) {
  return (count: (key: string, lastId: number) => number): CachedCount => {
    const counted = new Map<string, { n: number; lastId: number }>()
    return (key) => {
      const lastId = lastDocumentId()
      const known = counted.get(key)
      if (known && lastId <= known.lastId * MAX_GROWTH && lastId >= known.lastId) return known.n
      const n = count(key, lastId)
      if (counted.size > MAX_CACHED_KEYS) counted.clear()
      if (n > 0) counted.set(key, { n, lastId })
      return n
    }
  }
}

/** How many documents of a full-text table contain a word; of common words, about how many. */
export function documentCounter(db: Database, table: string): (word: string, lastId: number) => number {
  const newest = db.prepare<{ n: number; oldest: number }, SqlParams>(`
    SELECT count(*) AS n, min(rowid) AS oldest FROM
      (SELECT rowid FROM ${table} WHERE ${table} MATCH @words ORDER BY rowid DESC LIMIT ${MAX_COUNTED_DOCUMENTS})`)
  return (word, lastId) => {
    const { n, oldest } = newest.get({ words: quoteFtsWord(word) }) ?? { n: 0, oldest: 0 }
    return n < MAX_COUNTED_DOCUMENTS ? n : Math.round((n * lastId) / (lastId - oldest + 1))
  }
}
