/** Seed 001, the two session ids of claude-mem: its invariants on the database of a real worker, with the queries that it prints. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { aTestHome, type TestHome } from '../support/test-home.ts'
import { openWorkerDatabase } from '../support/worker-database.ts'

let home: TestHome
beforeAll(async () => {
  home = await aTestHome()
  await home.run('start')
  await post('/api/sessions/init', { contentSessionId: 'user-session-123', project: 'shop', prompt: 'Round the prices' })
})
afterAll(async () => {
  await home[Symbol.asyncDispose]()
})

const post = async (path: string, body: object) => (await home.ask('POST', path, body)).json()
const query = <Row>(sql: string): Row[] => {
  const db = openWorkerDatabase(join(home.home, 'recollect.db'), { readonly: true })
  try {
    return db.query<Row, []>(sql).all()
  } finally {
    db.close()
  }
}
/** The session of the examples, in the place of `your-session-id`. */
const withId = (sql: string) => sql.replace('your-session-id', 'user-session-123')

const BOTH_IDS = `
-- See both session IDs
SELECT
id,
content_session_id,
memory_session_id,
CASE
WHEN memory_session_id IS NULL THEN 'NOT_CAPTURED'
ELSE 'CAPTURED'
END as state
FROM sdk_sessions
WHERE content_session_id = 'your-session-id';`

const ORPHANS = `
-- Should return 0 rows if FK integrity is maintained
SELECT o.*
FROM observations o
LEFT JOIN sdk_sessions s ON o.memory_session_id = s.memory_session_id
WHERE s.id IS NULL;`

const OBSERVATIONS_OF_SESSION = `
-- See which observations belong to a session
SELECT
o.id,
o.title,
o.memory_session_id,
s.content_session_id,
s.memory_session_id as session_memory_id
FROM observations o
JOIN sdk_sessions s ON o.memory_session_id = s.memory_session_id
WHERE s.content_session_id = 'your-session-id';`

test('1. Hook creates session: the memory session id is NULL until the session is distilled', () => {
  expect(query(withId(BOTH_IDS))).toMatchObject([
    { content_session_id: 'user-session-123', memory_session_id: null, state: 'NOT_CAPTURED' },
  ])
})

test('3. First distillation: the memory session id is captured, and is never the content session id', async () => {
  await post('/api/sessions/observations', {
    contentSessionId: 'user-session-123',
    tool_name: 'Edit',
    tool_input: { file_path: '/src/cart.ts', old_string: 'total / 3', new_string: 'Math.round(total / 3)' },
    tool_response: {},
  })
  const last = { last_user_message: 'Round the prices', last_assistant_message: 'Prices are rounded to whole cents in the cart now.' }
  await post('/api/sessions/summarize', { contentSessionId: 'user-session-123', ...last })
  await home.settled()
  const [row] = query<{ memory_session_id: string; state: string }>(withId(BOTH_IDS))
  expect(row?.state).toBe('CAPTURED')
  expect(row?.memory_session_id).not.toBe('user-session-123')
})

test('Observations are stored with the memory session id, and belong to exactly one session', () => {
  const rows = query<{ memory_session_id: string; session_memory_id: string }>(withId(OBSERVATIONS_OF_SESSION))
  expect(rows.length).toBeGreaterThan(0)
  for (const row of rows) expect(row.memory_session_id).toBe(row.session_memory_id)
  expect(query(ORPHANS)).toEqual([])
})

test('4. Subsequent prompts keep both ids, and so does a worker that starts again', async () => {
  const before = query(withId(BOTH_IDS))
  await post('/api/sessions/init', { contentSessionId: 'user-session-123', prompt: 'And the taxes' })
  await home.run('restart')
  await post('/api/sessions/summarize', { contentSessionId: 'user-session-123', last_assistant_message: 'Taxes are rounded the same way.' })
  await home.settled()
  expect(query(withId(BOTH_IDS))).toEqual(before)
})

test('One content session id is one session, whoever reports it and however often', async () => {
  await Promise.all(
    Array.from({ length: 8 }, () => post('/sessions/init', { sessionId: 'user-session-456', project: 'shop', userPrompt: 'Once' })),
  )
  expect(query("SELECT count(*) AS n FROM sdk_sessions WHERE content_session_id = 'user-session-456'")).toEqual([{ n: 1 }])
})

test('Two sessions never share a memory session id, and the database refuses an observation without one', () => {
  expect(query('SELECT memory_session_id FROM sdk_sessions WHERE memory_session_id IS NOT NULL GROUP BY 1 HAVING count(*) > 1')).toEqual([])
  const db = openWorkerDatabase(join(home.home, 'recollect.db'))
  try {
    db.run('PRAGMA foreign_keys = ON')
    const insert = () =>
      db.run(`INSERT INTO observations (key, session_id, memory_session_id, project, prompt_number, type, title, subtitle, narrative, facts,
        concepts, files_read, files_modified, tokens, model, at)
        SELECT 'x', id, content_session_id, project, 1, 'change', 't', '', '', '[]', '[]', '[]', '[]', 1, 'm', 1 FROM sessions LIMIT 1`)
    expect(insert).toThrow('FOREIGN KEY')
  } finally {
    db.close()
  }
})

test('Foreign key cascade: a deleted session takes its prompts, observations and summaries along', async () => {
  await home.run('forget', '--session', 'user-session-123', '--hard', '--yes')
  await home.settled()
  for (const table of ['user_prompts', 'session_summaries', 'observations'])
    expect([table, query(`SELECT id FROM ${table} WHERE session_id = 1`)]).toEqual([table, []])
  expect(query(withId(BOTH_IDS))).toEqual([])
})
