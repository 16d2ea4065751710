import type { Database } from 'bun:sqlite'
import { fingerprint } from '../core/hash.ts'
import { identifiersIn, withHiddenWords } from '../core/identifiers.ts'
import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import type { Params } from './statement.ts'

export type DocumentKind = 'observation' | 'summary' | 'prompt' | 'note'

export type Document = {
  kind: DocumentKind
  ref: string
  sessionId: number | null
  project: ProjectKey
  at: number
  words: { title?: string; prompt?: string; body?: string; facts?: string; files?: string }
  /** What was said and done right before and after: it helps to find this, and is not this. */
  around: string
}

/** Where a document stands in time. */
export type Place = { documentId: number; kind: DocumentKind; ref: string; sessionId: number | null; project: ProjectKey; at: number }

/** A place and how well the words fit it; higher is better, comparable within one answer only. */
export type Match = Place & { score: number }

export type Within = {
  project: ProjectKey | null
  kinds: DocumentKind[]
  since: number
  before: number
  limit: number
  /** Looks only at documents that came after this one: for words so common that the newest must do. */
  after?: number
}

/** How many kinds of documents there are: asking for all of them is asking for any. */
const KINDS = 4

/** How much a word counts, by where it stands: title, prompt, body (answer or narrative), facts, files. The scope counts nothing. */
const WEIGHTS = [2, 1.2, 1, 1.2, 1.2, 0] as const
const AROUND_WEIGHTS = [1, 0.4, 0] as const
/** The gist of a document: more of a long answer would drown what stands around it. */
const GIST = 600
/** A short text needs what stands around it to be understood; a long one speaks for itself. */
const ROOM_AROUND = 1500

const COUNTED = 50_000

/** The full-text index, kept by the store itself: whoever writes a row puts its words here in the same transaction. */
export type Index = ReturnType<typeof fulltextStatements>

