import type { Database } from 'bun:sqlite'
import type { SqlParams } from './statement.ts'

export type OwnMemoryKind = 'session' | 'note'

/** A session (its agent and the agent's id, with a space between) or a note that changed. */
export type OwnOutboxEntry = { id: number; kind: OwnMemoryKind; ref: string }

/** A sealed item on the hub. `sent` is a fingerprint of what is in it; null while it is not known to be there. */
export type OwnItem = { item: string; kind: OwnMemoryKind; ref: string; sent: string | null; isFromHere: boolean }

type OwnItemRow = Omit<OwnItem, 'isFromHere'> & { isFromHere: number }

const ITEM = 'item, kind, ref, sent, is_from_here AS isFromHere'

/** Every statement about the memory that a person's own machines share. Triggers fill the outbox while it is switched on. */
export function ownMachineStatements(db: Database) {
  const outbox = db.prepare<OwnOutboxEntry, SqlParams>('SELECT id, kind, ref FROM own_outbox WHERE id > @after ORDER BY id LIMIT @limit')
  const size = db.prepare<{ n: number }, []>('SELECT count(*) AS n FROM own_outbox')
  const settle = db.prepare('DELETE FROM own_outbox WHERE id = @id')
  const queueSessions = db.prepare(`
    INSERT INTO own_outbox (kind, ref) SELECT 'session', agent || ' ' || content_session_id FROM sessions
    WHERE agent || ' ' || content_session_id NOT IN (SELECT ref FROM own_outbox WHERE kind = 'session') ORDER BY started_at`)
  const queueNotes = db.prepare(`
    INSERT INTO own_outbox (kind, ref) SELECT 'note', id FROM notes
    WHERE author IS NULL AND id NOT IN (SELECT ref FROM own_outbox WHERE kind = 'note') ORDER BY updated_at`)
  const byItem = db.prepare<OwnItemRow, SqlParams>(`SELECT ${ITEM} FROM own_items WHERE item = @item`)
  const byRef = db.prepare<OwnItemRow, SqlParams>(`SELECT ${ITEM} FROM own_items WHERE kind = @kind AND ref = @ref`)
  const all = db.prepare<OwnItemRow, []>(`SELECT ${ITEM} FROM own_items`)
  const put = db.prepare(`
    INSERT INTO own_items (item, kind, ref, sent, is_from_here) VALUES (@item, @kind, @ref, @sent, @isFromHere)
    ON CONFLICT (item) DO UPDATE SET sent = excluded.sent, is_from_here = excluded.is_from_here`)
  const remove = db.prepare('DELETE FROM own_items WHERE item = @item')
  const version = db.prepare<{ version: number }, SqlParams>('SELECT version FROM own_versions WHERE item = @item')
  const setVersion = db.prepare(`
    INSERT INTO own_versions (item, version) VALUES (@item, @version)
    ON CONFLICT (item) DO UPDATE SET version = max(version, excluded.version)`)
  const setMark = db.prepare("INSERT INTO marks (name, value) VALUES ('own machines', '1') ON CONFLICT (name) DO NOTHING")
  const dropMarks = db.prepare("DELETE FROM marks WHERE name = 'own machines' OR name GLOB 'own machines, *'")
  const isOn = db.prepare<{ name: string }, []>("SELECT name FROM marks WHERE name = 'own machines'")
  const sessionOfUnit = db.prepare<{ ref: string }, SqlParams>(
    "SELECT agent || ' ' || session AS ref FROM tombstones WHERE unit = @unit LIMIT 1",
  )
  const dropQueued = db.prepare('DELETE FROM own_outbox WHERE kind = @kind AND ref = @ref')
  const queue = db.prepare('INSERT INTO own_outbox (kind, ref) VALUES (@kind, @ref)')
  const markErased = db.prepare("INSERT INTO marks (name, value) VALUES (@name, '1') ON CONFLICT (name) DO NOTHING")
  const mark = db.prepare<{ name: string }, SqlParams>('SELECT name FROM marks WHERE name = @name')
  const dropMark = db.prepare(`
    DELETE FROM marks WHERE name = @name AND NOT EXISTS (SELECT 1 FROM own_outbox WHERE kind = @kind AND ref = @ref)`)
  const erasedMark = (kind: OwnMemoryKind, ref: string) => `own machines, erased ${kind} ${ref}`
  const fromRow = (row: OwnItemRow): OwnItem => ({ ...row, isFromHere: row.isFromHere === 1 })
  const orNull = (row: OwnItemRow | null) => (row ? fromRow(row) : null)
  return {
    /** From now on, changes of sessions and notes are queued; and everything that is here already. */
    switchOn: async (): Promise<void> => {
      setMark.run()
      queueSessions.run()
      queueNotes.run()
    },
    switchOff: async (): Promise<void> => {
      dropMarks.run()
      for (const table of ['own_outbox', 'own_items', 'own_versions']) db.run(`DELETE FROM ${table}`)
    },
    /** Queues the sessions of erased deletions and erased notes, so that the other machines erase them too. Does nothing while it is switched off. */
    queueErased: async (units: string[], notes: string[]): Promise<void> => {
      if (!isOn.get()) return
      const sessions = new Set(units.flatMap((unit) => sessionOfUnit.get({ unit })?.ref ?? []))
      const erased = [
        ...[...sessions].map((ref) => ({ kind: 'session' as const, ref })),
        ...notes.map((ref) => ({ kind: 'note' as const, ref })),
      ]
      for (const { kind, ref } of erased) {
        markErased.run({ name: erasedMark(kind, ref) })
        dropQueued.run({ kind, ref })
        queue.run({ kind, ref })
      }
    },
    /** Whether something of it was erased for good since it was last sent. */
    isErased: async (kind: OwnMemoryKind, ref: string): Promise<boolean> => mark.get({ name: erasedMark(kind, ref) }) !== null,
    /** After it was sent. Something that was erased meanwhile is queued again, and stays marked. */
    settleErased: async (kind: OwnMemoryKind, ref: string): Promise<void> => {
      dropMark.run({ name: erasedMark(kind, ref), kind, ref })
    },
    outbox: async (after: number, limit: number): Promise<OwnOutboxEntry[]> => outbox.all({ after, limit }),
    outboxSize: async (): Promise<number> => size.get()?.n ?? 0,
    settle: async (id: number): Promise<void> => {
      settle.run({ id })
    },
    item: async (item: string): Promise<OwnItem | null> => orNull(byItem.get({ item })),
    itemOf: async (kind: OwnMemoryKind, ref: string): Promise<OwnItem | null> => orNull(byRef.get({ kind, ref })),
    items: async (): Promise<OwnItem[]> => all.all().map(fromRow),
    put: async (item: OwnItem): Promise<void> => {
      put.run({ ...item, isFromHere: Number(item.isFromHere) })
    },
    remove: async (item: string): Promise<void> => {
      remove.run({ item })
    },
    /** The newest version of an item that this machine has sent or received; 0 if there is none. */
    version: async (item: string): Promise<number> => version.get({ item })?.version ?? 0,
    setVersion: async (item: string, version: number): Promise<void> => {
      setVersion.run({ item, version })
    },
  }
}
