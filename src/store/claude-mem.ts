import type { Database } from 'bun:sqlite'
import type { SummaryDraft } from '../core/memory.ts'
import { asText, type Columns, openForeignDatabase, timestampOf } from './foreign-database.ts'
import type { SqlParams } from './statement.ts'

/** A session of claude-mem with its prompts, observations and summaries; texts are unchanged. */
export type ForeignSession = {
  contentSessionId: string
  memorySessionId: string | null
  project: string
  /** The program that held the session: `claude`, `codex`, `cursor`, … */
  platform: string
  /** The folder of its first tool use; null if the database does not say. */
  folder: string | null
  title: string | null
  startedAt: number
  endedAt: number | null
  prompts: { number: number; text: string; at: number }[]
  observations: {
    id: number
    /** The number of its prompt; null for a memory that the person saved by hand. */
    promptNumber: number | null
    type: string
    title: string
    subtitle: string
    narrative: string
    facts: string[]
    concepts: string[]
    filesRead: string[]
    filesModified: string[]
    model: string
    at: number
  }[]
  summaries: (SummaryDraft & { id: number; promptNumber: number | null; at: number })[]
}

/** A rule that a person gave claude-mem for every session; `project` is null when it applies everywhere. */
export type ForeignRule = { content: string; project: string | null; at: number }

export type ClaudeMem = {
  sessionCount: number
  sessions(): Generator<ForeignSession>
  /** The folders in which each project was worked on, as far as the database says. */
  folders(): { project: string; folder: string }[]
  /** Rows that belong to no session, or that are no memories: how many of each there are. */
  leftOver(): { toolUses: number; waiting: number; orphans: number; nameless: number; inactiveRules: number }
  rules(): ForeignRule[]
  close(): void
}

/** Opens a claude-mem database for reading. Returns a text with the reason when it is not one, or cannot be read. */
export function openClaudeMem(path: string): ClaudeMem | string {
  const program = {
    name: 'claude-mem',
    usualPath: '~/.claude-mem/claude-mem.db',
    tables: ['sdk_sessions', 'observations', 'session_summaries'],
  }
  return openForeignDatabase(path, program, claudeMemReader)
}

