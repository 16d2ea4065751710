import { Database } from 'bun:sqlite'

/** One session of claude-mem for `claudeMem13Database`. */
export type ClaudeMemSession = {
  id: string
  project: string
  /** The folder of its tool uses. */
  cwd?: string
  platform?: string
  prompts?: string[]
  observations?: { type: string; title: string; prompt?: number; narrative?: string; concepts?: string[]; modified?: string[] }[]
  summary?: { request: string; learned: string; prompt?: number }
}

const SCHEMA = `
  CREATE TABLE schema_versions (id INTEGER PRIMARY KEY, version INTEGER UNIQUE NOT NULL, applied_at TEXT NOT NULL);
  CREATE TABLE sdk_sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, content_session_id TEXT NOT NULL, memory_session_id TEXT UNIQUE,
    project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude', user_prompt TEXT, started_at TEXT NOT NULL,
    started_at_epoch INTEGER NOT NULL, completed_at TEXT, completed_at_epoch INTEGER,
    status TEXT CHECK (status IN ('active', 'completed', 'failed')) NOT NULL DEFAULT 'active', worker_port INTEGER,
    prompt_counter INTEGER DEFAULT 0, custom_title TEXT, observed_model TEXT, observed_billing TEXT);
  CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT,
    type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
    prompt_number INTEGER, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER DEFAULT 0, content_hash TEXT,
    generated_by_model TEXT, relevance_count INTEGER DEFAULT 0, merged_into_project TEXT, agent_type TEXT, agent_id TEXT, metadata TEXT,
    synced_at INTEGER, origin_device_id TEXT, origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
    FOREIGN KEY (memory_session_id) REFERENCES sdk_sessions (memory_session_id) ON DELETE CASCADE ON UPDATE CASCADE);
  CREATE TABLE session_summaries (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, request TEXT,
    investigated TEXT, learned TEXT, completed TEXT, next_steps TEXT, files_read TEXT, files_edited TEXT, notes TEXT, prompt_number INTEGER,
    created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, discovery_tokens INTEGER DEFAULT 0, merged_into_project TEXT,
    synced_at INTEGER, origin_device_id TEXT, origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
    FOREIGN KEY (memory_session_id) REFERENCES sdk_sessions (memory_session_id) ON DELETE CASCADE ON UPDATE CASCADE);
  CREATE TABLE user_prompts (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER, content_session_id TEXT NOT NULL,
    prompt_number INTEGER NOT NULL, prompt_text TEXT NOT NULL, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, synced_at INTEGER,
    origin_device_id TEXT, origin_local_id TEXT, sync_rev TEXT NOT NULL DEFAULT '1',
    FOREIGN KEY (session_db_id) REFERENCES sdk_sessions (id) ON DELETE CASCADE);
  CREATE TABLE pending_messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_db_id INTEGER NOT NULL, content_session_id TEXT NOT NULL,
    message_type TEXT NOT NULL, tool_name TEXT, tool_input TEXT, tool_response TEXT, cwd TEXT, last_user_message TEXT,
    last_assistant_message TEXT, prompt_number INTEGER, status TEXT NOT NULL DEFAULT 'pending', created_at_epoch INTEGER NOT NULL,
    agent_type TEXT, agent_id TEXT, tool_use_id TEXT, FOREIGN KEY (session_db_id) REFERENCES sdk_sessions (id) ON DELETE CASCADE);
  CREATE TABLE tool_uses (id INTEGER PRIMARY KEY AUTOINCREMENT, tool_use_id TEXT NOT NULL, content_session_id TEXT NOT NULL,
    memory_session_id TEXT, session_db_id INTEGER, project TEXT NOT NULL, platform_source TEXT NOT NULL DEFAULT 'claude', tool_name TEXT NOT NULL,
    tool_input TEXT, tool_response TEXT, cwd TEXT, prompt_number INTEGER, agent_type TEXT, agent_id TEXT, observation_id INTEGER,
    or_generation_id TEXT, or_session_id TEXT, content_hash TEXT, created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL,
    UNIQUE (content_session_id, tool_use_id));`

/**
 * Creates a database with the tables and columns that claude-mem 13.25.3 creates, filled as that version fills them: it was compared with a database
 * that the program itself wrote. Memories that a person saves by hand are observations of a session `manual-…` without prompts.
 */
export function claudeMem13Database(path: string, sessions: ClaudeMemSession[], from = Date.UTC(2026, 9, 1)): void {
  const db = new Database(path, { create: true, strict: true })
  db.run('PRAGMA journal_mode = WAL')
  db.run(SCHEMA)
  let at = from
  const now = () => {
    at += 60_000
    return { at, iso: new Date(at).toISOString() }
  }
  for (const { id, project, cwd, platform = 'claude', prompts = [], observations = [], summary } of sessions) {
    const isManual = id.startsWith('manual-')
    const memory = isManual ? `manual-${project}-${platform}` : `openrouter-${id}-${from}`
    const start = now()
    const { id: row } = db
      .query<{ id: number }, (string | number | null)[]>(
        `INSERT INTO sdk_sessions (content_session_id, memory_session_id, project, platform_source, user_prompt, started_at, started_at_epoch)
         VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id`,
      )
      .get(id, memory, project, platform, prompts[0] ?? null, start.iso, start.at) as { id: number }
    for (const [index, text] of prompts.entries()) {
      const time = now()
      db.run(
        `INSERT INTO user_prompts (session_db_id, content_session_id, prompt_number, prompt_text, created_at, created_at_epoch) VALUES (?, ?, ?, ?, ?, ?)`,
        [row, id, index + 1, text, time.iso, time.at],
      )
    }
    for (const [index, { type, title, prompt = 1, narrative = `${title}.`, concepts = [], modified = [] }] of observations.entries()) {
      const time = now()
      db.run(
        `INSERT INTO observations (memory_session_id, project, type, title, subtitle, facts, narrative, concepts, files_read, files_modified,
          prompt_number, created_at, created_at_epoch, generated_by_model) VALUES (?, ?, ?, ?, ?, '[]', ?, ?, '[]', ?, ?, ?, ?, ?)`,
        [
          memory,
          project,
          type,
          title,
          isManual ? 'Manual memory' : '',
          narrative,
          JSON.stringify(concepts),
          JSON.stringify(modified),
          isManual ? null : prompt,
          time.iso,
          time.at,
          isManual ? null : 'test-model',
        ],
      )
      if (!isManual)
        db.run(
          `INSERT INTO tool_uses (tool_use_id, content_session_id, memory_session_id, session_db_id, project, tool_name, cwd, prompt_number,
            created_at, created_at_epoch) VALUES (?, ?, ?, ?, ?, 'Edit', ?, ?, ?, ?)`,
          [`t${index}`, id, memory, row, project, cwd ?? null, prompt, time.iso, time.at],
        )
    }
    if (summary) {
      const time = now()
      db.run(
        `INSERT INTO session_summaries (memory_session_id, project, request, learned, prompt_number, created_at, created_at_epoch)
         VALUES (?, ?, ?, ?, ?, ?, ?)`,
        [memory, project, summary.request, summary.learned, summary.prompt ?? 1, time.iso, time.at],
      )
    }
  }
  db.close()
}
