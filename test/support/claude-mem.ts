import { Database } from 'bun:sqlite'

/** Creates a database of claude-mem with this many sessions, each with three observations, two prompts and a summary. */
export function claudeMemDatabase(
  path: string,
  sessions: number,
  names = { content: 'content_session_id', memory: 'memory_session_id' },
  project = 'Shop',
): void {
  const db = new Database(path, { create: true, strict: true })
  const { content, memory } = names
  db.run(`CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY, ${content} TEXT UNIQUE NOT NULL, ${memory} TEXT UNIQUE, project TEXT NOT NULL,
    platform_source TEXT NOT NULL DEFAULT 'claude', user_prompt TEXT, started_at TEXT, started_at_epoch INTEGER NOT NULL, completed_at_epoch INTEGER,
    status TEXT, custom_title TEXT)`)
  db.run(`CREATE TABLE observations (id INTEGER PRIMARY KEY, ${memory} TEXT NOT NULL, project TEXT NOT NULL, text TEXT, type TEXT NOT NULL, title TEXT,
    subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT, prompt_number INTEGER, created_at_epoch INTEGER)`)
  db.run(`CREATE TABLE session_summaries (id INTEGER PRIMARY KEY, ${memory} TEXT NOT NULL, project TEXT NOT NULL, request TEXT, investigated TEXT,
    learned TEXT, completed TEXT, next_steps TEXT, notes TEXT, prompt_number INTEGER, created_at_epoch INTEGER)`)
  db.run(
    `CREATE TABLE user_prompts (id INTEGER PRIMARY KEY, ${content} TEXT NOT NULL, prompt_number INTEGER, prompt_text TEXT, created_at_epoch INTEGER)`,
  )
  db.run(`CREATE TABLE directives (id INTEGER PRIMARY KEY, scope TEXT, project TEXT, content TEXT, status TEXT, created_at_epoch INTEGER)`)
  db.run(
    `CREATE INDEX o ON observations (${memory}); CREATE INDEX s ON session_summaries (${memory}); CREATE INDEX p ON user_prompts (${content})`,
  )
  db.transaction(() => {
    for (let n = 1; n <= sessions; n++) {
      const at = 1_760_000_000_000 + n * 60_000
      const [session, mind] = [`content-${n}`, `memory-${n}`]
      db.run(`INSERT INTO sdk_sessions (${content}, ${memory}, project, started_at_epoch, status) VALUES (?, ?, ?, ?, 'completed')`, [
        session,
        mind,
        project,
        at,
      ])
      for (let p = 1; p <= 2; p++)
        db.run(`INSERT INTO user_prompts (${content}, prompt_number, prompt_text, created_at_epoch) VALUES (?, ?, ?, ?)`, [
          session,
          p,
          `Prompt ${p} of ${n}`,
          at + p,
        ])
      for (let o = 1; o <= 3; o++)
        db.run(
          `INSERT INTO observations (${memory}, project, type, title, subtitle, facts, narrative, concepts, files_read, files_modified, prompt_number, created_at_epoch)
           VALUES (?, ?, ?, ?, 'sub', '["a fact"]', ?, '["gotcha","unheard-of"]', '[]', '["src/cart.ts"]', 1, ?)`,
          [mind, project, o === 3 ? 'strange' : 'bugfix', `Observation ${o} of ${n}`, `The cart rounds badly, number ${n}.`, at + 10 + o],
        )
      db.run(
        `INSERT INTO session_summaries (${memory}, project, request, learned, next_steps, created_at_epoch) VALUES (?, ?, ?, 'Rounding is hard', 'Ship', ?)`,
        [mind, project, `Request ${n}`, at + 50],
      )
    }
    db.run(
      `INSERT INTO sdk_sessions (${content}, ${memory}, project, platform_source, started_at_epoch) VALUES ('c', 'm', 'Shop', 'codex', 1760000000000)`,
    )
    db.run(
      `INSERT INTO directives (scope, content, status, created_at_epoch) VALUES ('global', 'Never push on Fridays.', 'active', 1760000000000)`,
    )
    db.run(`INSERT INTO directives (scope, content, status, created_at_epoch) VALUES ('global', 'Old rule', 'archived', 1760000000000)`)
  })()
  db.close()
}
