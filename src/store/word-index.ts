import type { Database } from 'bun:sqlite'
import { withIdentifierWords } from '../core/identifiers.ts'
import type { CachedCount } from './cached-counts.ts'
import { allColumns, type DocumentLocation, type DocumentMatch, type IndexedDocument, type SearchScope } from './document.ts'
import { LOCATION_COLUMNS } from './document-filter.ts'
import { prepareRanking, scopeWord } from './document-ranking.ts'
import { quoteFtsWord, type SqlParams } from './statement.ts'

/** How much a word counts in each column: title, prompt, body (answer or narrative), facts, files. The scope counts nothing. */
const COLUMN_WEIGHTS = [2, 1.2, 1, 1.2, 1.2, 0] as const
const OTHER_COLUMNS_SHARE = 0.5

/** The index of a document's own words. `documentsWith` counts the documents that contain a word. */
export function wordIndexStatements(db: Database, documentsWith: CachedCount) {
  const write = db.prepare(`
    INSERT OR REPLACE INTO fulltext (rowid, title, prompt, body, facts, files, scope)
    VALUES (@id, @title, @prompt, @body, @facts, @files, @scope)`)
  const ranked = prepareRanking(
    db,
    { table: 'fulltext', weights: COLUMN_WEIGHTS, strong: 'title', rest: OTHER_COLUMNS_SHARE },
    documentsWith,
  )
  // One look-up per word, so the cost does not depend on how many documents contain it.
  const known = db.prepare<{ word: string }, SqlParams>(`
    SELECT value AS word FROM json_each(@words) WHERE EXISTS (SELECT 1 FROM fulltext WHERE fulltext MATCH '"' || value || '"')`)
  const newest = db.prepare<DocumentLocation, SqlParams>(`
    SELECT ${LOCATION_COLUMNS} FROM (SELECT rowid FROM fulltext WHERE fulltext MATCH @word ORDER BY rowid DESC LIMIT @limit) newest
      CROSS JOIN documents d ON d.id = newest.rowid`)
  return {
    put: (id: number, document: IndexedDocument): void => {
      const { title, prompt, body, facts, files } = allColumns(document)
      write.run({
        id,
        title: withIdentifierWords(title),
        prompt: withIdentifierWords(prompt),
        body: withIdentifierWords(body),
        facts: withIdentifierWords(facts),
        files: withIdentifierWords(files),
        scope: scopeWord(document.project),
      })
    },
    match: (words: string[], within: SearchScope): DocumentMatch[] => ranked(words, within),
    /** The words that occur in any document. */
    known: (words: string[]): string[] => known.all({ words: JSON.stringify(words) }).map(({ word }) => word),
    /** The documents with the highest ids that contain a word. */
    newestWith: (word: string, limit: number): DocumentLocation[] => newest.all({ word: quoteFtsWord(word), limit }),
  }
}
