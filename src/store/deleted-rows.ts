import type { Database } from 'bun:sqlite'
import type { SqlParams } from './statement.ts'

/** Tables whose rows move to `deleted_rows`, in the order in which they are restored. */
export const DELETED_TABLES = [
  'sessions',
  'muted_turns',
  'prompts',
  'tool_uses',
  'observations',
  'summaries',
  'told_turns',
  'injections',
] as const
export type DeletedTable = (typeof DELETED_TABLES)[number]

/**
 * Commits belong to no session; their rows stay, without their text. A deleted thread keeps only its replacement, a statement only the places
 * in which it was said, and the session of a deleted turn only its title.
 */
export type DeletedKind = DeletedTable | 'commits' | 'threads' | 'places' | 'titles'

/** The first turn of a thread, and that of the thread in another session that replaced it. */
export type ReplacedThread = { first: number; bySession: number; byFirst: number }

/** The columns of each of these tables, as they are in this database. */
export function columnsOfDeletedTables(db: Database): Record<DeletedTable, string[]> {
  const columnsOf = (table: DeletedTable) =>
    (db.query(`SELECT name FROM pragma_table_info('${table}')`).all() as { name: string }[]).map(({ name }) => name)
  return Object.fromEntries(DELETED_TABLES.map((table) => [table, columnsOf(table)])) as Record<DeletedTable, string[]>
}

/** A deleted row, by column. */
export type DeletedRowContent = Record<string, string | number | null>

/** The session that rows are put back into: it may have got another id and project since they were deleted. */
type TargetSession = { from: number; id: number; memory_session_id?: string | null; project?: string }

/** Puts deleted rows back into their tables. */
export function deletedRowWriter(db: Database): (kind: DeletedTable, row: DeletedRowContent, into: TargetSession) => void {
  const columns = columnsOfDeletedTables(db)
  const session = db.prepare<{ memory_session_id: string | null }, SqlParams>(
    'SELECT memory_session_id FROM sessions WHERE id = @sessionId',
  )
  const setMemorySession = db.prepare('UPDATE sessions SET memory_session_id = @memory WHERE id = @id AND memory_session_id IS NULL')
  const putBack = Object.fromEntries(
    DELETED_TABLES.map((table) => {
      // The ids of tool uses are not shown anywhere for long, and may have been given again.
      const names = columns[table].filter((name) => table !== 'tool_uses' || name !== 'id')
      return [
        table,
        db.prepare(`INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`),
      ]
    }),
  ) as Record<DeletedTable, ReturnType<typeof db.prepare>>
  const putFiles = db.prepare(`
    INSERT INTO observation_files (observation_id, project, path, modified, at)
    SELECT o.id, o.project, f.value, f.modified, o.at FROM observations o CROSS JOIN (
      SELECT value, 1 AS modified FROM json_each(@modified) UNION ALL SELECT value, 0 FROM json_each(@read)) f
    WHERE o.id = @id ON CONFLICT (observation_id, path) DO UPDATE SET modified = max(modified, excluded.modified)`)

  return (kind, row, into) => {
    const content = { ...row }
    const isOfSession = content.session_id === into.from
    if (isOfSession) content.session_id = into.id
    if (isOfSession && into.project !== undefined && 'project' in content) content.project = into.project
    if (typeof content.key === 'string') content.key = withSessionId(content.key, into.from, into.id)
    // The session that was shown something may be deleted by now.
    if (kind === 'injections' && content.session_id !== null && !session.get({ sessionId: Number(content.session_id) })) return
    if (kind === 'observations') {
      if (!into.memory_session_id) setMemorySession.run({ id: into.id, memory: content.memory_session_id ?? null })
      content.memory_session_id = session.get({ sessionId: into.id })?.memory_session_id ?? null
    }
    if (kind === 'tool_uses') delete content.id
    putBack[kind].run(content)
    if (kind === 'observations') putFiles.run({ id: row.id ?? 0, modified: row.files_modified ?? '[]', read: row.files_read ?? '[]' })
  }
}

/** The keys of observations and summaries contain the number of their session. */
function withSessionId(key: string, from: number, to: number): string {
  if (key.startsWith(`${from}:`)) return `${to}${key.slice(String(from).length)}`
  return key.replace(new RegExp(`^(turn|compact|subagent):${from}:`), (_, source) => `${source}:${to}:`)
}
