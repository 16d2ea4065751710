import type { Database } from 'bun:sqlite'
import { fingerprint } from '../core/hash.ts'
import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { candidateTest, locationCandidateTest } from './candidates.ts'
import type { DocumentLocation, DocumentMatch, LargeStoreScan, SearchScope } from './document.ts'
import { firstMatchingAmong, IN_PROJECT, LOCATION_COLUMNS, PASSES_FILTER, scopeParams } from './document-filter.ts'
import { quoteFtsWord, readJsonColumn, type SqlParams } from './statement.ts'

/** A word in no more documents than this is searched everywhere, even if common words are searched in recent documents only. */
const MAX_RARE_WORD_DOCUMENTS = 1000
/** How many documents are read for each word, those with the highest ids. */
export const MAX_DOCUMENTS_PER_WORD = 10_000

/**
 * Ranks the documents of a full-text table that contain any of the words, best first. In a small store bm25 scores all of them. In a large store
 * that is slow: bm25 counts every occurrence of every word before it scores the first row, and reads each row's length from its own page.
 * Reading which documents contain a word is a hundred times as fast, so there the best documents are found by the sum of the rarities of
 * their words. bm25 then scores only these; or, where the words are too common even for that, only their lengths are read. `rest` is the
 * share of a word that is not in the `strong` column.
 */
