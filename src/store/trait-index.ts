import type { Database } from 'bun:sqlite'
import { GLOBAL_PROJECT } from '../core/ids.ts'
import type { DocumentRange, SearchScope } from './document.ts'
import { quoteFtsWord, type SqlParams } from './statement.ts'

/** One letter says what of it, the rest is its value, spelt so that any value is one word. */
const sqlTraitWord = (letter: string, value: string) => `'${letter}' || hex(${value})`
const traitWord = (letter: string, value: string) => letter + Buffer.from(value).toString('hex')

/** The words of a document `d`: its project and kind, and what else a filter may ask of it. */
const TRAIT_WORDS = `${sqlTraitWord('k', 'd.kind')} || ' ' || ${sqlTraitWord('p', 'd.project')} || ' ' || coalesce(CASE d.kind
  WHEN 'observation' THEN (SELECT ${sqlTraitWord('t', 'type')} || ' ' || ${sqlTraitWord('s', 'lower(model)')} FROM observations WHERE id = CAST(d.ref AS INTEGER))
  WHEN 'summary' THEN (SELECT ${sqlTraitWord('s', 'lower(model)')} FROM summaries WHERE id = CAST(d.ref AS INTEGER))
  WHEN 'prompt' THEN (SELECT ${sqlTraitWord('s', 'origin')} FROM prompts WHERE id = CAST(d.ref AS INTEGER))
  ELSE (SELECT ${sqlTraitWord('t', 'type')} || ' ' || ${sqlTraitWord('n', 'namespace')} || ' ' || ${sqlTraitWord('s', 'source')} || ' ' || ${sqlTraitWord('e', "coalesce(session, '')")}
    || coalesce((SELECT group_concat(' ' || ${sqlTraitWord('g', 'lower(value)')}, '') FROM json_each(tags)), '') FROM notes WHERE id = d.ref)
  END, '')`

export type TraitIndex = ReturnType<typeof traitIndexStatements>

/**
 * What filters ask of documents, as words of an index of its own: which project, kind, type, source, namespace, tag. A list of those that have
 * one is read from the highest number down and costs a byte or two for each, so that what a filter leaves is found however old it is.
 */
export function traitIndexStatements(db: Database) {
  const read = db.prepare<{ words: string }, SqlParams>(`SELECT ${TRAIT_WORDS} AS words FROM documents d WHERE d.id = @id`)
  const write = db.prepare('INSERT OR REPLACE INTO traits (rowid, words) VALUES (@id, @words)')
  const having = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(rowid) AS ids FROM
      (SELECT rowid FROM traits WHERE traits MATCH @words AND rowid > @after AND rowid <= @upTo ORDER BY rowid DESC LIMIT @limit)`)

  return {
    /** From its own row, which must be there. */
    put: (id: number): void => {
      write.run({ id, words: read.get({ id })?.words ?? '' })
    },
    /** The newest documents that have what is asked for, as far as traits can tell. */
    newestWith: (within: SearchScope, { after, upTo }: DocumentRange, limit: number): number[] =>
      JSON.parse(having.get({ words: traitQuery(within), after, upTo, limit })?.ids ?? '[]'),
    /** The newest notes that came from some sessions of an agent. */
    newestNotesOf: (contentIds: string[], begins: string | null, limit: number): number[] => {
      const words = [
        ...contentIds.map((id) => quoteFtsWord(traitWord('e', id))),
        ...(begins ? [`${quoteFtsWord(traitWord('e', begins))} *`] : []),
      ]
      if (words.length === 0) return []
      return JSON.parse(having.get({ words: words.join(' OR '), after: 0, upTo: Number.MAX_SAFE_INTEGER, limit })?.ids ?? '[]')
    },
  }
}

function traitQuery({ project, kinds, filter: choice }: SearchScope): string {
  const any = (letter: string, values: string[]) => `(${values.map((value) => quoteFtsWord(traitWord(letter, value))).join(' OR ')})`
  const all = [
    any('k', kinds),
    ...(project ? [any('p', [...new Set([project, GLOBAL_PROJECT])])] : []),
    ...(choice?.types.length ? [any('t', choice.types)] : []),
    ...(choice?.namespaces.length ? [any('n', choice.namespaces)] : []),
    ...(choice?.sources.length ? [any('s', choice.sources)] : []),
    ...(choice?.tags ?? []).map((spellings) => any('g', spellings)),
  ].join(' AND ')
  return choice?.notTags.length ? `(${all}) NOT ${any('g', choice.notTags)}` : all
}
