import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { temporaryFolder } from '../../test/support/builders.ts'
import { makeOlderDatabase, makeOlderTables, rowsToConvert } from '../../test/support/older-home.ts'
import { LAST_STEP, OLDER_STEPS, takeOlderSteps } from '../../test/support/older-steps.ts'
import { asProjectKey } from '../core/ids.ts'
import { migrate } from './migrations.ts'
import { SCHEMA_VERSION, versionOf } from './schema-version.ts'
import { checkDatabase, openStore } from './store.ts'

const VERSIONS = Array.from({ length: LAST_STEP }, (_, i) => i + 1)

test.each(VERSIONS)('a database of version %i opens, and every row of it is there as it was', async (version) => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'recollect.db')
  makeOlderDatabase(path, version)
  const before = rowsIn(path)
  const store = await openStore(path)
  expect((await store.prompts.ofSession(1)).map(({ text }) => text)).toEqual(['Why is the tide table wrong?', 'Fix the ferry clock'])
  const scope = { project: null, kinds: ['prompt' as const], since: 0, before: Number.MAX_SAFE_INTEGER, limit: 9 }
  expect(await store.documents.match(['tide'], scope)).toMatchObject([{ kind: 'prompt', ref: '1' }])
  expect(await store.jobs.claim(1)).toMatchObject({ kind: 'distill', payload: { sessionId: 1, number: 2 } })
  store.close()
  expect(missingFrom(rowsIn(path), before)).toEqual(version >= 10 && version < 22 ? FORGOTTEN_MOVED : [])
  expect(checkDatabase(path)).toEqual([])
})

/** Since version 22 these rows are in `deleted_rows`, from where they can be restored. */
const FORGOTTEN_MOVED = ['forgotten 9 gone']

test.each(VERSIONS)(
  'a database of version %i is converted to what its steps would have made of it, with the schema of a new one',
  (version) => {
    using converted = new Database(':memory:')
    using stepped = new Database(':memory:')
    using fresh = new Database(':memory:')
    for (const db of [converted, stepped]) makeOlderTables(db, version, rowsToConvert(version))
    takeOlderSteps(stepped, LAST_STEP)
    for (const db of [converted, stepped, fresh]) migrate(db)
    expect(contentOf(converted)).toEqual(contentOf(stepped))
    expect(schemaOf(converted)).toEqual(schemaOf(fresh))
  },
)

test('the older database of the tests has rows in every table', () => {
  using db = new Database(':memory:')
  makeOlderTables(db, LAST_STEP)
  expect([...rowsOf(db)].filter(([, rows]) => rows.length === 0).map(([table]) => table)).toEqual([])
})

test('a database from a branch of the development, whose number meant another schema, is converted too', () => {
  using ofBranch = new Database(':memory:')
  using fresh = new Database(':memory:')
  takeOlderSteps(ofBranch, 26)
  // Anchors, which came as step 32, were made as step 27 on their branch.
  ofBranch.run(OLDER_STEPS[31] as string)
  ofBranch.run("INSERT INTO verified (kind, ref, at) VALUES ('note', 'n', 7)")
  ofBranch.run('PRAGMA user_version = 27')
  // A trigger as an early version had it.
  ofBranch.run('DROP TRIGGER summaries_gone')
  ofBranch.run(
    "CREATE TRIGGER summaries_gone AFTER DELETE ON summaries BEGIN DELETE FROM documents WHERE kind = 'summary' AND ref = old.id; END",
  )
  for (const db of [ofBranch, fresh]) migrate(db)
  expect(schemaOf(ofBranch)).toEqual(schemaOf(fresh))
  expect(rowsOf(ofBranch).get('verified')).toEqual([{ kind: 'note', ref: 'n', commit_hash: null, at: 7 }])
})

test('a database of the first version, whose index of words had other columns, is converted and indexed again', async () => {
  using folder = temporaryFolder()
  const path = join(folder.path, 'recollect.db')
  using fresh = new Database(':memory:')
  migrate(fresh)
  {
    using first = new Database(path, { create: true, readwrite: true })
    makeOlderTables(first, 1)
    first.run('DROP TRIGGER documents_gone')
    for (const table of ['fulltext_words', 'fulltext', 'surroundings', 'trigrams']) first.run(`DROP TABLE ${table}`)
    first.run(
      "CREATE VIRTUAL TABLE fulltext USING fts5 (title, prompt, body, facts, files, content = '', contentless_delete = 1, tokenize = 'porter unicode61 remove_diacritics 2')",
    )
    first.run('CREATE TRIGGER documents_gone AFTER DELETE ON documents BEGIN DELETE FROM fulltext WHERE rowid = old.id; END')
  }
  const before = rowsIn(path)
  const store = await openStore(path)
  const found = async (kind: 'prompt' | 'observation' | 'summary', ...words: string[]) =>
    (await store.documents.match(words, { project: asProjectKey('harbour'), kinds: [kind], since: 0, before: Infinity, limit: 9 })).map(
      ({ ref }) => ref,
    )
  expect(await found('prompt', 'clock')).toEqual(['2'])
  expect(await found('observation', 'changed')).toEqual(['1'])
  expect(await found('summary', 'utc')).toEqual(['1'])
  store.close()
  expect(missingFrom(rowsIn(path), before)).toEqual([])
  expect(checkDatabase(path)).toEqual([])
  using converted = new Database(path)
  expect(schemaOf(converted)).toEqual(schemaOf(fresh))
})

