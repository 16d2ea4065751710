import type { Database } from 'bun:sqlite'
import { identifiersIn, withIdentifierWords } from '../core/identifiers.ts'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { MemoryKind } from '../core/memory-kinds.ts'
import { activityStatements } from './activity.ts'
import { type CandidateIds, candidateStatements, candidateTest, hasTimeLimit, newestAmong } from './candidates.ts'
import {
  type DocumentFilter,
  filterValueStatements,
  IN_TIME_AND_KINDS,
  LOCATION_COLUMNS,
  matchingAmong,
  type OpenFilterName,
  scopeParams,
} from './document-filter.ts'
import { MAX_DOCUMENTS_PER_WORD, prepareRanking, scopeWord } from './document-ranking.ts'
import { quoteFtsWord, type SqlParams } from './statement.ts'
import { traitStatements } from './traits.ts'

export type DocumentKind = MemoryKind

/** Where a document stands in time. */
export type DocumentLocation = {
  documentId: number
  kind: DocumentKind
  ref: string
  sessionId: number | null
  /** The number of the prompt in its session; null for what belongs to no turn. */
  turn: number | null
  project: ProjectKey
  at: number
}

export type IndexedDocument = Omit<DocumentLocation, 'documentId'> & {
  words: { title?: string; prompt?: string; body?: string; facts?: string; files?: string }
  /** What was said and done right before and after: it helps to find this, and is not this. */
  context: string
}

/** A place and how well the words fit it; higher is better, comparable within one answer only. */
export type DocumentMatch = DocumentLocation & { score: number }

export type SearchScope = {
  project: ProjectKey | null
  kinds: DocumentKind[]
  since: number
  before: number
  limit: number
  scan?: LargeStoreScan | null
  filter?: DocumentFilter
  /** What leads to the documents that the filters leave. */
  candidates?: CandidateIds
  /** Documents that are weighed in any case, because they are good in another way. */
  alwaysWeighed?: number[]
}

/**
 * In a large store: which documents are looked at. `lately` are those among which common words are looked for, if weighing all that hold them
 * would take too long. `scoped` when other projects are left out at once: for a large project it is faster to leave them out of the best
 * only. `recent` as `documents.recent` has them.
 */
export type LargeStoreScan = {
  ranges: DocumentRange[]
  commonWordRanges: DocumentRange[] | null
  isProjectOnly: boolean
  newestIds: number[]
}

/** Documents by number: those past the first, up to and with the last. What was imported late has high ones, however old it is. */
export type DocumentRange = { after: number; upTo: number }

/** Documents of prompts, by number. */
export type UnansweredPrompts = { running: ReadonlySet<number>; preceding: ReadonlySet<number> }

/** How many prompts before and after one are its surroundings. */
export const CONTEXT_PROMPTS_EACH_SIDE = 2
/** How much a word counts, by where it stands: title, prompt, body (answer or narrative), facts, files. The scope counts nothing. */
const WEIGHTS = [2, 1.2, 1, 1.2, 1.2, 0] as const
const CONTEXT_WEIGHTS = [1, 0.4, 0] as const
/** The gist of a document: more of a long answer would drown what stands around it. */
const GIST_CHARS = 600
/** A short text needs what stands around it to be understood; a long one speaks for itself. */
const MAX_CONTEXT_CHARS = 1500

/** A word or a project is counted this far; past that it is common, and how far back so many reach tells how common. */
const MAX_COUNTED_WORD_DOCUMENTS = 1200
const MAX_COUNTED_PROJECT_DOCUMENTS = 200_000
/** One more than any document has had: a trigger keeps the number of the newest when it is deleted. */
const NEXT_ID = `1 + max(
  coalesce((SELECT max(id) FROM documents), 0),
  coalesce((SELECT CAST(value AS INTEGER) FROM marks WHERE name = 'newest document'), 0))`
