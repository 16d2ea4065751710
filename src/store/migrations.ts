import { Database } from 'bun:sqlite'
import type { IndexedDocument } from './document.ts'
import { documentStatements } from './documents.ts'
import { FULLTEXT_SETTINGS, SCHEMA } from './schema.ts'
import { SCHEMA_VERSION, versionOf } from './schema-version.ts'
import { TRAIT_WORDS } from './trait-index.ts'

/**
 * Creates the tables of a new database, or converts those of an older one. One transaction: a process that is killed leaves the database as it was.
 * Loaded only when there is something to do.
 */
export function migrate(db: Database): void {
  db.transaction(() => {
    const version = versionOf(db)
    if (version >= SCHEMA_VERSION) return
    if (version === 0) db.run(SCHEMA)
    else convert(db, version)
    db.run(FULLTEXT_SETTINGS)
    db.run(`PRAGMA user_version = ${SCHEMA_VERSION}`)
  }).immediate()
}

/**
 * Adds what the schema has and the database lacks, and converts the values that an older version stored differently. Rows stay where they are. It compares
 * the database itself rather than its version: branches of the development used the same number for different schemas.
 */
function convert(db: Database, version: number): void {
  using blank = new Database(':memory:', { strict: true })
  blank.run(SCHEMA)
  const wanted = objectsIn(blank)
  // Rows are converted without triggers, which would treat every one as changed by the person. They may also be outdated. Those of other names are not ours.
  for (const { type, name } of wanted) if (type === 'trigger' || type === 'view') db.run(`DROP ${type} IF EXISTS ${name}`)
  // The first notes table was never used.
  if (version < 4) db.run('DROP TABLE notes')
  // A full-text table cannot get another column. The first one had no word for the project.
  const isIndexOutdated = !columnsIn(db, 'fulltext').includes('scope')
  if (isIndexOutdated) db.run('DROP TABLE fulltext')

  const known = new Set(objectsIn(db).map(({ name }) => name))
  const added = new Set<string>()
  const create = (type: SchemaObject['type']) => {
    for (const { name, sql } of wanted.filter((object) => object.type === type && !known.has(object.name))) {
      db.run(sql)
      added.add(name)
    }
  }
  for (const { name: table, sql } of wanted.filter(({ type, name }) => type === 'table' && known.has(name))) {
    const columns = columnsIn(db, table)
    for (const column of columnsIn(blank, table).filter((name) => !columns.includes(name))) {
      db.run(`ALTER TABLE ${table} ADD COLUMN ${definitionOf(column, sql)}`)
      added.add(`${table}.${column}`)
    }
  }
  create('table')
  create('index')
  convertRows(db, version, added)
  if (isIndexOutdated) indexAgain(db)
  create('trigger')
  create('view')
}

/** `added` contains the new tables and columns. */
function convertRows(db: Database, version: number, added: Set<string>): void {
  if (added.has('prompts.branch'))
    db.run('UPDATE prompts SET branch = (SELECT branch FROM sessions WHERE sessions.id = prompts.session_id)')
  if (added.has('documents.turn')) db.run(TURNS_OF_DOCUMENTS)
  // Prompts are embedded differently since; the old vectors are used until the new ones are made.
  if (version < 7)
    db.run("INSERT OR IGNORE INTO unembedded (document_id, mark) SELECT id, random() & 0x7fffffff FROM documents WHERE kind = 'prompt'")
  if (added.has('traits')) db.run(TRAITS_OF_DOCUMENTS)
  if (objectsIn(db).some(({ name }) => name === 'forgotten')) db.run(FORGOTTEN_TO_DELETED)
  db.run(RENAMED_AND_COMPLETED)
}

/** Indexes the words of all memories. */
function indexAgain(db: Database): void {
  const index = documentStatements(db)
  for (const { title, prompt, body, facts, files, ...document } of db.query<MemoryWords, []>(WORDS_OF_MEMORIES).all())
    index.put({ ...document, words: { title, prompt, body, facts, files }, context: '' })
}

type MemoryWords = Omit<IndexedDocument, 'words' | 'context'> & Required<IndexedDocument['words']>

