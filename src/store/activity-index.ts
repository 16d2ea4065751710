import type { Database } from 'bun:sqlite'
import { withIdentifierWords } from '../core/identifiers.ts'
import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import type { CachedCount } from './cached-counts.ts'
import type { DocumentLocation, DocumentMatch, SearchScope } from './document.ts'
import { firstMatchingAmong, LOCATION_COLUMNS, PASSES_FILTER, scopeParams } from './document-filter.ts'
import { MAX_DOCUMENTS_PER_WORD, rarity } from './document-ranking.ts'
import { quoteFtsWord, type SqlParams } from './statement.ts'

/** A word that more turns have in their deeds tells none of them apart, and would take long to weigh. */
const MAX_DISTINCTIVE_TURNS = 500
/** How many places of words are weighed, from the rarest on: a long prompt has twenty words that five hundred turns did each. */
const MAX_WEIGHED_OCCURRENCES = 1500
/** How many of the words that more turns did are looked for in a small project: each costs reading the newest ten thousand turns that did it. */
const MAX_COMMON_WORDS = 8
/** A project of no more turns has words of its own that tell them apart, however often others did the same. */
const SMALL_PROJECT_TURNS = 1000

/** Every statement about deeds. `cached` keeps counts for a while. */
export function activityIndexStatements(db: Database, cached: (count: (key: string) => number) => CachedCount) {
  const write = db.prepare('INSERT OR REPLACE INTO deeds (rowid, done) VALUES (@id, @done)')
  const turnsDoing = db.prepare<{ n: number }, SqlParams>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM deeds WHERE deeds MATCH @words LIMIT ${MAX_DISTINCTIVE_TURNS + 1})`,
  )
  const weighed = db.prepare<{ id: number; score: number }, SqlParams>(`
    SELECT rowid AS id, -bm25(deeds) AS score FROM deeds WHERE deeds MATCH @words ORDER BY score DESC, rowid DESC`)
  const firstWanted = firstMatchingAmong(db)

  const turnsOf = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(d.id) AS ids FROM
      (SELECT id FROM prompts WHERE project IN (@project, '${GLOBAL_PROJECT}') LIMIT ${SMALL_PROJECT_TURNS + 1}) turn
      CROSS JOIN documents d ON d.kind = 'prompt' AND d.ref = CAST(turn.id AS TEXT)`)
  const newestDoing = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(rowid) AS ids FROM
      (SELECT rowid FROM deeds WHERE deeds MATCH @words ORDER BY rowid DESC LIMIT ${MAX_DOCUMENTS_PER_WORD})`)
  const places = db.prepare<DocumentLocation, SqlParams>(`
    SELECT ${LOCATION_COLUMNS} FROM json_each(@ids) wanted CROSS JOIN documents d ON d.id = wanted.value WHERE ${PASSES_FILTER}`)

  const exists = db.prepare<{ found: number }, SqlParams>('SELECT EXISTS (SELECT 1 FROM deeds WHERE deeds MATCH @word) AS found')

  const turnsWith = cached((word) => turnsDoing.get({ words: quoteFtsWord(word) })?.n ?? 0)
  const turnsIn = cached((project) => parseIds(turnsOf.get({ project })).length)

  /** All turns of a project where they are few. */
  function turnsOfSmall(project: ProjectKey | null): Set<number> | null {
    if (project === null || turnsIn(project) > SMALL_PROJECT_TURNS) return null
    return new Set(parseIds(turnsOf.get({ project })))
  }

  /** By bm25; of the words the rarest, as long as they stand in no more places than are weighed altogether. */
  function byWeight(words: ActivityWord[], turns: Set<number> | null, within: SearchScope): DocumentMatch[] {
    const rare = rarestWords(words)
    if (rare.length === 0) return []
    const rows = weighed.all({ words: rare.map(({ word }) => quoteFtsWord(word)).join(' OR ') })
    const scores = new Map(rows.filter(({ id }) => turns?.has(id) ?? true).map(({ id, score }) => [id, score]))
    const best = firstWanted([...scores.keys()], within.limit, within)
    return best.map((place) => ({ ...place, score: scores.get(place.documentId) ?? 0 }))
  }

  /**
   * What bm25 would say if there were no other project, of turns that hold each word once. It cannot be asked: it counts every turn of every
   * project that holds a word, and takes the word for a common one.
   */
  function asIfAlone(words: ActivityWord[], turns: Set<number>, within: SearchScope): DocumentMatch[] {
    const sums = new Map<number, number>()
    for (const { word } of words.slice(0, MAX_COMMON_WORDS)) {
      const doing = parseIds(newestDoing.get({ words: quoteFtsWord(word) })).filter((id) => turns.has(id))
      if (doing.length > MAX_DISTINCTIVE_TURNS) continue
      for (const id of doing) sums.set(id, (sums.get(id) ?? 0) + rarity(doing.length, turns.size))
    }
    const found = places.all({ ...scopeParams(within), ids: JSON.stringify([...sums.keys()]) })
    return found.map((place) => ({ ...place, score: sums.get(place.documentId) ?? 0 }))
  }

  return {
    put: (documentId: number, done: string): void => {
      write.run({ id: documentId, done: withIdentifierWords(done) })
    },
    has: (word: string): boolean => exists.get({ word: quoteFtsWord(word) })?.found === 1,
    /** Documents of prompts; see `matchDeeds`. */
    match: (words: string[], within: SearchScope): DocumentMatch[] => {
      const done = words.map((word) => ({ word, turns: turnsWith(word) })).filter(({ turns }) => turns > 0)
      const telling = done.filter(({ turns }) => turns <= MAX_DISTINCTIVE_TURNS)
      const common = done.filter(({ turns }) => turns > MAX_DISTINCTIVE_TURNS)
      const turns = done.length > 0 ? turnsOfSmall(within.project) : null
      const rows = byWeight(telling, turns, within)
      const more = turns && common.length > 0 ? asIfAlone(common, turns, within) : []
      return mergeScores(rows, more).slice(0, within.limit)
    },
  }
}

type ActivityWord = { word: string; turns: number }

function rarestWords(words: ActivityWord[]): ActivityWord[] {
  const rarest = words.toSorted((a, b) => a.turns - b.turns)
  let places = 0
  const over = rarest.findIndex(({ turns }) => {
    places += turns
    return places > MAX_WEIGHED_OCCURRENCES
  })
  return over < 0 ? rarest : rarest.slice(0, over)
}

const parseIds = (row: { ids: string } | null): number[] => JSON.parse(row?.ids ?? '[]')

function mergeScores(some: DocumentMatch[], others: DocumentMatch[]): DocumentMatch[] {
  if (others.length === 0) return some
  const all = new Map(some.map((match) => [match.documentId, match]))
  for (const match of others) all.set(match.documentId, { ...match, score: match.score + (all.get(match.documentId)?.score ?? 0) })
  return [...all.values()].sort((a, b) => b.score - a.score || b.at - a.at)
}
