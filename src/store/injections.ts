import type { Database } from 'bun:sqlite'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Session } from '../core/memory.ts'
import type { DocumentKind } from './document.ts'
import { eachRow, NO_ROWS, type RowsAndBytes, readJsonColumn, type SqlParams } from './statement.ts'

/** One injected item: a memory by its kind and id, or a line by its name. Ids of notes are strings, others numbers. */
export type InjectedItem = { kind: DocumentKind | 'line'; id: number | string; tokens: number; why: string }

export type Injection = {
  id: number
  sessionId: number | null
  project: ProjectKey
  event: string
  text: string
  tokens: number
  items: InjectedItem[]
  /** The candidates that were not injected, and why. */
  left: Omit<InjectedItem, 'tokens'>[]
  at: number
}

type InjectionRow = {
  id: number
  session_id: number | null
  project: string
  event: string
  text: string
  tokens: number
  items: string
  left_out: string
  at: number
}

/** Every statement about injections: what was put into a model's context, when, why, and its size. */
export function injectionStatements(db: Database) {
  const insert = db.prepare(`
    INSERT INTO injections (session_id, project, event, text, tokens, items, left_out, at)
    VALUES (@sessionId, @project, @event, @text, @tokens, @items, @left, @at)`)
  const recent = db.prepare<InjectionRow, SqlParams>(`
    SELECT * FROM injections WHERE (@sessionId IS NULL OR session_id = @sessionId) ORDER BY id DESC LIMIT @limit`)
  const injected = db.prepare('SELECT 1 FROM injections WHERE session_id = @sessionId AND event = @event AND at >= @since LIMIT 1')
  const items = db.prepare<{ items: string }, SqlParams>('SELECT items FROM injections WHERE session_id = @sessionId AND at >= @since')
  const since = eachRow<{ id: number; text: string }>(db, 'SELECT id, text FROM injections WHERE at >= @since ORDER BY id')
  const past = db.prepare<RowsAndBytes, SqlParams>(`
    SELECT count(*) AS rows, coalesce(sum(octet_length(text) + octet_length(items)), 0) AS bytes FROM injections WHERE at < @before`)
  const purge = db.prepare('DELETE FROM injections WHERE id IN (SELECT id FROM injections WHERE at < @before ORDER BY id LIMIT @limit)')
  const sums = db.prepare<{ event: string; count: number; tokens: number }, SqlParams>(`
    SELECT CASE WHEN event LIKE 'file:%' THEN 'file' WHEN event LIKE 'error:%' THEN 'error' ELSE event END AS event, count(*) AS count, sum(tokens) AS tokens
    FROM injections WHERE at >= @since GROUP BY 1 ORDER BY 1`)
  return {
    countPurgeable: async (before: number): Promise<RowsAndBytes> => past.get({ before }) ?? NO_ROWS,
    purge: async (before: number, limit: number): Promise<number> => purge.run({ before, limit }).changes,
    /** The texts that were injected since a time. */
    since: (at: number): Generator<{ id: number; text: string }> => since({ since: at }),
    /** How many injections and tokens since `since`, by event. */
    totals: async (since: number) => sums.all({ since }),
    add: async (i: Omit<Injection, 'id' | 'left'> & Partial<Pick<Injection, 'left'>>) => {
      insert.run({ ...i, items: JSON.stringify(i.items), left: JSON.stringify(i.left ?? []) })
    },
    /** True when this event's context was already injected in the session and not compacted away. The event of a file's brief contains its path. */
    wasInjected: async (session: Session, event: string): Promise<boolean> =>
      injected.get({ sessionId: session.id, since: session.contextFrom, event }) !== null,
    /** Everything injected into a session that has not been compacted away. */
    itemsOf: async (session: Session): Promise<InjectedItem[]> =>
      items.all({ sessionId: session.id, since: session.contextFrom }).flatMap((row) => readJsonColumn<InjectedItem[]>(row.items)),
    recent: async (sessionId: number | null, limit: number): Promise<Injection[]> =>
      recent.all({ sessionId, limit }).map((row) => ({
        id: row.id,
        sessionId: row.session_id,
        project: asProjectKey(row.project),
        event: row.event,
        text: row.text,
        tokens: row.tokens,
        items: readJsonColumn<InjectedItem[]>(row.items),
        left: readJsonColumn<Injection['left']>(row.left_out),
        at: row.at,
      })),
  }
}