/** Columns differ between versions of claude-mem: the session ids had other names, and missing columns are read as null. */
function claudeMemReader(db: Database, columns: Columns): ClaudeMem {
  const one = (table: string, ...names: string[]) => names.find((name) => columns(table).has(name)) ?? 'NULL'
  const content = one('sdk_sessions', 'content_session_id', 'claude_session_id')
  const memory = one('sdk_sessions', 'memory_session_id', 'sdk_session_id')
  const of = (table: string) => one(table, 'memory_session_id', 'sdk_session_id')
  const field = (table: string, name: string) => `${one(table, name)} AS ${name}`
  const fields = (table: string, ...names: string[]) => names.map((name) => field(table, name)).join(', ')

  const count = (from: string) => (db.query(`SELECT count(*) AS n FROM ${from}`).get() as { n: number }).n
  const sessions = `
    SELECT ${content} AS content, ${memory} AS memory, project, ${fields('sdk_sessions', 'custom_title', 'user_prompt', 'completed_at_epoch', 'platform_source')},
      started_at_epoch FROM sdk_sessions WHERE ${content} <> '' ORDER BY started_at_epoch, id`
  const observations = db.prepare<ClaudeMemRow, SqlParams>(`
    SELECT id, type, created_at_epoch, ${fields('observations', 'prompt_number', 'text', 'title', 'subtitle', 'facts', 'narrative', 'concepts', 'files_read', 'files_modified', 'generated_by_model')}
    FROM observations WHERE ${of('observations')} = @memory ORDER BY created_at_epoch, id`)
  const summaries = db.prepare<ClaudeMemRow, SqlParams>(`
    SELECT id, created_at_epoch, ${fields('session_summaries', 'prompt_number', 'request', 'investigated', 'learned', 'completed', 'next_steps', 'notes')}
    FROM session_summaries WHERE ${of('session_summaries')} = @memory ORDER BY created_at_epoch, id`)
  const promptSession = one('user_prompts', 'content_session_id', 'claude_session_id')
  const prompts =
    columns('user_prompts').size === 0
      ? null
      : db.prepare<ClaudeMemRow, SqlParams>(`
          SELECT prompt_number, prompt_text, created_at_epoch FROM user_prompts WHERE ${promptSession} = @content ORDER BY prompt_number, id`)

  const hasFolders = ['content_session_id', 'cwd', 'project'].every((name) => columns('tool_uses').has(name))
  const folder = hasFolders
    ? db.prepare<{ cwd: string }, SqlParams>(
        'SELECT cwd FROM tool_uses WHERE content_session_id = @content AND cwd IS NOT NULL ORDER BY id LIMIT 1',
      )
    : null
  const orphansIn = (table: string) =>
    count(`${table} WHERE ${of(table)} NOT IN (SELECT ${memory} FROM sdk_sessions WHERE ${memory} IS NOT NULL)`)
  const countIfThere = (table: string, where = '1') => (columns(table).size > 0 ? count(`${table} WHERE ${where}`) : 0)

  return {
    sessionCount: count(`sdk_sessions WHERE ${content} <> ''`),
    folders: () =>
      hasFolders
        ? (db.query('SELECT DISTINCT project, cwd AS folder FROM tool_uses WHERE cwd IS NOT NULL LIMIT 5000').all() as {
            project: string
            folder: string
          }[])
        : [],
    leftOver: () => ({
      toolUses: countIfThere('tool_uses'),
      waiting: countIfThere('pending_messages'),
      orphans: orphansIn('observations') + orphansIn('session_summaries'),
      nameless: count(`sdk_sessions WHERE ifnull(${content}, '') = ''`),
      inactiveRules: columns('directives').has('status') ? count("directives WHERE status <> 'active'") : 0,
    }),
    *sessions() {
      const rows = db.prepare<ClaudeMemRow, []>(sessions)
      for (const row of rows.all()) {
        const key = { memory: textOrNull(row.memory) }
        const storedPrompts = prompts?.all({ content: asText(row.content) }) ?? []
        const first = asText(row.user_prompt)
        const startedAt = timestampOf(row.started_at_epoch) ?? 0
        const at = (value: unknown) => timestampOf(value) ?? startedAt
        yield {
          contentSessionId: asText(row.content),
          memorySessionId: key.memory,
          project: asText(row.project),
          platform: asText(row.platform_source) || 'claude',
          folder: textOrNull(folder?.get({ content: asText(row.content) })?.cwd),
          title: textOrNull(row.custom_title),
          startedAt,
          endedAt: timestampOf(row.completed_at_epoch),
          prompts:
            storedPrompts.length === 0 && first !== ''
              ? [{ number: 1, text: first, at: startedAt }]
              : storedPrompts.map((p) => ({ number: Number(p.prompt_number), text: asText(p.prompt_text), at: at(p.created_at_epoch) })),
          observations: key.memory === null ? [] : observations.all(key).map((o) => observationOf(o, at(o.created_at_epoch))),
          summaries: key.memory === null ? [] : summaries.all(key).map((s) => summaryOf(s, at(s.created_at_epoch))),
        }
      }
    },
    rules() {
      if (!['content', 'status', 'scope', 'project', 'created_at_epoch'].every((name) => columns('directives').has(name))) return []
      const rows = db
        .prepare<ClaudeMemRow, []>("SELECT content, scope, project, created_at_epoch FROM directives WHERE status = 'active' ORDER BY id")
        .all()
      return rows.map((row) => ({
        content: asText(row.content),
        project: row.scope === 'global' ? null : textOrNull(row.project),
        at: timestampOf(row.created_at_epoch) ?? 0, // Not the current time: the note's id depends on it, and the next import must find the note.
      }))
    },
    close: () => db.close(),
  }
}

type ClaudeMemRow = Record<string, unknown>

function observationOf(row: ClaudeMemRow, at: number): ForeignSession['observations'][number] {
  const text = asText(row.text)
  return {
    id: Number(row.id),
    promptNumber: numberOrNull(row.prompt_number),
    type: asText(row.type),
    title: asText(row.title) || text.split('\n', 1)[0] || '',
    subtitle: asText(row.subtitle),
    narrative: asText(row.narrative) || text,
    facts: parseList(row.facts),
    concepts: parseList(row.concepts),
    filesRead: parseList(row.files_read),
    filesModified: parseList(row.files_modified),
    model: asText(row.generated_by_model) || 'claude-mem',
    at,
  }
}

function summaryOf(row: ClaudeMemRow, at: number): ForeignSession['summaries'][number] {
  return {
    id: Number(row.id),
    promptNumber: numberOrNull(row.prompt_number),
    request: asText(row.request),
    investigated: asText(row.investigated),
    learned: asText(row.learned),
    completed: asText(row.completed),
    nextSteps: asText(row.next_steps),
    notes: asText(row.notes),
    at,
  }
}

const numberOrNull = (value: unknown) => (typeof value === 'number' && value >= 0 ? Math.floor(value) : null)
const textOrNull = (value: unknown) => asText(value) || null

/** Lists are JSON in claude-mem; any other text is a list of one item. */
function parseList(value: unknown): string[] {
  const raw = asText(value).trim()
  if (raw === '') return []
  try {
    const parsed = JSON.parse(raw) as unknown
    if (Array.isArray(parsed)) return parsed.filter((item) => typeof item === 'string' && item.trim() !== '') as string[]
  } catch {
    // Not JSON: a list of one item.
  }
  return [raw]
}
