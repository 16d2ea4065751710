import type { Database } from 'bun:sqlite'
import { fingerprint } from '../core/hash.ts'
import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { candidateTest, locationCandidateTest } from './candidates.ts'
import type { DocumentLocation, DocumentMatch, LargeStoreScan, SearchScope } from './document.ts'
import { firstMatchingAmong, IN_PROJECT, LOCATION_COLUMNS, PASSES_FILTER, scopeParams } from './document-filter.ts'
import { quoteFtsWord, type SqlParams } from './statement.ts'

/** A word with no more places than these is looked for everywhere, also where common ones are looked for lately only. */
const MAX_RARE_WORD_DOCUMENTS = 1000
/** How many places of each word are taken at most, those of the highest numbers, whatever was expected. */
export const MAX_DOCUMENTS_PER_WORD = 10_000

/**
 * Documents of a full-text table that hold any of some words, best first. In a small store bm25 weighs them all. In a large one that is
 * slow, for two reasons: it counts every place of every word before it weighs the first row, and for each row it reads that row's length
 * from a page of its own. Which documents hold a word can be read a hundred times as fast, so the best are found by that: the more of the
 * telling words a document holds, the better. bm25 then weighs those few that are wanted, or, where the words are so common that counting them would take
 * too long, only their length is looked up. `rest` is how much a word counts that does not stand in the strong column.
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
  // The + keeps SQLite from asking for each of those rows on its own.
  const weighed = db.prepare<{ id: number; score: number }, SqlParams>(`
    SELECT rowid AS id, ${score} FROM ${table} WHERE ${table} MATCH @words AND +${table}.rowid IN (SELECT value FROM json_each(@ids))`)
  // One text of all numbers: a row for each would cost more to hand over than to find.
  const holding = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(rowid) AS ids FROM
      (SELECT rowid FROM ${table} WHERE ${table} MATCH @words AND rowid > @after AND rowid <= @upTo ORDER BY rowid DESC LIMIT ${MAX_DOCUMENTS_PER_WORD})`)
  const lengths = db.prepare<unknown, SqlParams>(`
    SELECT s.id, s.sz FROM json_each(@ids) wanted CROSS JOIN ${table}_docsize s ON s.id = wanted.value`)
  const firstWanted = firstMatchingAmong(db)
  const newest = db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM documents')

  /** How telling the words are that each document holds, together; and how many of the best are worth weighing. */
  function holders(
    words: string[],
    within: SearchScope,
    { ranges: spans, commonWordRanges: lately, isProjectOnly: scoped }: LargeStoreScan,
  ): { sums: Map<number, number>; weigh: number } {
    const sums = new Map<number, number>()
    const total = newest.get()?.id ?? 0
    const mayBe = candidateTest(within.candidates)
    const scope = within.project && scoped ? `scope : ${scopesOf(within.project)} AND ` : ''
    const known = words.map((word) => ({ word, documents: documentsWith(word) }))
    const give = (column: string, share: number) => {
      for (const { word, documents } of known) {
        const query = `${scope}${column}${quoteFtsWord(word)}`
        const amount = rarity(documents, total) * share
        for (const span of documents > MAX_RARE_WORD_DOCUMENTS ? (lately ?? spans) : spans)
          for (const id of allHolding({ words: query, ...span })) if (mayBe(id)) sums.set(id, (sums.get(id) ?? 0) + amount)
      }
    }
    give('', rest)
    // To weigh twice as many takes less time than to ask for every word once more.
    if (sums.size <= 2 * within.limit) return { sums, weigh: sums.size }
    give(`${strong} : `, 1 - rest)
    return { sums, weigh: within.limit }
  }

  const allHolding = (query: SqlParams) => JSON.parse(holding.get(query)?.ids ?? '[]') as number[]

  /** The best of them that are wanted, of equals the newer, and those that are good in another way. */
  function bestOf(
    sums: Map<number, number>,
    weigh: number,
    within: SearchScope,
    { newestIds: recent }: LargeStoreScan,
  ): DocumentLocation[] {
    const age = new Map(recent.map((id, place) => [id, place]))
    const ranked = [...sums]
      .map(([id, sum]) => ({ id, sum, age: age.get(id) ?? recent.length }))
      .sort((a, b) => b.sum - a.sum || a.age - b.age || b.id - a.id)
      .map(({ id }) => id)
    const best = firstWanted(ranked, weigh, within)
    const there = new Set(best.map((place) => place.documentId))
    const also = (within.alwaysWeighed ?? []).filter((id) => !there.has(id))
    return [...best, ...firstWanted(also, also.length, within)]
  }

  const byWeight = (words: string, ids: string): Map<number, number> =>
    new Map(weighed.all({ words, ids }).map(({ id, score }) => [id, score]))

  /** What bm25 would say of documents that hold each word once. */
  function byLength(sums: Map<number, number>, ids: string): Map<number, number> {
    const sizes = new Map(lengths.values({ ids }).map((row) => documentLength(row as [number, Uint8Array])))
    const usual = [...sizes.values()].reduce((a, b) => a + b, 0) / Math.max(1, sizes.size)
    return new Map([...sizes].map(([id, length]) => [id, (sums.get(id) ?? 0) / (1 + 1.2 * (0.25 + (0.75 * length) / Math.max(1, usual)))]))
  }

  return (words: string[], within: SearchScope): DocumentMatch[] => {
    if (words.length === 0) return []
    const any = words.map(quoteFtsWord).join(' OR ')
    const { scan: among } = within
    if (!among) return all.all({ ...scopeParams(within), words: any }).filter(locationCandidateTest(within))

    const { sums, weigh } = holders(words, within, among)
    const best = bestOf(sums, weigh, within, among)
    const ids = JSON.stringify(best.map((place) => place.documentId))
    const scores = among.commonWordRanges === null ? byWeight(any, ids) : byLength(sums, ids)
    // One that is good in another way and holds none of the words has no score.
    return best
      .flatMap((place) => (scores.has(place.documentId) ? [{ ...place, score: scores.get(place.documentId) ?? 0 }] : []))
      .sort((a, b) => b.score - a.score || b.at - a.at)
  }
}

/** What holds for every project is found in each. */
function scopesOf(project: ProjectKey): string {
  return `(${[...new Set([project, GLOBAL_PROJECT])].map((one) => quoteFtsWord(scopeWord(one))).join(' OR ')})`
}

/** The word that stands for a project. */
export const scopeWord = (project: ProjectKey) => `project${fingerprint(project, 12)}`

/** How telling a word is, as bm25 counts it. */
export const rarity = (documents: number, total: number) => Math.log(1 + Math.max(0, total - documents + 0.5) / (documents + 0.5))

/** How many words a document has: FTS5 keeps the number for each column, seven bits at a time. */
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
