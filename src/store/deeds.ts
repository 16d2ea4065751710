import type { Database } from 'bun:sqlite'
import { withHiddenWords } from '../core/identifiers.ts'
import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { ALLOWED, bounds, IN_PROJECT, PLACE } from './choice.ts'
import type { Match, Place, Within } from './fulltext.ts'
import { MOST_PLACES, quoted, rarity } from './ranked.ts'
import type { Params } from './statement.ts'

/** A word that more turns have in their deeds tells none of them apart, and would take long to weigh. */
const TELLING_TURNS = 500
/** A project of no more turns has words of its own that tell them apart, however often others did the same. */
const TURNS_OF_A_SMALL_PROJECT = 1000

/** Every statement about deeds. `lately` keeps a count for a while. */
export function deedStatements(db: Database, lately: (ask: (of: string) => number) => (of: string) => number) {
  const write = db.prepare('INSERT OR REPLACE INTO deeds (rowid, done) VALUES (@id, @done)')
  const turnsDoing = db.prepare<{ n: number }, Params>(
    `SELECT count(*) AS n FROM (SELECT 1 FROM deeds WHERE deeds MATCH @words LIMIT ${TELLING_TURNS + 1})`,
  )
  const weighed = db.prepare<Match, Params>(`
    SELECT ${PLACE}, -bm25(deeds) AS score FROM deeds CROSS JOIN documents d ON d.id = deeds.rowid
    WHERE deeds MATCH @words AND ${IN_PROJECT} AND ${ALLOWED} ORDER BY score DESC, d.at DESC LIMIT @limit`)

  const turnsOf = db.prepare<{ ids: string }, Params>(`
    SELECT json_group_array(d.id) AS ids FROM
      (SELECT id FROM prompts WHERE project IN (@project, '${GLOBAL_PROJECT}') LIMIT ${TURNS_OF_A_SMALL_PROJECT + 1}) turn
      CROSS JOIN documents d ON d.kind = 'prompt' AND d.ref = CAST(turn.id AS TEXT)`)
  const newestDoing = db.prepare<{ ids: string }, Params>(`
    SELECT json_group_array(rowid) AS ids FROM
      (SELECT rowid FROM deeds WHERE deeds MATCH @words ORDER BY rowid DESC LIMIT ${MOST_PLACES})`)
  const places = db.prepare<Place, Params>(`
    SELECT ${PLACE} FROM json_each(@ids) wanted CROSS JOIN documents d ON d.id = wanted.value WHERE ${ALLOWED}`)

  const turnsWith = lately((word) => turnsDoing.get({ words: quoted(word) })?.n ?? 0)
  const turnsIn = lately((project) => numbersIn(turnsOf.get({ project })).length)

  /**
   * What bm25 would say if there were no other project, of turns that hold each word once. It cannot be asked: it counts every turn of every
   * project that holds a word, and takes the word for a common one.
   */
  function asIfAlone(project: ProjectKey, words: string[], within: Within): Match[] {
    if (words.length === 0 || turnsIn(project) > TURNS_OF_A_SMALL_PROJECT) return []
    const turns = new Set(numbersIn(turnsOf.get({ project })))
    const sums = new Map<number, number>()
    for (const word of words) {
      const doing = numbersIn(newestDoing.get({ words: quoted(word) })).filter((id) => turns.has(id))
      if (doing.length > TELLING_TURNS) continue
      for (const id of doing) sums.set(id, (sums.get(id) ?? 0) + rarity(doing.length, turns.size))
    }
    const found = places.all({ ...bounds(within), ids: JSON.stringify([...sums.keys()]) })
    return found.map((place) => ({ ...place, score: sums.get(place.documentId) ?? 0 }))
  }

  return {
    put: (documentId: number, done: string): void => {
      write.run({ id: documentId, done: withHiddenWords(done) })
    },
    /** Documents of prompts; see `matchDeeds`. */
    match: (words: string[], within: Within): Match[] => {
      const telling = words.filter((word) => turnsWith(word) > 0 && turnsWith(word) <= TELLING_TURNS)
      const common = words.filter((word) => turnsWith(word) > TELLING_TURNS)
      const rows = telling.length > 0 ? weighed.all({ ...bounds(within), words: telling.map(quoted).join(' OR ') }) : []
      const more = within.project ? asIfAlone(within.project, common, within) : []
      return added(rows, more)
        .map((row) => ({ ...row, project: asProjectKey(row.project) }))
        .slice(0, within.limit)
    },
  }
}

const numbersIn = (row: { ids: string } | null): number[] => JSON.parse(row?.ids ?? '[]')

function added(some: Match[], others: Match[]): Match[] {
  if (others.length === 0) return some
  const all = new Map(some.map((match) => [match.documentId, match]))
  for (const match of others) all.set(match.documentId, { ...match, score: match.score + (all.get(match.documentId)?.score ?? 0) })
  return [...all.values()].sort((a, b) => b.score - a.score || b.at - a.at)
}