export function prepareRanking(
  db: Database,
  { table, weights, strong, rest }: { table: string; weights: readonly number[]; strong: string; rest: number },
  documentsWith: (word: string) => number,
) {
  const score = `-bm25(${table}, ${weights.join(', ')}) AS score`
  const all = db.prepare<DocumentMatch, SqlParams>(`
    SELECT ${LOCATION_COLUMNS}, ${score} FROM ${table} CROSS JOIN documents d ON d.id = ${table}.rowid
    WHERE ${table} MATCH @words AND ${IN_PROJECT} AND ${PASSES_FILTER}
    ORDER BY score DESC, d.at DESC LIMIT @limit`)
  // The + keeps SQLite from looking up each of these rows separately.
  const scored = db.prepare<{ id: number; score: number }, SqlParams>(`
    SELECT rowid AS id, ${score} FROM ${table} WHERE ${table} MATCH @words AND +${table}.rowid IN (SELECT value FROM json_each(@ids))`)
  // One JSON text with all ids: returning a row for each would take longer than finding them.
  const containing = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(rowid) AS ids FROM
      (SELECT rowid FROM ${table} WHERE ${table} MATCH @words AND rowid > @after AND rowid <= @upTo ORDER BY rowid DESC LIMIT ${MAX_DOCUMENTS_PER_WORD})`)
  const lengths = db.prepare<unknown, SqlParams>(`
    SELECT s.id, s.sz FROM json_each(@ids) wanted CROSS JOIN ${table}_docsize s ON s.id = wanted.value`)
  const firstMatching = firstMatchingAmong(db)
  const newest = db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM documents')

  /** The sum of the rarities of each document's words, and how many of the best documents to score. */
  function sumRarities(
    words: string[],
    within: SearchScope,
    { ranges, commonWordRanges, isProjectOnly }: LargeStoreScan,
  ): { sums: Map<number, number>; scoreCount: number } {
    const sums = new Map<number, number>()
    const total = newest.get()?.id ?? 0
    const isCandidate = candidateTest(within.candidates)
    const scope = within.project && isProjectOnly ? `scope : ${scopesOf(within.project)} AND ` : ''
    const known = words.map((word) => ({ word, documents: documentsWith(word) }))
    const addSums = (column: string, share: number) => {
      for (const { word, documents } of known) {
        const query = `${scope}${column}${quoteFtsWord(word)}`
        const amount = rarity(documents, total) * share
        for (const range of documents > MAX_RARE_WORD_DOCUMENTS ? (commonWordRanges ?? ranges) : ranges)
          for (const id of idsContaining({ words: query, ...range })) if (isCandidate(id)) sums.set(id, (sums.get(id) ?? 0) + amount)
      }
    }
    addSums('', rest)
    // Scoring twice as many documents is faster than searching for every word once more.
    if (sums.size <= 2 * within.limit) return { sums, scoreCount: sums.size }
    addSums(`${strong} : `, 1 - rest)
    return { sums, scoreCount: within.limit }
  }

  const idsContaining = (query: SqlParams) => readJsonColumn<number[]>(containing.get(query)?.ids ?? '[]')

  /** The best documents in scope, the newer first among equals; and those that are always scored. */
  function bestOf(sums: Map<number, number>, scoreCount: number, within: SearchScope, { newestIds }: LargeStoreScan): DocumentLocation[] {
    const best = firstMatching(bestFirst(sums, newestIds), scoreCount, within)
    const included = new Set(best.map(({ documentId }) => documentId))
    const extra = (within.alwaysWeighed ?? []).filter((id) => !included.has(id))
    return [...best, ...firstMatching(extra, extra.length, within)]
  }

  const bm25Scores = (words: string, ids: string): Map<number, number> =>
    new Map(scored.all({ words, ids }).map(({ id, score }) => [id, score]))

  /** About what bm25 would give documents that contain each word once. */
  function lengthScores(sums: Map<number, number>, ids: string): Map<number, number> {
    const sizes = new Map(lengths.values({ ids }).map((row) => documentLength(row as [number, Uint8Array])))
    const averageLength = [...sizes.values()].reduce((a, b) => a + b, 0) / Math.max(1, sizes.size)
    return new Map(
      [...sizes].map(([id, length]) => [id, (sums.get(id) ?? 0) / (1 + 1.2 * (0.25 + (0.75 * length) / Math.max(1, averageLength)))]),
    )
  }

  return (words: string[], within: SearchScope): DocumentMatch[] => {
    if (words.length === 0) return []
    const any = words.map(quoteFtsWord).join(' OR ')
    const { scan } = within
    if (!scan) return all.all({ ...scopeParams(within), words: any }).filter(locationCandidateTest(within))

    const { sums, scoreCount } = sumRarities(words, within, scan)
    const best = bestOf(sums, scoreCount, within, scan)
    const ids = JSON.stringify(best.map(({ documentId }) => documentId))
    const scores = scan.commonWordRanges === null ? bm25Scores(any, ids) : lengthScores(sums, ids)
    // A document that is always scored may contain none of the words, and then has no score.
    return best
      .flatMap((location) => (scores.has(location.documentId) ? [{ ...location, score: scores.get(location.documentId) ?? 0 }] : []))
      .sort((a, b) => b.score - a.score || b.at - a.at)
  }
}

/** Ids by their sums, the newer first among equals. Common words leave thousands, of which few are asked for, so they are sorted on the way. */
function* bestFirst(sums: Map<number, number>, newestIds: number[]): Generator<number> {
  const age = new Map(newestIds.map((id, position) => [id, position]))
  const ageOf = (id: number) => age.get(id) ?? newestIds.length
  const idsBySum = new Map<number, number[]>()
  for (const [id, sum] of sums) {
    const ids = idsBySum.get(sum)
    if (ids) ids.push(id)
    else idsBySum.set(sum, [id])
  }
  const groups = [...idsBySum].sort(([a], [b]) => b - a)
  for (const [, ids] of groups) yield* ids.sort((a, b) => ageOf(a) - ageOf(b) || b - a)
}

/** The query for a project's documents, including global ones. */
function scopesOf(project: ProjectKey): string {
  return `(${[...new Set([project, GLOBAL_PROJECT])].map((one) => quoteFtsWord(scopeWord(one))).join(' OR ')})`
}

/** The word that represents a project in the index. */
export const scopeWord = (project: ProjectKey) => `project${fingerprint(project, 12)}`

/** The rarity of a word: bm25's inverse document frequency. */
export const rarity = (documents: number, total: number) => Math.log(1 + Math.max(0, total - documents + 0.5) / (documents + 0.5))

/** The number of words of a document. FTS5 stores it per column, as integers of seven bits per byte. */
function documentLength([id, sizes]: [number, Uint8Array]): [number, number] {
  let length = 0
  let column = 0
  for (const byte of sizes) {
    column = (column << 7) | (byte & 127)
    if (byte < 128) {
      length += column
      column = 0
    }
  }
  return [id, length]
}
