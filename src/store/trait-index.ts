import type { Database } from 'bun:sqlite'
import { GLOBAL_PROJECT } from '../core/ids.ts'
import type { DocumentRange, SearchScope } from './document.ts'
import { quoteFtsWord, type SqlParams } from './statement.ts'

/** A trait as one word: a letter for the trait, then the value in hex. */
const sqlTraitWord = (letter: string, value: string) => `'${letter}' || hex(${value})`
const traitWord = (letter: string, value: string) => letter + Buffer.from(value).toString('hex')

/** The traits of a document `d`: its project and kind, and the other values that filters check. */
export const TRAIT_WORDS = `${sqlTraitWord('k', 'd.kind')} || ' ' || ${sqlTraitWord('p', 'd.project')} || ' ' || coalesce(CASE d.kind
  WHEN 'observation' THEN (SELECT ${sqlTraitWord('t', 'type')} || ' ' || ${sqlTraitWord('s', 'lower(model)')}
    || coalesce((SELECT group_concat(' ' || ${sqlTraitWord('g', 'lower(value)')}, '') FROM json_each(tags)), '') FROM observations WHERE id = CAST(d.ref AS INTEGER))
  WHEN 'summary' THEN (SELECT ${sqlTraitWord('s', 'lower(model)')} FROM summaries WHERE id = CAST(d.ref AS INTEGER))
  WHEN 'prompt' THEN (SELECT ${sqlTraitWord('s', 'origin')} FROM prompts WHERE id = CAST(d.ref AS INTEGER))
  WHEN 'commit' THEN (SELECT ${sqlTraitWord('t', 'type')} || ' ' || ${sqlTraitWord('s', "'git'")} FROM commits WHERE id = CAST(d.ref AS INTEGER))
  ELSE (SELECT ${sqlTraitWord('t', 'type')} || ' ' || ${sqlTraitWord('n', 'namespace')} || ' ' || ${sqlTraitWord('s', 'source')} || ' ' || ${sqlTraitWord('e', "coalesce(session, '')")}
    || coalesce((SELECT group_concat(' ' || ${sqlTraitWord('g', 'lower(value)')}, '') FROM json_each(tags)), '') FROM notes WHERE id = d.ref)
  END, '')`

export type TraitIndex = ReturnType<typeof traitIndexStatements>

/**
 * The index of traits that filters check: project, kind, type, source, namespace, tag. The documents with a trait are read from the highest id down
 * and cost a byte or two each, so a filter finds its documents however old they are.
 */
export function traitIndexStatements(db: Database) {
  const read = db.prepare<{ words: string }, SqlParams>(`SELECT ${TRAIT_WORDS} AS words FROM documents d WHERE d.id = @id`)
  const write = db.prepare('INSERT OR REPLACE INTO traits (rowid, words) VALUES (@id, @words)')
  const withTraits = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(rowid) AS ids FROM
      (SELECT rowid FROM traits WHERE traits MATCH @words AND rowid > @after AND rowid <= @upTo ORDER BY rowid DESC LIMIT @limit)`)

  return {
    /** Reads the traits from the document's row, which must exist. */
    put: (id: number): void => {
      write.run({ id, words: read.get({ id })?.words ?? '' })
    },
    /** The newest documents in scope, as far as traits can decide. */
    newestWith: (within: SearchScope, { after, upTo }: DocumentRange, limit: number): number[] =>
      JSON.parse(withTraits.get({ words: traitQuery(within), after, upTo, limit })?.ids ?? '[]'),
    /** The newest notes from these sessions of an agent. */
    newestNotesOf: (contentIds: string[], begins: string | null, limit: number): number[] => {
      const words = [
        ...contentIds.map((id) => quoteFtsWord(traitWord('e', id))),
        ...(begins ? [`${quoteFtsWord(traitWord('e', begins))} *`] : []),
      ]
      if (words.length === 0) return []
      return JSON.parse(withTraits.get({ words: words.join(' OR '), after: 0, upTo: Number.MAX_SAFE_INTEGER, limit })?.ids ?? '[]')
    },
  }
}

function traitQuery({ project, kinds, filter }: SearchScope): string {
  const any = (letter: string, values: string[]) => `(${values.map((value) => quoteFtsWord(traitWord(letter, value))).join(' OR ')})`
  const all = [
    any('k', kinds),
    ...(project ? [any('p', [...new Set([project, GLOBAL_PROJECT])])] : []),
    ...(filter?.types.length ? [any('t', filter.types)] : []),
    ...(filter?.namespaces.length ? [any('n', filter.namespaces)] : []),
    ...(filter?.sources.length ? [any('s', filter.sources)] : []),
    ...(filter?.tags ?? []).map((spellings) => any('g', spellings)),
  ].join(' AND ')
  return filter?.notTags.length ? `(${all}) NOT ${any('g', filter.notTags)}` : all
}