/** How many documents at each end of a time tell about which numbers it has. */
const RANGE_SAMPLE_DOCUMENTS = 5000
type DocumentIdBounds = { first: number | null; last: number | null }
const NO_ID_BOUNDS: DocumentIdBounds = { first: null, last: null }
/** What a machine's report is answered with in fewer characters is "Ack, 9/18"; a summary of what came of it is longer. */
const MAX_ACKNOWLEDGEMENT_CHARS = 200
/** How many of the newest are known to be so where numbers do not tell. */
const MAX_RECENT_DOCUMENTS = 5000

/** The full-text index, kept by the store itself: whoever writes a row puts its words here in the same transaction. */
export type FulltextIndex = ReturnType<typeof fulltextStatements>

export function fulltextStatements(db: Database) {
  const put = db.prepare<{ id: number }, SqlParams>(`
    INSERT INTO documents (id, kind, ref, session_id, turn, project, at) VALUES (${NEXT_ID}, @kind, @ref, @sessionId, @turn, @project, @at)
    ON CONFLICT (kind, ref) DO UPDATE SET session_id = excluded.session_id, turn = excluded.turn, project = excluded.project, at = excluded.at
    RETURNING id`)
  const writeWords = db.prepare(`
    INSERT OR REPLACE INTO fulltext (rowid, title, prompt, body, facts, files, scope)
    VALUES (@id, @title, @prompt, @body, @facts, @files, @scope)`)
  const writeAround = db.prepare('INSERT OR REPLACE INTO surroundings (rowid, own, around, scope) VALUES (@id, @own, @around, @scope)')
  const writeNames = db.prepare('INSERT OR REPLACE INTO trigrams (rowid, names) VALUES (@id, @names)')

  // A look-up for each word: however many words there are, none of them is walked over.
  const known = db.prepare<{ word: string }, SqlParams>(`
    SELECT value AS word FROM json_each(@words) WHERE EXISTS (SELECT 1 FROM fulltext WHERE fulltext MATCH '"' || value || '"')`)
  const holding = db.prepare<DocumentLocation, SqlParams>(`
    SELECT ${LOCATION_COLUMNS} FROM (SELECT rowid FROM fulltext WHERE fulltext MATCH @word ORDER BY rowid DESC LIMIT @limit) held
      CROSS JOIN documents d ON d.id = held.rowid`)
  const isNamed = db.prepare<{ named: number }, SqlParams>(`
    SELECT EXISTS (SELECT 1 FROM deeds WHERE deeds MATCH @word) OR EXISTS (SELECT 1 FROM trigrams WHERE trigrams MATCH @word) AS named`)

  const acknowledging = db.prepare<{ id: number }, SqlParams>(`
    SELECT d.id FROM json_each(@ids) wanted CROSS JOIN documents d ON d.id = wanted.value
      CROSS JOIN prompts p ON p.session_id = d.session_id AND p.number = d.turn
    WHERE d.kind IN ('prompt', 'summary') AND p.origin = 'machine' AND length(coalesce(p.answer, '')) < ${MAX_ACKNOWLEDGEMENT_CHARS}`)

  const remove = db.prepare('DELETE FROM documents WHERE kind = @kind AND ref = @ref')

  // The newest, so that a name that everything has is not asked of all.
  const naming = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(rowid) AS ids FROM
      (SELECT rowid FROM trigrams WHERE trigrams MATCH @words AND rowid > @after AND rowid <= @upTo ORDER BY rowid DESC LIMIT ${MAX_DOCUMENTS_PER_WORD})`)
  // In one project or in all of them: two statements each, because one that may be either walks the whole table.
  const inOneOrAll = (asking: (theirs: string) => string) => {
    const all = db.prepare<DocumentLocation, SqlParams>(asking('true'))
    const one = db.prepare<DocumentLocation, SqlParams>(asking('d.project = @project'))
    return ({ project, ...params }: SqlParams) => (project ? one.all({ ...params, project }) : all.all(params))
  }
  const placesIn = (rest: string) => inOneOrAll((theirs) => `SELECT ${LOCATION_COLUMNS} FROM documents d WHERE ${theirs} AND ${rest}`)
  const before = placesIn('(d.at, d.id) < (@at, @id) ORDER BY d.at DESC, d.id DESC LIMIT @limit')
  const from = placesIn('(d.at, d.id) >= (@at, @id) ORDER BY d.at, d.id LIMIT @limit')
  const newest = placesIn(`${IN_TIME_AND_KINDS} ORDER BY d.at DESC, d.id DESC LIMIT @limit`)
  const wanted = matchingAmong(db)
  // A machine may report while a person still waits for the answer.
  const inTheMaking = db.prepare<{ id: number; isBeside: number }, SqlParams>(`
    WITH running AS (
      SELECT p.id, p.session_id, p.number FROM sessions s CROSS JOIN prompts p ON p.session_id = s.id
        AND p.number >= (SELECT coalesce(max(number), 0) FROM prompts WHERE session_id = s.id AND origin = 'person')
      WHERE s.status <> 'completed' AND s.last_event_at > @since AND p.answer IS NULL)
    SELECT d.id, q.id NOT IN (SELECT id FROM running) AS isBeside
    FROM running r CROSS JOIN prompts q ON q.session_id = r.session_id AND q.number BETWEEN r.number - ${CONTEXT_PROMPTS_EACH_SIDE} AND r.number
      CROSS JOIN documents d ON d.kind = 'prompt' AND d.ref = CAST(q.id AS TEXT)`)
  const byId = db.prepare<DocumentLocation, SqlParams>(`
    SELECT ${LOCATION_COLUMNS} FROM documents d WHERE d.id = @id`)
  const byRef = db.prepare<DocumentLocation, SqlParams>(`
    SELECT ${LOCATION_COLUMNS} FROM documents d WHERE d.kind = @kind AND d.ref = @ref`)
  const use = db.prepare(`
    INSERT INTO uses (document_id, times) SELECT id, 1 FROM documents WHERE kind = @kind AND ref = @ref
    ON CONFLICT (document_id) DO UPDATE SET times = times + 1`)
  const uses = db.prepare<{ id: number; times: number }, SqlParams>(`
    SELECT u.document_id AS id, u.times FROM json_each(@ids) wanted CROSS JOIN uses u ON u.document_id = wanted.value`)
  const count = db.prepare<{ n: number }, SqlParams>(`
    SELECT count(*) AS n FROM (SELECT 1 FROM documents WHERE project = @project LIMIT ${MAX_COUNTED_PROJECT_DOCUMENTS})`)
  const inTime = 'at >= @since AND at < @before'
  const ends = db.prepare<DocumentIdBounds, SqlParams>(`
    SELECT min(id) AS first, max(id) AS last FROM (
      SELECT id FROM (SELECT id FROM documents WHERE ${inTime} ORDER BY at LIMIT ${RANGE_SAMPLE_DOCUMENTS})
      UNION ALL SELECT id FROM (SELECT id FROM documents WHERE ${inTime} ORDER BY at DESC LIMIT ${RANGE_SAMPLE_DOCUMENTS}))`)
  const allOfTime = db.prepare<DocumentIdBounds, SqlParams>(`
    SELECT min(id) AS first, max(id) AS last FROM documents INDEXED BY documents_by_time WHERE ${inTime}`)
  const outside = db.prepare<DocumentIdBounds, SqlParams>(`
    SELECT (SELECT min(id) FROM documents NOT INDEXED WHERE id <= @first AND ${inTime}) AS first,
      (SELECT max(id) FROM documents NOT INDEXED WHERE id >= @last AND ${inTime}) AS last`)
  const latest = db.prepare<{ ids: string }, SqlParams>(`
    SELECT json_group_array(id) AS ids FROM
      (SELECT id FROM documents WHERE at >= @since AND at < @before ORDER BY at DESC, id DESC LIMIT ${MAX_RECENT_DOCUMENTS})`)
  const last = db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM documents')

  // SQLite's own stemmer, asked through a small index that lives in memory: there is no second one to disagree with it.
  db.run("CREATE VIRTUAL TABLE temp.stems USING fts5 (word, tokenize = 'porter unicode61 remove_diacritics 2')")
  db.run('CREATE VIRTUAL TABLE temp.stem_words USING fts5vocab (temp, stems, instance)')
  const stemIn = db.prepare('INSERT INTO temp.stems (rowid, word) VALUES (@id, @word)')
  const stemOut = db.prepare<{ term: string; doc: number }, []>('SELECT term, doc FROM temp.stem_words')
  const stemClear = db.prepare('DELETE FROM temp.stems')
  const newestWith = (table: string) =>
    db.prepare<{ n: number; oldest: number }, SqlParams>(`
      SELECT count(*) AS n, min(rowid) AS oldest FROM
        (SELECT rowid FROM ${table} WHERE ${table} MATCH @words ORDER BY rowid DESC LIMIT ${MAX_COUNTED_WORD_DOCUMENTS})`)
  // Kept until the store has grown by a tenth: how rare a word is changes slowly. Not that nobody has written it: the next may.
  const lately = (ask: (of: string, lastId: number) => number) => {
    const counted = new Map<string, { n: number; lastId: number }>()
    return (of: string): number => {
      const lastId = last.get()?.id ?? 0
      const known = counted.get(of)
      if (known && lastId <= known.lastId * 1.1 && lastId >= known.lastId) return known.n
      const n = ask(of, lastId)
      if (counted.size > 10_000) counted.clear()
      if (n > 0) counted.set(of, { n, lastId })
      return n
    }
  }
  const documentsIn = (table: string) => {
    const newest = newestWith(table)
    return lately((word, lastId) => {
      const { n, oldest } = newest.get({ words: quoteFtsWord(word) }) ?? { n: 0, oldest: 0 }
      return n < MAX_COUNTED_WORD_DOCUMENTS ? n : Math.round((n * lastId) / (lastId - oldest + 1))
    })
  }
  const documentsWith = documentsIn('fulltext')
  const documentsOf = lately((project) => count.get({ project })?.n ?? 0)

  const stems = new Map<string, string>()
  const stemAll = (words: string[]): void => {
    const unknown = words.filter((word) => !stems.has(word))
    if (unknown.length === 0) return
    if (stems.size > 10_000) stems.clear()
    stemClear.run()
    for (const [id, word] of unknown.entries()) stemIn.run({ id, word })
    const found = new Map(stemOut.all().map((row) => [row.doc, row.term]))
    for (const [id, word] of unknown.entries()) stems.set(word, found.get(id) ?? word)
  }

  const traits = traitStatements(db)
  const lead = candidateStatements(db, traits, documentsIn('trigrams'))
  const newestOf = newestAmong(db)
  const values = filterValueStatements(db)
  const byWords = prepareRanking(db, { table: 'fulltext', weights: WEIGHTS, strong: 'title', rest: 0.5 }, documentsWith)
  const around = { table: 'surroundings', weights: CONTEXT_WEIGHTS, strong: 'own', rest: 0.4 }
  const bySurroundings = prepareRanking(db, around, documentsWith)
  const deeds = activityStatements(db, lately)

  const putWords = (id: number, { kind, words, context: around, project }: IndexedDocument): void => {
    const all = { title: '', prompt: '', body: '', facts: '', files: '', ...words }
    const seen = Object.fromEntries(Object.entries(all).map(([name, text]) => [name, withIdentifierWords(text)]))
    const scope = scopeWord(project)
    writeWords.run({ ...(seen as typeof all), id, scope })
    const gist = [all.title, all.prompt.slice(0, GIST_CHARS), all.body.slice(0, GIST_CHARS)].join(' ')
    const room = Math.max(0, MAX_CONTEXT_CHARS - all.title.length - all.prompt.length - all.body.length)
    writeAround.run({ id, own: withIdentifierWords(gist), around: withIdentifierWords(around.slice(0, room)), scope })
    traits.put(id)
    // A note has no files: what it touches on is in its text.
    const names = kind === 'note' ? [all.title, all.body] : [all.title, all.files, ...identifiersIn(`${all.prompt} ${all.facts}`)]
    writeNames.run({ id, names: names.join(' ') })
  }

  const named = (piece: string, within: SearchScope): DocumentMatch[] => {
    const ids: number[] = JSON.parse(naming.get({ words: quoteFtsWord(piece), ...spanOf(within) })?.ids ?? '[]')
    const found = newestOf({ ids: ids.filter(candidateTest(within.candidates)), completeFrom: 0 }, within)
    return found.map((place) => ({ ...place, score: 1 }))
  }

  const spanOf = ({ since, before }: { since: number; before: number }): DocumentRange => {
    if (!hasTimeLimit({ since, before })) return { after: 0, upTo: last.get()?.id ?? 0 }
    const { first, last: final } = ends.get({ since, before }) ?? NO_ID_BOUNDS
    if (first === null || final === null) return { after: 0, upTo: 0 }
    // What was imported late may be anywhere: either all of the time is read, or all that is not between its ends, whichever is less.
    const isMost = first - 1 + (last.get()?.id ?? 0) - final < final - first
    const all = (isMost ? outside.get({ since, before, first, last: final }) : allOfTime.get({ since, before })) ?? NO_ID_BOUNDS
    return { after: (all.first ?? first) - 1, upTo: all.last ?? final }
  }

  const place = (row: DocumentLocation): DocumentLocation => ({ ...row, project: asProjectKey(row.project) })

  return {
    /**
     * Puts documents into the index. All their rows are written before any of their words: each statement that may fail half-way makes
     * FTS5 write out the words it holds, and one writing for a whole turn is several times as fast as one for each document.
     */
    put: (...documents: IndexedDocument[]): void => {
      const ids = documents.map(({ kind, ref, sessionId, turn, project, at }) => {
        const row = put.get({ kind, ref, sessionId, turn, project, at })
        if (!row) throw new Error('a document was neither added nor updated')
        return row.id
      })
      for (const [place, document] of documents.entries()) putWords(ids[place] as number, document)
    },
    remove: (kind: DocumentKind, ref: string): void => {
      remove.run({ kind, ref })
    },
    /** Documents that hold any of the words, best first. The words are plain text; here they become a query. */
    match: async (words: string[], within: SearchScope): Promise<DocumentMatch[]> => byWords(words, within),
    /** The same, looking also at what stands around each document. */
    matchContext: async (words: string[], within: SearchScope): Promise<DocumentMatch[]> => bySurroundings(words, within),
    /** Puts into the index what was done in a prompt's turn. */
    putActivity: (promptId: number, done: string): void => {
      const row = byRef.get({ kind: 'prompt', ref: String(promptId) })
      if (row) deeds.put(row.documentId, done)
    },
    /** Prompts in whose turns the words were written or run, those words that tell turns apart; best first. */
    matchActivity: async (words: string[], within: SearchScope): Promise<DocumentMatch[]> => deeds.match(words, within),
    /** Documents whose names contain this piece of a word, newest first. Three characters at least. */
    matchNames: async (piece: string, within: SearchScope): Promise<DocumentMatch[]> =>
      [...piece].length < 3 ? [] : named(piece, within).map((row) => ({ ...row, project: asProjectKey(row.project) })),
    /** The stems of words and in how many documents each stands; of common words, about how many. */
    frequencies: async (words: string[]): Promise<{ word: string; stem: string; documents: number }[]> => {
      stemAll(words)
      return words.map((word) => ({ word, stem: stems.get(word) ?? word, documents: documentsWith(word) }))
    },
    /** Those of these words that stand in any document, in some form. Letters only. */
    knownWords: async (words: string[]): Promise<string[]> => known.all({ words: JSON.stringify(words) }).map(({ word }) => word),
    /** The newest that hold a word in some form, by number. */
    newestWith: async (word: string, limit: number): Promise<DocumentLocation[]> =>
      holding.all({ word: quoteFtsWord(word), limit }).map(place),
    /** Those of these documents that tell of a turn in which a machine reported and next to nothing was answered. */
    acknowledgements: async (documentIds: number[]): Promise<Set<number>> =>
      new Set(acknowledging.all({ ids: JSON.stringify(documentIds) }).map(({ id }) => id)),
    /** Whether a word was written or run in a turn, or is a piece of a name. */
    occursInActivityOrNames: async (word: string): Promise<boolean> => isNamed.get({ word: quoteFtsWord(word) })?.named === 1,
    /** How many documents a project has, or nearly; all of them together when none is named. */
    count: async (project: ProjectKey | null): Promise<number> => (project ? documentsOf(project) : (last.get()?.id ?? 0)),
    /** The documents of a time, and whatever has a number between theirs. */
    idRange: async (since: number, before: number): Promise<DocumentRange> => spanOf({ since, before }),
    /** The newest of a time, newest first, where old work was imported after some of them; none where numbers tell as much. */
    newestIds: async (since: number, before: number, { upTo }: DocumentRange): Promise<number[]> => {
      const ids: number[] = JSON.parse(latest.get({ since, before })?.ids ?? '[]')
      // What is told some minutes late is out of order by a little only.
      return ids.some((id) => id <= upTo - 2 * MAX_RECENT_DOCUMENTS) ? ids : []
    },
    /** The newest that are wanted. Notes are few among everything and what a choice leaves may be, so these are led to. */
    newest: async (within: SearchScope): Promise<DocumentLocation[]> => {
      if (!within.filter && within.kinds.some((kind) => kind !== 'note')) return newest(scopeParams(within)).map(place)
      return newestOf(lead(within, spanOf), within).map(place)
    },
    /** What memories have for a filter that takes any value. */
    filterValues: async (filter: OpenFilterName, project: ProjectKey | null = null): Promise<string[]> => values(filter, project),
    /** What a choice, kinds and a time leave, or nearly: some of it may not be meant. */
    candidates: async (within: SearchScope): Promise<CandidateIds> => lead(within, spanOf),
    /** The newest of those that are wanted. */
    newestOf: async (lead: CandidateIds, within: SearchScope): Promise<DocumentLocation[]> => newestOf(lead, within).map(place),
    /**
     * Prompts whose turn has no answer yet, of sessions that are not over and were heard of since a moment; and those right before them, in
     * whose surroundings they stand.
     */
    unansweredPrompts: async (since: number): Promise<UnansweredPrompts> => {
      const rows = inTheMaking.all({ since })
      const ids = (isBeside: boolean) => new Set(rows.filter((row) => Boolean(row.isBeside) === isBeside).map((row) => row.id))
      return { running: ids(false), preceding: ids(true) }
    },
    /** Those of these documents that are wanted. */
    matching: async (documentIds: number[], within: SearchScope): Promise<DocumentLocation[]> =>
      wanted.all({ ...scopeParams(within), ids: JSON.stringify(documentIds.filter(candidateTest(within.candidates))) }).map(place),
    location: async (documentId: number): Promise<DocumentLocation | null> => {
      const row = byId.get({ id: documentId })
      return row ? place(row) : null
    },
    locationOf: async (kind: DocumentKind, ref: string): Promise<DocumentLocation | null> => {
      const row = byRef.get({ kind, ref })
      return row ? place(row) : null
    },
    /** Counts that somebody read it in full. */
    countUse: async (kind: DocumentKind, ref: string): Promise<void> => {
      use.run({ kind, ref })
    },
    /** How often each of these documents was read in full; those that never were are left out. */
    useCounts: async (documentIds: number[]): Promise<Map<number, number>> =>
      new Map(uses.all({ ids: JSON.stringify(documentIds) }).map(({ id, times }) => [id, times])),
    /** What happened around a moment, in the order it happened; at the same moment, around a document, which comes on top. */
    timelineAround: async (
      project: ProjectKey | null,
      at: number,
      depthBefore: number,
      depthAfter: number,
      documentId = 0,
    ): Promise<DocumentLocation[]> => [
      ...before({ project, at, id: documentId, limit: depthBefore }).map(place).reverse(),
      ...from({ project, at, id: documentId, limit: depthAfter + Number(documentId > 0) }).map(place),
    ],
  }
}
