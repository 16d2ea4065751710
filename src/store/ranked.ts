import type { Database } from 'bun:sqlite'
import { fingerprint } from '../core/hash.ts'
import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { ALLOWED, bounds, IN_PROJECT, PLACE, wantedAmong } from './choice.ts'
import type { Among, DocumentKind, Match, Within } from './fulltext.ts'
import type { Params } from './statement.ts'

/** How many of the documents that hold the most telling words are weighed; and from how many they are chosen where not all are wanted. */
const WEIGHED = 300
const CHOSEN_FROM = 800
/** A word with no more places than these is looked for everywhere, also where common ones are looked for lately only. */
const RARE = 1000
/** How many places of each word are taken at most, the newest, whatever was expected. */
export const MOST_PLACES = 10_000
/** How many documents are asked one by one whether they hold a word: each takes as long as reading some hundred places. */
const MOST_ASKED = 500

/**
 * Documents of a full-text table that hold any of some words, best first. In a small store bm25 weighs them all. In a large one that is
 * slow, for two reasons: it counts every place of every word before it weighs the first row, and for each row it reads that row's length
 * from a page of its own. Which documents hold a word can be read a hundred times as fast, so the best are found by that: the more of the
 * telling words a document holds, the better. bm25 then weighs those few, or, where the words are so common that counting them would take
 * too long, only their length is looked up. `rest` is how much a word counts that does not stand in the strong column.
 */
