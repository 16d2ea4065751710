import { Database } from 'bun:sqlite'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { writeNote } from '../../src/notes/notes.ts'
import { noteText } from './builders.ts'
import { takeOlderSteps } from './older-steps.ts'

type Value = string | number | null | Uint8Array
type Row = Record<string, Value>

const DAY = Date.UTC(2026, 2, 1)
const NOTE = noteText({ title: 'Ferry times', body: 'Ferries leave on the hour.', createdAt: DAY, updatedAt: DAY })
const NOTE_PATH = `memory/harbour/${NOTE.id}.md`

/** Prompts and notes of every older home, which must still be there after an upgrade. */
export const OLDER_TEXTS = { prompts: ['Why is the tide table wrong?', 'Fix the ferry clock'] as [string, string], note: NOTE.body }

/** Makes the home of an older program: its database in that version of the schema, with rows in every table, and a note. */
export function makeOlderHome(home: string, version: number): void {
  mkdirSync(join(home, dirname(NOTE_PATH)), { recursive: true, mode: 0o700 })
  writeFileSync(join(home, NOTE_PATH), writeNote(NOTE))
  makeOlderDatabase(join(home, 'recollect.db'), version)
  chmodSync(join(home, 'recollect.db'), 0o600)
}

/** A database file of an older program. */
export function makeOlderDatabase(path: string, version: number): void {
  const db = new Database(path, { create: true, readwrite: true, strict: true })
  try {
    for (const pragma of ['auto_vacuum = INCREMENTAL', 'journal_mode = WAL', 'synchronous = OFF']) db.run(`PRAGMA ${pragma}`)
    makeOlderTables(db, version)
  } finally {
    db.close()
  }
}

/**
 * The tables of one version with rows as the program of that version wrote them. Tables and columns that it did not know are left out. `extra` contains
 * more rows.
 */
export function makeOlderTables(db: Database, version: number, extra: { table: string; row: Row }[] = []): void {
  db.run('PRAGMA foreign_keys = ON')
  takeOlderSteps(db, version)
  const rows = Object.entries(ROWS).flatMap(([table, rows]) => rows.map((row) => ({ table, row })))
  db.transaction(() => {
    for (const { table, row } of [...rows, ...extra]) {
      if (table === 'notes' && version < 4) continue // that table was never used
      insert(db, table, row)
    }
  })()
  if (version >= 2) db.run('DELETE FROM unembedded WHERE document_id IN (SELECT document_id FROM vectors)')
}