export function fulltextStatements(db: Database) {
  const put = db.prepare<{ id: number }, Params>(`
    INSERT INTO documents (kind, ref, session_id, project, at) VALUES (@kind, @ref, @sessionId, @project, @at)
    ON CONFLICT (kind, ref) DO UPDATE SET session_id = excluded.session_id, project = excluded.project, at = excluded.at
    RETURNING id`)
  const writeWords = db.prepare(`
    INSERT OR REPLACE INTO fulltext (rowid, title, prompt, body, facts, files, scope)
    VALUES (@id, @title, @prompt, @body, @facts, @files, @scope)`)
  const writeAround = db.prepare('INSERT OR REPLACE INTO surroundings (rowid, own, around, scope) VALUES (@id, @own, @around, @scope)')
  const writeNames = db.prepare('INSERT OR REPLACE INTO trigrams (rowid, names) VALUES (@id, @names)')

  const remove = db.prepare('DELETE FROM documents WHERE kind = @kind AND ref = @ref')

  // Two forms: where every kind and time is welcome, the best are chosen before their places are looked up.
  const columns = 'd.id AS documentId, d.kind, d.ref, d.session_id AS sessionId, d.project, d.at'
  const ranked = (table: string, weights: readonly number[]) => {
    const score = `-bm25(${table}, ${weights.join(', ')}) AS score`
    const free = db.prepare<Match, Params>(`
      SELECT ${columns}, best.score FROM
        (SELECT rowid, ${score} FROM ${table} WHERE ${table} MATCH @words AND rowid > @after ORDER BY score DESC LIMIT @limit) best
      JOIN documents d ON d.id = best.rowid ORDER BY best.score DESC, d.at DESC`)
    const bounded = db.prepare<Match, Params>(`
      SELECT ${columns}, ${score}
      FROM ${table} JOIN documents d ON d.id = ${table}.rowid
      WHERE ${table} MATCH @words AND ${table}.rowid > @after AND d.at >= @since AND d.at < @before AND instr(@kinds, d.kind) > 0
      ORDER BY score DESC, d.at DESC LIMIT @limit`)
    return (words: string[], within: Within): Match[] => {
      if (words.length === 0) return []
      const { query, after, limit } = { query: asQuery(words, within), after: within.after ?? 0, limit: within.limit }
      const rows =
        within.kinds.length === KINDS && within.since <= 0 && within.before === Number.MAX_SAFE_INTEGER
          ? free.all({ words: query, after, limit })
          : bounded.all({ ...bounds(within), words: query, after })
      return rows.map((row) => ({ ...row, project: asProjectKey(row.project) }))
    }
  }
  const byWords = ranked('fulltext', WEIGHTS)
  const bySurroundings = ranked('surroundings', AROUND_WEIGHTS)
  const byNames = db.prepare<Match, Params>(`
    SELECT d.id AS documentId, d.kind, d.ref, d.session_id AS sessionId, d.project, d.at, 1.0 AS score
    FROM trigrams JOIN documents d ON d.id = trigrams.rowid
    WHERE trigrams MATCH @words AND (@project IS NULL OR d.project IN (@project, '${GLOBAL_PROJECT}'))
      AND d.at >= @since AND d.at < @before AND instr(@kinds, d.kind) > 0
    ORDER BY d.at DESC LIMIT @limit`)
  const before = db.prepare<Place, Params>(`
    SELECT id AS documentId, kind, ref, session_id AS sessionId, project, at FROM documents
    WHERE (@project IS NULL OR project = @project) AND (at, id) < (@at, @id) ORDER BY at DESC, id DESC LIMIT @limit`)
  const from = db.prepare<Place, Params>(`
    SELECT id AS documentId, kind, ref, session_id AS sessionId, project, at FROM documents
    WHERE (@project IS NULL OR project = @project) AND (at, id) >= (@at, @id) ORDER BY at, id LIMIT @limit`)
  const byId = db.prepare<Place, Params>(`
    SELECT id AS documentId, kind, ref, session_id AS sessionId, project, at FROM documents WHERE id = @id`)
  const byRef = db.prepare<Place, Params>(`
    SELECT id AS documentId, kind, ref, session_id AS sessionId, project, at FROM documents WHERE kind = @kind AND ref = @ref`)
  const newest = db.prepare<Place, Params>(`
    SELECT id AS documentId, kind, ref, session_id AS sessionId, project, at FROM documents
    WHERE (@project IS NULL OR project = @project) AND at >= @since AND at < @before AND instr(@kinds, kind) > 0
    ORDER BY at DESC, id DESC LIMIT @limit`)
  // Counted no further than matters: past that a project is large, however large.
  const count = db.prepare<{ n: number }, Params>(`
    SELECT count(*) AS n FROM (SELECT 1 FROM documents WHERE project = @project LIMIT ${COUNTED})`)
  const last = db.prepare<{ id: number | null }, []>('SELECT max(id) AS id FROM documents')

  // SQLite's own stemmer, asked through a small index that lives in memory: there is no second one to disagree with it.
  db.run("CREATE VIRTUAL TABLE temp.stems USING fts5 (word, tokenize = 'porter unicode61 remove_diacritics 2')")
  db.run('CREATE VIRTUAL TABLE temp.stem_words USING fts5vocab (temp, stems, instance)')
  const stemIn = db.prepare('INSERT INTO temp.stems (rowid, word) VALUES (@id, @word)')
  const stemOut = db.prepare<{ term: string; doc: number }, []>('SELECT term, doc FROM temp.stem_words')
  const stemClear = db.prepare('DELETE FROM temp.stems')
  const frequency = db.prepare<{ doc: number }, Params>('SELECT doc FROM fulltext_words WHERE term = @term')

  // Counting a common word reads all its places. It is kept until the store has grown by a tenth: how rare a word is changes slowly.
  const counted = new Map<string, { documents: number; lastId: number }>()
  const documentsWith = (stem: string): number => {
    const lastId = last.get()?.id ?? 0
    const known = counted.get(stem)
    if (known && lastId <= known.lastId * 1.1 && lastId >= known.lastId) return known.documents
    const documents = frequency.get({ term: stem })?.doc ?? 0
    if (counted.size > 10_000) counted.clear()
    counted.set(stem, { documents, lastId })
    return documents
  }

  const putWords = (id: number, { words, around, project }: Document): void => {
    const all = { title: '', prompt: '', body: '', facts: '', files: '', ...words }
    const seen = Object.fromEntries(Object.entries(all).map(([name, text]) => [name, withHiddenWords(text)]))
    const scope = scopeWord(project)
    writeWords.run({ ...(seen as typeof all), id, scope })
    const gist = [all.title, all.prompt.slice(0, GIST), all.body.slice(0, GIST)].join(' ')
    const room = Math.max(0, ROOM_AROUND - all.title.length - all.prompt.length - all.body.length)
    writeAround.run({ id, own: withHiddenWords(gist), around: withHiddenWords(around.slice(0, room)), scope })
    writeNames.run({ id, names: [all.title, all.files, ...identifiersIn(`${all.prompt} ${all.facts}`)].join(' ') })
  }

  const place = (row: Place): Place => ({ ...row, project: asProjectKey(row.project) })

  return {
    /**
     * Puts documents into the index. All their rows are written before any of their words: each statement that may fail half-way makes
     * FTS5 write out the words it holds, and one writing for a whole turn is several times as fast as one for each document.
     */
    put: (...documents: Document[]): void => {
      const ids = documents.map(({ kind, ref, sessionId, project, at }) => {
        const row = put.get({ kind, ref, sessionId, project, at })
        if (!row) throw new Error('a document was neither added nor updated')
        return row.id
      })
      for (const [place, document] of documents.entries()) putWords(ids[place] as number, document)
    },
    remove: (kind: DocumentKind, ref: string): void => {
      remove.run({ kind, ref })
    },
    /** Documents that hold any of the words, best first. The words are plain text; here they become a query. */
    match: async (words: string[], within: Within): Promise<Match[]> => byWords(words, within),
    /** The same, looking also at what stands around each document. */
    matchAround: async (words: string[], within: Within): Promise<Match[]> => bySurroundings(words, within),
    /** Documents whose names contain this piece of a word, newest first. Three characters at least. */
    matchNames: async (piece: string, within: Within): Promise<Match[]> =>
      [...piece].length < 3
        ? []
        : byNames
            .all({ ...bounds(within), project: within.project, words: quoted(piece) })
            .map((row) => ({ ...row, project: asProjectKey(row.project) })),
    /** The stems of words and in how many documents each stands. */
    frequencies: async (words: string[]): Promise<{ word: string; stem: string; documents: number }[]> => {
      stemClear.run()
      for (const [id, word] of words.entries()) stemIn.run({ id, word })
      const stems = new Map(stemOut.all().map((row) => [row.doc, row.term]))
      return words.map((word, id) => {
        const stem = stems.get(id) ?? word
        return { word, stem, documents: documentsWith(stem) }
      })
    },
    /** How many documents a project has, or nearly; all of them together when none is named. */
    count: async (project: ProjectKey | null): Promise<number> => (project ? (count.get({ project })?.n ?? 0) : (last.get()?.id ?? 0)),
    lastId: async (): Promise<number> => last.get()?.id ?? 0,
    newest: async (within: Within): Promise<Place[]> => newest.all({ ...bounds(within), project: within.project }).map(place),
    place: async (documentId: number): Promise<Place | null> => {
      const row = byId.get({ id: documentId })
      return row ? place(row) : null
    },
    placeOf: async (kind: DocumentKind, ref: string): Promise<Place | null> => {
      const row = byRef.get({ kind, ref })
      return row ? place(row) : null
    },
    /** What happened around a moment, in the order it happened; at the same moment, around a document. */
    around: async (project: ProjectKey | null, at: number, depthBefore: number, depthAfter: number, documentId = 0): Promise<Place[]> => [
      ...before.all({ project, at, id: documentId, limit: depthBefore }).map(place).reverse(),
      ...from.all({ project, at, id: documentId, limit: depthAfter + 1 }).map(place),
    ],
  }
}

/** Kinds are a short closed list of words none of which is part of another, so a text can stand for a set of them. */
function bounds({ kinds, since, before, limit }: Within) {
  return { kinds: kinds.join(' '), since, before, limit }
}

function asQuery(words: string[], within: Within): string {
  const any = words.map(quoted).join(' OR ')
  if (!within.project) return any
  // What holds for every project is found in each.
  const scopes = [...new Set([within.project, GLOBAL_PROJECT])].map((project) => quoted(scopeWord(project)))
  return `scope : (${scopes.join(' OR ')}) AND (${any})`
}

/** FTS5 reads - and : and * as syntax, so every word the person typed goes in quotes. */
function quoted(word: string): string {
  return `"${word.replaceAll('"', '""').replaceAll('\0', '')}"`
}

const scopeWord = (project: ProjectKey) => `project${fingerprint(project, 12)}`
