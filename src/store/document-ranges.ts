import type { Database } from 'bun:sqlite'
import { hasTimeLimit } from './candidates.ts'
import type { DocumentRange } from './document.ts'
import type { SqlParams } from './statement.ts'

/** How many documents at each end of a time window are read to estimate its ids. */
const RANGE_SAMPLE_DOCUMENTS = 5000
/** How many of the newest documents are listed where ids do not follow time. */
const MAX_NEWEST_DOCUMENTS = 5000

type IdBounds = { first: number | null; last: number | null }
const NO_BOUNDS: IdBounds = { first: null, last: null }

/** Which ids the documents of a time window have. Ids mostly follow time; documents imported later have high ids however old they are. */
export function documentRangeStatements(db: Database) {
  const inTime = 'at >= @since AND at < @before'
  const sampled = db.prepare<IdBounds, SqlParams>(`
    SELECT min(id) AS first, max(id) AS last FROM (
      SELECT id FROM (SELECT id FROM documents WHERE ${inTime} ORDER BY at LIMIT ${RANGE_SAMPLE_DOCUMENTS})
      UNION ALL SELECT id FROM (SELECT id FROM documents WHERE ${inTime} ORDER BY at DESC LIMIT ${RANGE_SAMPLE_DOCUMENTS}))`)
  const allOfTime = db.prepare<IdBounds, SqlParams>(`
    SELECT min(id) AS first, max(id) AS last FROM documents INDEXED BY documents_by_time WHERE ${inTime}`)
  const outsideSample = db.prepare<IdBounds, SqlParams>(`
    SELECT (SELECT min(id) FROM documents NOT INDEXED WHERE id <= @first AND ${inTime}) AS first,
      (SELECT max(id) FROM documents NOT INDEXED WHERE id >= @last AND ${inTime}) AS last`)
  const newest = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(id) AS ids FROM
      (SELECT id FROM documents WHERE ${inTime} ORDER BY at DESC, id DESC LIMIT ${MAX_NEWEST_DOCUMENTS})`)
  const highest = db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM documents')
  const lastId = () => highest.get()?.id ?? 0

  return {
    lastId,
    /** The smallest range that contains all documents of a time window. It may contain others. */
    idRange: ({ since, before }: { since: number; before: number }): DocumentRange => {
      if (!hasTimeLimit({ since, before })) return { after: 0, upTo: lastId() }
      const { first, last } = sampled.get({ since, before }) ?? NO_BOUNDS
      if (first === null || last === null) return { after: 0, upTo: 0 }
      // Documents imported later may have any id: read either the whole window or everything outside the sample, whichever is smaller.
      const isOutsideSmaller = first - 1 + lastId() - last < last - first
      const bounds = (isOutsideSmaller ? outsideSample.get({ since, before, first, last }) : allOfTime.get({ since, before })) ?? NO_BOUNDS
      return { after: (bounds.first ?? first) - 1, upTo: bounds.last ?? last }
    },
    /** The newest ids of a time window, newest first, if old work was imported after some of them; empty where ids follow time. */
    newestIds: (since: number, before: number, { upTo }: DocumentRange): number[] => {
      const ids: number[] = JSON.parse(newest.get({ since, before })?.ids ?? '[]')
      // A turn that was distilled some minutes late is only a little out of order.
      return ids.some((id) => id <= upTo - 2 * MAX_NEWEST_DOCUMENTS) ? ids : []
    },
  }
}