export function rankedBy(
  db: Database,
  { table, weights, strong, rest }: { table: string; weights: readonly number[]; strong: string; rest: number },
  documentsWith: (word: string) => number,
) {
  const score = `-bm25(${table}, ${weights.join(', ')}) AS score`
  const all = db.prepare<Match, Params>(`
    SELECT ${PLACE}, ${score} FROM ${table} CROSS JOIN documents d ON d.id = ${table}.rowid
    WHERE ${table} MATCH @words AND ${IN_PROJECT} AND ${ALLOWED}
    ORDER BY score DESC, d.at DESC LIMIT @limit`)
  // The + keeps SQLite from asking for each of those rows on its own.
  const some = db.prepare<Match, Params>(`
    SELECT ${PLACE}, ${score} FROM ${table} CROSS JOIN documents d ON d.id = ${table}.rowid
    WHERE ${table} MATCH @words AND +${table}.rowid IN (SELECT value FROM json_each(@ids)) AND ${IN_PROJECT} AND ${ALLOWED}
    ORDER BY score DESC, d.at DESC LIMIT @limit`)
  // One text of all numbers: a row for each would cost more to hand over than to find.
  const holding = db.prepare<{ ids: string }, Params>(`
    SELECT json_group_array(rowid) AS ids FROM
      (SELECT rowid FROM ${table} WHERE ${table} MATCH @words AND rowid > @after AND rowid <= @upTo ORDER BY rowid DESC LIMIT ${MOST_PLACES})`)
  const holdingOf = db.prepare<{ id: number }, Params>(`
    SELECT wanted.value AS id FROM json_each(@ids) wanted CROSS JOIN ${table} ON ${table}.rowid = wanted.value WHERE ${table} MATCH @words`)
  const lengths = db.prepare<unknown, Params>(`
    SELECT s.id, s.sz FROM json_each(@ids) wanted CROSS JOIN ${table}_docsize s ON s.id = wanted.value`)
  const places = wantedAmong(db)
  const newest = db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM documents')

  /** How telling the words are that each document holds, together; the best of them, and those that are wanted in any case. */
  function holders(words: string[], within: Within, { after, upTo, lately, scoped }: Among): Map<number, number> {
    const sums = new Map<number, number>()
    const total = newest.get()?.id ?? 0
    const few = within.few && new Set(within.few)
    const scope = within.project && scoped ? `scope : ${scopesOf(within.project)} AND ` : ''
    const give = (column: string, share: number) => {
      for (const word of words) {
        const documents = documentsWith(word)
        const query = { words: `${scope}${column}${quoted(word)}`, after: documents > RARE ? (lately ?? after) : after, upTo }
        const amount = rarity(documents, total) * share
        for (const id of few ? thoseHolding(query, few) : allHolding(query)) sums.set(id, (sums.get(id) ?? 0) + amount)
      }
    }
    const wanted = isUnbounded(within) && (scoped || within.project === null) ? WEIGHED : CHOSEN_FROM
    give('', rest)
    if (sums.size > wanted) give(`${strong} : `, 1 - rest)
    const ranked = [...sums].sort((a, b) => b[1] - a[1] || b[0] - a[0])
    const best = new Map(within.choice && !few ? firstAllowed(ranked, wanted, within) : ranked.slice(0, wanted))
    for (const id of within.also ?? []) best.set(id, sums.get(id) ?? 0)
    return best
  }

  const allHolding = (query: Params) => JSON.parse(holding.get(query)?.ids ?? '[]') as number[]

  /** Which of a few hold a word. Where more documents do than are taken, those of the few that are older are asked one by one. */
  function thoseHolding(query: Params, few: Set<number>): number[] {
    const newest = allHolding(query)
    const found = newest.filter((id) => few.has(id))
    if (newest.length < MOST_PLACES) return found
    const older = [...few].filter((id) => id < (newest.at(-1) ?? 0)).sort((a, b) => b - a)
    const asked = holdingOf.all({ words: query.words ?? '', ids: JSON.stringify(older.slice(0, MOST_ASKED)) })
    return [...found, ...asked.map(({ id }) => id)]
  }

  /** The best that the choice lets through: the pool is widened until it is full or all have been looked at. */
  function firstAllowed(ranked: [number, number][], wanted: number, within: Within): [number, number][] {
    const best: [number, number][] = []
    for (let from = 0; from < ranked.length && best.length < wanted; from += CHOSEN_FROM) {
      const some = ranked.slice(from, from + CHOSEN_FROM)
      const found = places.all({ ...bounds(within), ids: JSON.stringify(some.map(([id]) => id)) })
      const allowed = new Set(found.map((place) => place.documentId))
      best.push(...some.filter(([id]) => allowed.has(id)))
    }
    return best.slice(0, wanted)
  }

  /** What bm25 would say of documents that hold each word once. */
  function byLength(sums: Map<number, number>, { limit, ...wanted }: ReturnType<typeof bounds>): Match[] {
    const ids = JSON.stringify([...sums.keys()])
    const sizes = new Map(lengths.values({ ids }).map((row) => lengthOf(row as [number, Uint8Array])))
    const usual = [...sizes.values()].reduce((a, b) => a + b, 0) / Math.max(1, sizes.size)
    const scoreOf = (id: number) => (sums.get(id) ?? 0) / (1 + 1.2 * (0.25 + (0.75 * (sizes.get(id) ?? usual)) / usual))
    return places
      .all({ ...wanted, ids })
      .map((place) => ({ ...place, score: scoreOf(place.documentId) }))
      .sort((a, b) => b.score - a.score || b.at - a.at)
      .slice(0, limit)
  }

  return (words: string[], within: Within): Match[] => {
    if (words.length === 0) return []
    const any = words.map(quoted).join(' OR ')
    const { among } = within
    const wanted = { ...bounds(within), limit: within.limit + (among ? (within.also?.length ?? 0) : 0) }
    const sums = among ? holders(words, within, among) : null
    const rows = !sums
      ? all.all({ ...wanted, words: any })
      : among?.lately === null
        ? some.all({ ...wanted, words: any, ids: JSON.stringify([...sums.keys()]) })
        : byLength(sums, wanted)
    return rows.map((row) => ({ ...row, project: asProjectKey(row.project) }))
  }
}

/** How many kinds of documents there are: asking for all of them is asking for any. */
const KINDS = 4

export function isUnbounded({ kinds, since, before }: { kinds?: DocumentKind[]; since: number; before: number }): boolean {
  return (kinds?.length ?? KINDS) === KINDS && since <= 0 && before === Number.MAX_SAFE_INTEGER
}

/** What holds for every project is found in each. */
function scopesOf(project: ProjectKey): string {
  return `(${[...new Set([project, GLOBAL_PROJECT])].map((one) => quoted(scopeWord(one))).join(' OR ')})`
}

/** The word that stands for a project. */
export const scopeWord = (project: ProjectKey) => `project${fingerprint(project, 12)}`

/** FTS5 reads - and : and * as syntax, so every word the person typed goes in quotes. */
export function quoted(word: string): string {
  return `"${word.replaceAll('"', '""').replaceAll('\0', '')}"`
}

/** How telling a word is, as bm25 counts it. */
export const rarity = (documents: number, total: number) => Math.log(1 + Math.max(0, total - documents + 0.5) / (documents + 0.5))

/** How many words a document has: FTS5 keeps the number for each column, seven bits at a time. */
function lengthOf([id, sizes]: [number, Uint8Array]): [number, number] {
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