const WORDS_OF_MEMORIES = `
  SELECT d.kind, d.ref, d.session_id AS sessionId, d.turn, d.project, d.at,
    coalesce(o.title || ' ' || o.subtitle, s.request, '') AS title,
    iif(p.origin = 'person', p.text, '') AS prompt,
    coalesce(p.answer, o.narrative, s.investigated || char(10) || s.learned || char(10) || s.completed || char(10) || s.next_steps || char(10) || s.notes, '') AS body,
    coalesce(o.facts || ' ' || o.concepts, '') AS facts,
    coalesce(o.files_modified || ' ' || o.files_read, '') AS files
  FROM documents d
    LEFT JOIN prompts p ON d.kind = 'prompt' AND p.id = CAST(d.ref AS INTEGER)
    LEFT JOIN observations o ON d.kind = 'observation' AND o.id = CAST(d.ref AS INTEGER)
    LEFT JOIN summaries s ON d.kind = 'summary' AND s.id = CAST(d.ref AS INTEGER)
  ORDER BY d.id`

const TURNS_OF_DOCUMENTS = `
  UPDATE documents SET turn = CASE kind
    WHEN 'prompt' THEN (SELECT number FROM prompts WHERE id = CAST(ref AS INTEGER))
    WHEN 'observation' THEN (SELECT prompt_number FROM observations WHERE id = CAST(ref AS INTEGER))
    WHEN 'summary' THEN (SELECT prompt_number FROM summaries WHERE id = CAST(ref AS INTEGER)) END
  WHERE kind <> 'note'`

/** Since there are traits, a note is also found by any part of its text, as other memories are by the names of their files. */
const TRAITS_OF_DOCUMENTS = `
  INSERT INTO traits (rowid, words) SELECT d.id, ${TRAIT_WORDS} FROM documents d;
  INSERT OR REPLACE INTO trigrams (rowid, names)
  SELECT d.id, n.title || ' ' || n.body FROM notes n CROSS JOIN documents d ON d.kind = 'note' AND d.ref = n.id;
  DROP INDEX IF EXISTS observations_by_type;`

/** Observations that a person had forgotten. The titles of some are not known any more: an empty key stands for any observation of the turn. */
const FORGOTTEN_TO_DELETED = `
  INSERT INTO deleted_rows (unit, kind, ref, session_id, project, happened_at, row, at)
  SELECT '#' || id, 'observations', CAST(id AS TEXT), row ->> 'session_id', row ->> 'project', row ->> 'at', row, at FROM forgotten WHERE row IS NOT NULL;
  INSERT INTO tombstones (unit, kind, agent, session, turn, key, happened_at, at)
  SELECT '#' || f.id, 'observation', s.agent, s.content_session_id,
    coalesce(f.row ->> 'prompt_number', CAST(substr(f.key, instr(f.key, ':') + 1) AS INTEGER)), '', f.at, f.at
  FROM forgotten f JOIN sessions s ON s.id = coalesce(f.row ->> 'session_id', CAST(f.key AS INTEGER));
  DROP TABLE forgotten;`

/** Waiting jobs, marks and deleted rows get the names and fields that this version expects. Changes nothing in those that have them. */
const RENAMED_AND_COMPLETED = `
  UPDATE jobs SET kind = 'model-distill' WHERE kind = 'tell';
  DELETE FROM jobs WHERE kind = 'link';
  UPDATE jobs SET payload = json_insert(payload, '$.agent', 'claude-code') WHERE kind = 'read';
  UPDATE jobs SET payload = json_insert(payload, '$.commits', json('[]'), '$.lostPlaces', json('[]')) WHERE kind = 'erase';
  UPDATE marks SET name = 'native memory seen, claude-code' WHERE name = 'native memory seen';
  UPDATE deleted_rows SET row = json_insert(row, '$.host', NULL) WHERE kind = 'sessions';
  UPDATE deleted_rows SET row = json_insert(row, '$.tags', '[]') WHERE kind = 'observations';`

type SchemaObject = { type: 'table' | 'index' | 'trigger' | 'view'; name: string; sql: string }

/** The tables, indexes, triggers and views of a schema, without those that SQLite makes for them. */
function objectsIn(db: Database): SchemaObject[] {
  return db
    .query<SchemaObject, []>(
      "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')",
    )
    .all()
}

function columnsIn(db: Database, table: string): string[] {
  return db
    .query<{ name: string }, [string]>('SELECT name FROM pragma_table_xinfo(?)')
    .all(table)
    .map(({ name }) => name)
}

/** The definition of a column, from the text of its table. */
function definitionOf(column: string, tableSql: string): string {
  const sql = tableSql.replace(/--.*/g, '')
  const insideParentheses = sql.slice(sql.indexOf('(') + 1, sql.lastIndexOf(')'))
  const parts = insideParentheses.split(COMMA_OUTSIDE_PARENTHESES).map((part) => part.trim())
  const definition = parts.find((part) => part.startsWith(`${column} `))
  if (!definition) throw new Error(`the schema does not define ${column}`)
  return definition
}

const COMMA_OUTSIDE_PARENTHESES = /,(?![^(]*\))/
