/** The values that memories have for a filter, to suggest one. Loaded by the first query that names a branch, or a value that no memory has. */
import type { Database } from 'bun:sqlite'
import type { ProjectKey } from '../core/ids.ts'
import { BRANCHES_CTE } from './document-filter.ts'
import type { SqlParams } from './statement.ts'

/** A filter without a fixed list of values. */
export type OpenFilterName = 'ns' | 'tag' | 'branch' | 'source'

/** The first letter of the words that stand for a trait in its index (`trait-index.ts`), and the letter after it. */
const TRAIT_LETTERS = { source: ['s', 't'], ns: ['n', 'o'], tag: ['g', 'h'] } as const
/** Sources that a filter may name before any memory has them. */
const FIXED_SOURCES = ['git', 'machine', 'person']

/** Returns the values of a filter, sorted; of branches, those of one project or of all. */
export function filterValueStatements(db: Database): (filter: OpenFilterName, project: ProjectKey | null) => string[] {
  db.run('CREATE VIRTUAL TABLE temp.trait_words USING fts5vocab (main, traits, instance)')
  // Each step finds the next word in the index, so the cost does not depend on the number of documents. Words are a letter and hex digits, so the
  // next one after a word is at least that word with a zero.
  const next = (from: string) => `SELECT min(term) FROM (SELECT term FROM temp.trait_words WHERE term >= ${from} LIMIT 1)`
  const traits = db.prepare<{ value: string }, SqlParams>(`
    WITH RECURSIVE words (word) AS (
      SELECT (${next('@letter')}) UNION ALL SELECT (${next("words.word || '0'")}) FROM words WHERE word < @nextLetter)
    SELECT CAST(unhex(substr(word, 2)) AS TEXT) AS value FROM words WHERE word < @nextLetter ORDER BY value`)
  const branches = db.prepare<{ value: string }, SqlParams>(`
    ${BRANCHES_CTE} SELECT DISTINCT branch AS value FROM known WHERE branch IS NOT NULL AND (@project IS NULL OR project = @project) ORDER BY value`)
  return (filter, project) => {
    if (filter === 'branch') return branches.all({ project }).map(({ value }) => value)
    const [letter, nextLetter] = TRAIT_LETTERS[filter]
    const values = traits.all({ letter, nextLetter }).map(({ value }) => value)
    return filter === 'source' ? [...new Set([...values, ...FIXED_SOURCES])].sort() : values
  }
}