test('tables, views and indexes that a person added to an older database stay', () => {
  using db = new Database(':memory:')
  makeOlderTables(db, 20)
  db.run('CREATE TABLE favourites (prompt INTEGER)')
  db.run('INSERT INTO favourites VALUES (2)')
  db.run('CREATE INDEX prompts_by_text ON prompts (text)')
  db.run('CREATE VIEW liked AS SELECT text FROM prompts JOIN favourites ON prompt = id')
  migrate(db)
  expect(db.query('SELECT text FROM liked').all()).toEqual([{ text: 'Fix the ferry clock' }])
  expect(schemaOf(db).filter((line) => line.includes('prompts_by_text'))).toHaveLength(1)
})

test('a conversion that fails changes nothing', () => {
  using db = new Database(':memory:')
  makeOlderTables(db, 12)
  db.run("INSERT INTO forgotten (key, id, row, at) VALUES ('1:4:0', 12, 'not JSON', 1)")
  const before = { schema: schemaOf(db), rows: rowsOf(db) }
  expect(() => migrate(db)).toThrow('malformed JSON')
  expect({ schema: schemaOf(db), rows: rowsOf(db) }).toEqual(before)
  expect(versionOf(db)).toBe(12)
})

test('a converted database has the number of this schema, so that older programs refuse it', () => {
  using db = new Database(':memory:')
  makeOlderTables(db, LAST_STEP)
  migrate(db)
  expect(versionOf(db)).toBe(SCHEMA_VERSION)
  expect(SCHEMA_VERSION).toBeGreaterThan(LAST_STEP)
})

type Row = Record<string, unknown>

/** The definitions of everything, without comments and layout. */
function schemaOf(db: Database): string[] {
  return db
    .query<{ type: string; name: string; sql: string | null }, []>('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name')
    .all()
    .map(({ type, name, sql }) => `${type} ${name}: ${withoutLayout(sql ?? '')}`)
}

const withoutLayout = (sql: string) =>
  sql
    .replace(/--.*/g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(),;]) ?/g, '$1')

/** All rows of the ordinary tables. Claimed jobs count as waiting ones, and indexes are derived. */
function rowsOf(db: Database): Map<string, Row[]> {
  const tables = db
    .query<{ name: string }, []>(
      "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('unembedded')",
    )
    .all()
  return new Map(tables.map(({ name }) => [name, db.query<Row, []>(`SELECT * FROM "${name}"`).all()]))
}

function rowsIn(path: string): Map<string, Row[]> {
  using db = new Database(path, { readonly: true })
  return rowsOf(db)
}

/** Everything in a database: its schema, its rows, the words and settings of its full-text tables, the next ids, and which documents wait for a vector. */
function contentOf(db: Database): unknown {
  const all = (sql: string) => db.query<Row, []>(sql).all()
  const indexes = all("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE VIRTUAL TABLE % USING fts5 (%'").map(({ name }) =>
    String(name),
  )
  expect(indexes.length).toBeGreaterThan(4)
  const words = indexes.sort().map((name) => {
    db.run(`CREATE VIRTUAL TABLE temp.${name}_terms USING fts5vocab (main, ${name}, instance)`)
    return [name, all(`SELECT * FROM temp.${name}_terms ORDER BY term, doc, col, offset`), all(`SELECT * FROM ${name}_config ORDER BY k`)]
  })
  return {
    schema: schemaOf(db),
    rows: Object.fromEntries([...rowsOf(db)].sort()),
    words,
    nextIds: all('SELECT name, seq FROM sqlite_sequence ORDER BY name'),
    waiting: all('SELECT document_id FROM unembedded ORDER BY document_id'),
  }
}

/** Rows that are no longer there, or have another value in a column that they had before. */
function missingFrom(after: Map<string, Row[]>, before: Map<string, Row[]>): string[] {
  const changing = new Set(['state', 'attempts'])
  return [...before].flatMap(([table, rows]) =>
    rows
      .filter(
        (row) =>
          !after
            .get(table)
            ?.some((other) => Object.entries(row).every(([name, value]) => changing.has(name) || Bun.deepEquals(other[name], value))),
      )
      .map((row) => `${table} ${row.id ?? JSON.stringify(row)} ${row.title ?? (row.row ? JSON.parse(String(row.row)).title : '')}`),
  )
}
