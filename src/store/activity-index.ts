import type { Database } from 'bun:sqlite'
import { withIdentifierWords } from '../core/identifiers.ts'
import { GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import type { CachedCount } from './cached-counts.ts'
import type { DocumentLocation, DocumentMatch, SearchScope } from './document.ts'
import { firstMatchingAmong, LOCATION_COLUMNS, PASSES_FILTER, scopeParams } from './document-filter.ts'
import { MAX_DOCUMENTS_PER_WORD, rarity } from './document-ranking.ts'
import { quoteFtsWord, type SqlParams } from './statement.ts'

/** A word in the activity of more turns does not distinguish them, and would take long to score. */
const MAX_DISTINCTIVE_TURNS = 500
/** How many occurrences are scored, rarest words first: a long prompt may have twenty words with five hundred turns each. */
const MAX_SCORED_OCCURRENCES = 1500
/** How many common words are searched in a small project: each costs reading the ten thousand newest turns with it. */
const MAX_COMMON_WORDS = 8
/** In a project with no more turns, a word may distinguish turns even if it is common in other projects. */
const SMALL_PROJECT_TURNS = 1000

/** The index of activity: words about what a turn's tools changed or ran, under the document of its prompt. `cached` reuses counts for a while. */
export function activityIndexStatements(db: Database, cached: (count: (key: string) => number) => CachedCount) {
  const write = db.prepare('INSERT OR REPLACE INTO deeds (rowid, done) VALUES (@id, @done)')
  const countTurns = db.prepare<{ n: number }, SqlParams>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM deeds WHERE deeds MATCH @words LIMIT ${MAX_DISTINCTIVE_TURNS + 1})`,
  )
  const scored = db.prepare<{ id: number; score: number }, SqlParams>(`
    SELECT rowid AS id, -bm25(deeds) AS score FROM deeds WHERE deeds MATCH @words ORDER BY score DESC, rowid DESC`)
  const firstMatching = firstMatchingAmong(db)

  const turnsOf = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(d.id) AS ids FROM
      (SELECT id FROM prompts WHERE project IN (@project, '${GLOBAL_PROJECT}') LIMIT ${SMALL_PROJECT_TURNS + 1}) turn
      CROSS JOIN documents d ON d.kind = 'prompt' AND d.ref = CAST(turn.id AS TEXT)`)
  const newestTurnsWith = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(rowid) AS ids FROM
      (SELECT rowid FROM deeds WHERE deeds MATCH @words ORDER BY rowid DESC LIMIT ${MAX_DOCUMENTS_PER_WORD})`)
  const inScope = db.prepare<DocumentLocation, SqlParams>(`
    SELECT ${LOCATION_COLUMNS} FROM json_each(@ids) wanted CROSS JOIN documents d ON d.id = wanted.value WHERE ${PASSES_FILTER}`)

  const exists = db.prepare<{ found: number }, SqlParams>('SELECT EXISTS (SELECT 1 FROM deeds WHERE deeds MATCH @word) AS found')

  const turnsWith = cached((word) => countTurns.get({ words: quoteFtsWord(word) })?.n ?? 0)
  const turnsIn = cached((project) => parseIds(turnsOf.get({ project })).length)

  /** All turns of a small project; null for a large one. */
  function turnsOfSmallProject(project: ProjectKey | null): Set<number> | null {
    if (project === null || turnsIn(project) > SMALL_PROJECT_TURNS) return null
    return new Set(parseIds(turnsOf.get({ project })))
  }

  /** Scores by bm25, with the rarest words only, up to `MAX_SCORED_OCCURRENCES` together. */
  function matchRareWords(words: ActivityWord[], turns: Set<number> | null, within: SearchScope): DocumentMatch[] {
    const rare = rarestWords(words)
    if (rare.length === 0) return []
    const rows = scored.all({ words: rare.map(({ word }) => quoteFtsWord(word)).join(' OR ') })
    const scores = new Map(rows.filter(({ id }) => turns?.has(id) ?? true).map(({ id, score }) => [id, score]))
    const best = firstMatching([...scores.keys()], within.limit, within)
    return best.map((location) => ({ ...location, score: scores.get(location.documentId) ?? 0 }))
  }

  /**
   * About what bm25 would give if no other project existed and each turn contained each word once. bm25 itself cannot be used: it counts the turns of
   * all projects and takes the word for a common one.
   */
  function matchCommonWords(words: ActivityWord[], turns: Set<number>, within: SearchScope): DocumentMatch[] {
    const sums = new Map<number, number>()
    for (const { word } of words.slice(0, MAX_COMMON_WORDS)) {
      const ids = parseIds(newestTurnsWith.get({ words: quoteFtsWord(word) })).filter((id) => turns.has(id))
      if (ids.length > MAX_DISTINCTIVE_TURNS) continue
      for (const id of ids) sums.set(id, (sums.get(id) ?? 0) + rarity(ids.length, turns.size))
    }
    const found = inScope.all({ ...scopeParams(within), ids: JSON.stringify([...sums.keys()]) })
    return found.map((location) => ({ ...location, score: sums.get(location.documentId) ?? 0 }))
  }

  return {
    put: (documentId: number, text: string): void => {
      write.run({ id: documentId, done: withIdentifierWords(text) })
    },
    has: (word: string): boolean => exists.get({ word: quoteFtsWord(word) })?.found === 1,
    /** Documents of prompts; see `documents.matchActivity`. */
    match: (words: string[], within: SearchScope): DocumentMatch[] => {
      const known = words.map((word) => ({ word, turns: turnsWith(word) })).filter(({ turns }) => turns > 0)
      const distinctive = known.filter(({ turns }) => turns <= MAX_DISTINCTIVE_TURNS)
      const common = known.filter(({ turns }) => turns > MAX_DISTINCTIVE_TURNS)
      const turns = known.length > 0 ? turnsOfSmallProject(within.project) : null
      const rows = matchRareWords(distinctive, turns, within)
      const more = turns && common.length > 0 ? matchCommonWords(common, turns, within) : []
      return mergeScores(rows, more).slice(0, within.limit)
    },
  }
}

type ActivityWord = { word: string; turns: number }

function rarestWords(words: ActivityWord[]): ActivityWord[] {
  const rarest = words.toSorted((a, b) => a.turns - b.turns)
  let occurrences = 0
  const over = rarest.findIndex(({ turns }) => {
    occurrences += turns
    return occurrences > MAX_SCORED_OCCURRENCES
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
