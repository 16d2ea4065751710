import type { Query } from '../database.ts'
import type { HubHandlers } from '../handlers.ts'
import { COMMON_WORD_ROWS, MAX_SEARCHED_WORDS } from '../schema.ts'
import { FEED_COLUMNS, type FeedRow, feedMemory } from './feed.ts'

/** If the chosen words are in more memories than this, all of them must occur. */
const MAX_LIKELY_ROWS = 20_000
/** Rare words are added to the choice until they are in about this many memories. */
const ENOUGH_ROWS = 8000
/** PostgreSQL stops choosing here, whatever the words are. */
const MAX_CANDIDATES = 20_000

/**
 * PostgreSQL cannot rank a million rows quickly: it would read all that have one of the words. So the rarest words choose the candidates, PostgreSQL says which
 * words each of them has, and we rank them as BM25 would rank words that occur once.
 */
export const search: HubHandlers['POST /v1/search'] = async ({ query }, { query: text, project, limit }) => {
  const lexemes = await query<{ word: string }>(`SELECT lexeme AS word FROM unnest(to_tsvector('english', $1)) LIMIT $2`, [
    text,
    MAX_SEARCHED_WORDS,
  ])
  if (lexemes.length === 0) return { hits: [] }
  const statistics = await readStatistics(query, Date.now())
  const plan = planSearch(
    lexemes.map(({ word }) => word),
    statistics,
  )
  const best = rankCandidates(await findCandidates(query, plan, project ?? null), plan, statistics).slice(0, Math.max(1, limit))
  const rows = await query<FeedRow & { key: string }>(
    `WITH found AS MATERIALIZED (
       SELECT ${FEED_COLUMNS}, p.key FROM jsonb_to_recordset($1::text::jsonb) AS b(project int, id text)
         CROSS JOIN LATERAL (SELECT * FROM recollect.memories x WHERE x.project_id = b.project AND x.id = b.id LIMIT 1) m
         JOIN recollect.projects p ON p.id = m.project_id)
     SELECT found.*, n.name AS "authorName" FROM found
       LEFT JOIN recollect.author_names((SELECT jsonb_agg(DISTINCT jsonb_build_array(project, "authorId")) FROM found)) n
         ON n.project = found.project AND n.id::text = found."authorId"`,
    [JSON.stringify(best)],
  )
  const found = new Map(rows.map(({ key, ...row }) => [`${row.project} ${row.id}`, { project: key, memory: feedMemory(row) }]))
  const hits = best.flatMap(({ project, id, score }) => {
    const hit = found.get(`${project} ${id}`)
    return hit ? [{ ...hit, score }] : []
  })
  return { hits }
}

/** How common words are, from the planner's statistics. */
export type WordStatistics = { memories: number; usualLength: number; rows: Map<string, number> }

export type SearchPlan = { words: { text: string; rows: number; isChosen: boolean }[]; mustHaveAll: boolean }

/** The words, rarest first, and which of them choose. */
export function planSearch(words: string[], { rows }: WordStatistics): SearchPlan {
  const byRarity = [...new Set(words)]
    .map((text) => ({ text, rows: rows.get(text) ?? COMMON_WORD_ROWS / 2 }))
    .sort((a, b) => a.rows - b.rows || (a.text < b.text ? -1 : 1))
  let sum = 0
  let isEnough = false
  const planned = byRarity.map((word, place) => {
    isEnough ||= place > 0 && sum + word.rows > ENOUGH_ROWS
    if (!isEnough) sum += word.rows
    return { ...word, isChosen: !isEnough }
  })
  return { words: planned, mustHaveAll: sum > MAX_LIKELY_ROWS }
}

/** `words` has one bit for each word of the plan. */
export type SearchCandidate = { project: number; id: string; length: number; words: number }

async function findCandidates(query: Query, { words, mustHaveAll }: SearchPlan, project: string | null): Promise<SearchCandidate[]> {
  const quoted = words.map(({ text }) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`)
  const choice = mustHaveAll ? quoted.join(' & ') : quoted.filter((_, place) => words[place]?.isChosen).join(' | ')
  return query<SearchCandidate>(
    `SELECT * FROM recollect.search_candidates($1::text::tsquery, ARRAY(SELECT w.value::tsquery FROM jsonb_array_elements_text($2::text::jsonb) WITH ORDINALITY AS w(value, place) ORDER BY w.place), $3, $4)`,
    [choice, JSON.stringify(quoted), project, MAX_CANDIDATES],
  )
}

/** Best first. All memories with a chosen word are candidates, so counting them tells how rare that word really is. */
export function rankCandidates(
  candidates: SearchCandidate[],
  { words, mustHaveAll }: SearchPlan,
  { memories, usualLength }: WordStatistics,
) {
  const weights = words.map(({ rows, isChosen }, place) => {
    const counted = isChosen && !mustHaveAll ? candidates.filter((candidate) => (candidate.words >> place) & 1).length : rows
    // The statistics of a new hub know fewer memories than it has.
    const all = Math.max(memories, candidates.length, counted)
    return Math.log(1 + (all - counted + 0.5) / (counted + 0.5))
  })
  return candidates
    .map(({ project, id, length, words: found }) => {
      const weight = weights.reduce((sum, each, place) => ((found >> place) & 1 ? sum + each : sum), 0)
      return { project, id, score: (weight * 2.2) / (1 + 1.2 * (0.25 + (0.75 * length) / usualLength)) }
    })
    .sort((a, b) => b.score - a.score || (a.id > b.id ? -1 : 1))
}

const STATISTICS_LIFETIME_MS = 600_000
let statistics: (WordStatistics & { readAt: number }) | null = null

/** They change slowly, so each hub reads them every ten minutes. */
async function readStatistics(query: Query, now: number): Promise<WordStatistics> {
  if (statistics && now - statistics.readAt < STATISTICS_LIFETIME_MS) return statistics
  const [total] = await query<{ memories: number; length: number }>(
    'SELECT memories, usual_length AS length FROM recollect.memory_statistics()',
  )
  const words = await query<{ word: string; rows: number }>('SELECT word, rows FROM recollect.common_words()')
  const rows = new Map(words.map(({ word, rows }) => [word, rows]))
  // The length is 0 while there are no memories.
  statistics = { memories: total?.memories ?? 0, usualLength: total?.length || 1, rows, readAt: now }
  return statistics
}
