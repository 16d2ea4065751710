import type { Database } from 'bun:sqlite'
import { withIdentifierWords } from '../core/identifiers.ts'
import type { CachedCount } from './cached-counts.ts'
import { allColumns, type DocumentMatch, type IndexedDocument, type SearchScope } from './document.ts'
import { prepareRanking, scopeWord } from './document-ranking.ts'

/** How much a word counts in each column: the document's own text, its context. The scope counts nothing. */
const COLUMN_WEIGHTS = [1, 0.4, 0] as const
const CONTEXT_SHARE = 0.4
/** How much of each own text is indexed here: more of a long answer would outweigh its context. */
const MAX_OWN_CHARS = 600
/** A short text needs its context to be understood; a long one does not. Own text and context share these characters. */
const MAX_CONTEXT_CHARS = 1500

/** The index of documents together with their context: the prompts and answers right before and after. */
export function contextIndexStatements(db: Database, documentsWith: CachedCount) {
  const write = db.prepare('INSERT OR REPLACE INTO surroundings (rowid, own, around, scope) VALUES (@id, @own, @around, @scope)')
  const ranked = prepareRanking(db, { table: 'surroundings', weights: COLUMN_WEIGHTS, strong: 'own', rest: CONTEXT_SHARE }, documentsWith)
  return {
    put: (id: number, document: IndexedDocument): void => {
      const { title, prompt, body } = allColumns(document)
      const own = [title, prompt.slice(0, MAX_OWN_CHARS), body.slice(0, MAX_OWN_CHARS)].join(' ')
      const room = Math.max(0, MAX_CONTEXT_CHARS - title.length - prompt.length - body.length)
      write.run({
        id,
        own: withIdentifierWords(own),
        around: withIdentifierWords(document.context.slice(0, room)),
        scope: scopeWord(document.project),
      })
    },
    match: (words: string[], within: SearchScope): DocumentMatch[] => ranked(words, within),
  }
}
