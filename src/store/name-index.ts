import type { Database } from 'bun:sqlite'
import { identifiersIn } from '../core/identifiers.ts'
import { candidateTest, type newestAmong, TRIGRAM_CHARS } from './candidates.ts'
import { allColumns, type DocumentMatch, type DocumentRange, type IndexedDocument, type SearchScope } from './document.ts'
import { MAX_DOCUMENTS_PER_WORD } from './document-ranking.ts'
import { quoteFtsWord, type SqlParams } from './statement.ts'

/** The index of names (files, identifiers, titles) by any part of them. `newestOf` sorts and filters what a search found. */
export function nameIndexStatements(
  db: Database,
  newestOf: ReturnType<typeof newestAmong>,
  idRange: (within: SearchScope) => DocumentRange,
) {
  const write = db.prepare('INSERT OR REPLACE INTO trigrams (rowid, names) VALUES (@id, @names)')
  // Only the newest: a part that every name contains would otherwise return all documents.
  const newest = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(rowid) AS ids FROM
      (SELECT rowid FROM trigrams WHERE trigrams MATCH @words AND rowid > @after AND rowid <= @upTo ORDER BY rowid DESC LIMIT ${MAX_DOCUMENTS_PER_WORD})`)
  const exists = db.prepare<{ found: number }, SqlParams>('SELECT EXISTS (SELECT 1 FROM trigrams WHERE trigrams MATCH @word) AS found')
  return {
    put: (id: number, document: IndexedDocument): void => {
      const { title, prompt, body, facts, files } = allColumns(document)
      // A note has no files; its text names the files it is about.
      const names = document.kind === 'note' ? [title, body] : [title, files, ...identifiersIn(`${prompt} ${facts}`)]
      write.run({ id, names: names.join(' ') })
    },
    /** Documents with a name that contains `part`, newest first, all with the same score. */
    match: (part: string, within: SearchScope): DocumentMatch[] => {
      if ([...part].length < TRIGRAM_CHARS) return []
      const ids: number[] = JSON.parse(newest.get({ words: quoteFtsWord(part), ...idRange(within) })?.ids ?? '[]')
      const found = newestOf({ ids: ids.filter(candidateTest(within.candidates)), completeFrom: 0 }, within)
      return found.map((location) => ({ ...location, score: 1 }))
    },
    has: (part: string): boolean => exists.get({ word: quoteFtsWord(part) })?.found === 1,
  }
}