function insert(db: Database, table: string, row: Row): void {
  const columns = new Set(
    db
      .query<{ name: string }, [string]>('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => name),
  )
  if (columns.size === 0) return
  const known = Object.entries(row).filter(([name]) => columns.has(name) || name === 'rowid')
  const names = known.map(([name]) => name)
  db.run(
    `INSERT OR REPLACE INTO ${table} (${names}) VALUES (${names.map(() => '?')})`,
    known.map(([, value]) => value),
  )
}

const session = { agent: 'claude-code', project: 'harbour', folder: '/srv/harbour', branch: 'main', prompt_count: 2, title: null }
const inTurn = { session_id: 1, project: 'harbour', prompt_number: 1, at: DAY + 2000 }
const noteRow = {
  id: NOTE.id,
  path: NOTE_PATH,
  project: 'harbour',
  scope: 'project',
  namespace: NOTE.namespace,
  type: NOTE.type,
  title: NOTE.title,
  body: NOTE.body,
  tags: '["tides","Ferries"]',
  machine: 'here',
  source: 'human',
  confidence: 1,
  supersedes: '[]',
  pinned: 0,
  unknown: '[]',
  print: 'print',
  created_at: DAY,
  updated_at: DAY,
}
const documents = [
  ['prompt', '1', OLDER_TEXTS.prompts[0]],
  ['prompt', '2', OLDER_TEXTS.prompts[1]],
  ['observation', '1', 'Changed the tide table'],
  ['summary', '1', 'The table is right'],
  ['note', NOTE.id, NOTE.body],
] as const
const words = (text: string) => ({
  title: '',
  prompt: '',
  body: text,
  facts: '',
  files: '',
  scope: 'harbour',
  own: text,
  around: '',
  names: text,
  done: text,
  words: `k${Buffer.from(text).toString('hex')}`,
})
const indexed = documents.map(([, , text], i) => ({ rowid: i + 1, ...words(text) }))

/** Rows in the order in which they refer to each other. */
const ROWS: Record<string, Row[]> = {
  sessions: [
    {
      ...session,
      id: 1,
      content_session_id: 's-done',
      memory_session_id: 'm-1',
      status: 'completed',
      started_at: DAY,
      last_event_at: DAY + 9000,
      ended_at: DAY + 9000,
    },
    {
      ...session,
      id: 2,
      content_session_id: 's-open',
      memory_session_id: null,
      status: 'active',
      prompt_count: 0,
      started_at: DAY,
      last_event_at: DAY,
      ended_at: null,
    },
  ],
  muted_turns: [{ session_id: 1, prompt_id: 'muted' }],
  prompts: OLDER_TEXTS.prompts.map((text, i) => ({
    id: i + 1,
    session_id: 1,
    project: 'harbour',
    number: i + 1,
    key: `p${i}:k`,
    prompt_id: `p${i}`,
    uuid: `u${i}`,
    origin: 'person',
    text,
    answer: `Answer ${i}`,
    open_failures: '[]',
    at: DAY + i * 1000,
    answered_at: DAY + i * 1000 + 500,
    branch: 'main',
    traces: '{"names":[],"errors":[]}',
  })),
  tool_uses: [1, 2].map((id) => ({
    id,
    session_id: 1,
    prompt_number: id,
    prompt_id: `p${id - 1}`,
    tool_use_id: `t${id}`,
    tool: 'Bash',
    input: '{"command":"npm test"}',
    output: '{"stdout":"ok"}',
    error: null,
    interrupted: 0,
    agent_id: null,
    cwd: '/srv/harbour',
    at: DAY + 1000,
    stored_at: DAY + 1000,
  })),
  observations: [
    {
      ...inTurn,
      id: 1,
      key: '1:1:0',
      memory_session_id: 'm-1',
      type: 'change',
      title: 'Changed the tide table',
      subtitle: '',
      narrative: '',
      facts: '[]',
      concepts: '[]',
      files_read: '[]',
      files_modified: '["src/tide.ts"]',
      tool: 'Edit',
      tokens: 12,
      model: 'plain',
    },
  ],
  observation_files: [{ observation_id: 1, project: 'harbour', path: 'src/tide.ts', modified: 1, at: DAY }],
  summaries: [
    {
      ...inTurn,
      id: 1,
      key: 'turn:1:1',
      source: 'turn',
      request: 'Why is the tide table wrong?',
      investigated: '',
      learned: 'It was UTC',
      completed: 'The table is right',
      next_steps: '',
      notes: '',
      model: 'plain',
    },
  ],
  notes: [noteRow],
  superseded: [{ older: '01ARZ3NDEKTSV4RRFFQ69G5FAA', newer: NOTE.id }],
  note_files: [{ path: NOTE_PATH, bytes: 1, changed_at: 1, id: NOTE.id, problem: null }],
  documents: documents.map(([kind, ref], i) => ({
    id: i + 1,
    kind,
    ref,
    session_id: kind === 'note' ? null : 1,
    project: 'harbour',
    at: DAY + i,
    turn: kind === 'note' ? null : 1,
  })),
  fulltext: indexed,
  surroundings: indexed,
  trigrams: indexed,
  deeds: indexed,
  traits: indexed,
  jobs: [{ id: 1, kind: 'distill', key: '1:2', payload: '{"sessionId":1,"number":2}', state: 'waiting', run_after: 0, created_at: DAY }],
  injections: [{ id: 1, session_id: 1, project: 'harbour', event: 'SessionStart', text: 'a brief', tokens: 3, items: '[]', at: DAY }],
  receipts: [{ delivery: 'd1', at: DAY }],
  transcripts: [{ path: '/srv/s-done.jsonl', checkpoint: '{}', bytes: 100, read_at: DAY, agent: 'claude-code' }],
  audit: [{ id: 1, at: DAY, action: 'capture', subject: 'session s-done', details: '{}' }],
  marks: [{ name: 'transcripts seen until', value: String(DAY) }],
  vectors: [{ seq: 1, document_id: 1, embedder: 'static', fingerprint: 'f', scale: 1, row: new Uint8Array([1, 2, 3]) }],
  entities: [{ id: 1, kind: 'file', name: 'src/tide.ts' }],
  mentions: [{ entity_id: 1, kind: 'observation', ref: '1', project: 'harbour', at: DAY }],
  links: [{ from_kind: 'prompt', from_ref: '1', to_kind: 'observation', to_ref: '1', relation: 'led to', origin: 'same turn', at: DAY }],
  plans: [{ id: 1, kind: 'consolidate', project: null, fingerprint: 'f', content: '{"items":[]}', undo: null, planned_at: DAY }],
  forgotten: [{ key: '1:2:0', id: 9, row: '{"session_id":1,"project":"harbour","prompt_number":2,"at":1,"title":"gone"}', at: DAY }],
  note_versions: [{ note: NOTE.id, title: 'Ferry', body: 'Ferries leave at noon.', at: DAY - 1 }],
  renamed_projects: [{ old: 'port', now: 'harbour' }],
  told_turns: [{ session_id: 1, prompt_number: 1, print: 'p', model: 'm', at: DAY }],
  model_costs: [
    {
      day: '2026-03-01',
      provider: 'p',
      model: 'm',
      project: 'harbour',
      purpose: 'distill',
      calls: 1,
      failed: 0,
      input: 9,
      cached: 0,
      output: 9,
      usd: 0.1,
      unpriced: 0,
    },
  ],
  uses: [{ document_id: 1, times: 2 }],
  deleted_rows: [
    {
      id: 1,
      unit: '#8',
      kind: 'observations',
      ref: '8',
      session_id: 1,
      project: 'harbour',
      happened_at: DAY,
      row: '{"session_id":1,"title":"Asked the pilots","tags":"[\\"pilots\\"]"}',
      at: DAY,
    },
  ],
  tombstones: [
    {
      id: 50,
      unit: 'T1',
      kind: 'turn',
      agent: 'claude-code',
      session: 's-done',
      turn: 7,
      prompt_id: 'p7',
      uuid: null,
      key: '',
      happened_at: DAY,
      at: DAY,
    },
  ],
  threads: [{ id: 1, session_id: 1, first: 1, last: 2, outcome: 2 }],
  commits: [
    {
      id: 1,
      project: 'harbour',
      hash: 'a'.repeat(40),
      subject: 'Use UTC',
      body: '',
      files: '["src/tide.ts"]',
      file_count: 1,
      author: 'dev',
      at: DAY,
      type: 'change',
    },
  ],
  changed_values: [{ old: '8080', prompt_id: 1 }],
  anchors: [
    { id: 1, path: 'src/tide.ts', name: 'tide', signature: 's', sketch: new Uint8Array([1]), header: 'h', commit_hash: '', branch: 'main' },
  ],
  anchored: [{ kind: 'observation', ref: '1', anchor_id: 1 }],
  verified: [{ kind: 'observation', ref: '1', commit_hash: null, at: DAY }],
  team_projects: [{ key: 'team/harbour', project: 'harbour', title: 'Harbour', policy: 'off', may: 'write', pulled: 4 }],
  team_outbox: [{ id: 1, kind: 'note', ref: NOTE.id }],
  team_shared: [{ key: 'team/harbour', id: 'h1', kind: 'summary', ref: '7', hash: 'h', sent: null }],
  team_choices: [{ note: NOTE.id, key: 'team/harbour', is_shared: 0 }],
  team_received: [
    {
      key: 'team/harbour',
      id: 'h2',
      kind: 'note',
      seq: 4,
      hash: 'h',
      author_id: 'a',
      author: 'dev',
      state: 'proposed',
      copy: null,
      body: '{}',
      changed_at: DAY,
      reading: 1,
    },
  ],
  own_outbox: [{ id: 1, kind: 'session', ref: 'claude-code s-done' }],
  own_items: [{ item: 'i1', kind: 'session', ref: 'claude-code s-done', sent: 'x', is_from_here: 1 }],
  own_versions: [{ item: 'i1', version: 3 }],
}

const job = { state: 'waiting', run_after: DAY, created_at: DAY }
const deleted = { session_id: 1, project: 'harbour', happened_at: DAY, at: DAY }

/** Rows that versions up to `until` stored differently from this one: a worker of this version would not know what to do with them. */
const STORED_DIFFERENTLY: { until: number; table: string; row: Row }[] = [
  { until: 20, table: 'jobs', row: { ...job, id: 2, kind: 'tell', key: '1:1', payload: '{"sessionId":1,"number":1}' } },
  { until: 20, table: 'jobs', row: { ...job, id: 3, kind: 'read', key: '/s.jsonl', payload: '{"path":"/s.jsonl"}' } },
  { until: 20, table: 'jobs', row: { ...job, id: 4, kind: 'link', key: 'all', payload: '{}' } },
  { until: 20, table: 'marks', row: { name: 'native memory seen', value: '{}' } },
  { until: 21, table: 'forgotten', row: { key: '1:3:0', id: 10, row: null, at: DAY } },
  { until: 25, table: 'jobs', row: { ...job, id: 5, kind: 'erase', key: 'u', payload: '{"units":["T1"]}' } },
  { until: 30, table: 'deleted_rows', row: { ...deleted, id: 2, unit: 'S3', kind: 'sessions', ref: '3', row: '{"id":3,"title":null}' } },
  {
    until: 30,
    table: 'deleted_rows',
    row: { ...deleted, id: 3, unit: 'S3', kind: 'observations', ref: '11', row: '{"id":11,"title":"x"}' },
  },
]

/** The rows of a version that have to be converted, for `makeOlderTables`. */
export const rowsToConvert = (version: number) => STORED_DIFFERENTLY.filter(({ until }) => version <= until)
