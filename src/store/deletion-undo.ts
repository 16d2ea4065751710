import type { Database } from 'bun:sqlite'
import type { ProjectKey } from '../core/ids.ts'
import type { Observation } from '../core/memory.ts'
import { asNoteId, type NoteId } from '../core/note.ts'
import { DELETED_TABLES, type DeletedKind, type DeletedRowContent, deletedRowWriter, type ReplacedThread } from './deleted-rows.ts'
import { type ObservationTableRow, observationOf } from './observations.ts'
import { NO_ROWS, type RowsAndBytes, readJsonColumn, type SqlParams } from './statement.ts'
import type { Tombstones } from './tombstones.ts'

/** A deletion that can be undone: a session (by its row id), a turn (`P7`), a summary (`S4`), an observation (`#12`), a commit (`C5`) or a tool use. */
export type DeletedUnit = {
  unit: string
  kind: DeletedKind
  ref: string
  row: Record<string, unknown>
  project: string
  at: number
  rows: number
}

/** The restored rows, and those that the caller must link again. */
type RestoredRows = { sessionId: number; turns: number[]; hasSession: boolean; replaced: ReplacedThread[]; places: StatementPlace[] }

/** A statement and a place where it was said. */
type StatementPlace = { note: NoteId; place: string }

type DeletedRow = { unit: string; kind: DeletedKind; ref: string; session_id: number; row: string; at: number }

/** Every statement about deleted rows: what can be restored, restoring it, and erasing it for good. */
export function deletionUndoStatements(db: Database, tombstones: Tombstones) {
  const putRow = deletedRowWriter(db)
  const unitOf = db.prepare<{ unit: string }, SqlParams>(
    'SELECT unit FROM deleted_rows WHERE kind = @kind AND ref = @ref ORDER BY id DESC LIMIT 1',
  )
  const deletedRow = db.prepare<{ row: string; at: number }, SqlParams>(
    'SELECT row, at FROM deleted_rows WHERE kind = @kind AND ref = @ref',
  )
  const rowsOfUnit = db.prepare<DeletedRow, SqlParams>('SELECT unit, kind, ref, session_id, row, at FROM deleted_rows WHERE unit = @unit')
  const placesOfNote = db.prepare<{ place: string }, SqlParams>(
    "SELECT row ->> 'place' AS place FROM deleted_rows WHERE kind = 'places' AND ref = @note",
  )
  const dropUnit = db.prepare('DELETE FROM deleted_rows WHERE unit = @unit')
  // The row with the lowest rank, which `min` selects, says what the unit is.
  const units = db.prepare<Omit<DeletedUnit, 'row'> & { row: string; rank: number }, SqlParams>(`
    SELECT unit, kind, ref, row, project, at, count(*) AS rows, min(CASE kind WHEN 'sessions' THEN 0 WHEN 'prompts' THEN 1 ELSE 2 END) AS rank
    FROM deleted_rows WHERE kind <> 'injections' AND (@unit IS NULL OR unit = @unit) AND (@project IS NULL OR project = @project)
    GROUP BY unit ORDER BY at DESC LIMIT @limit`)
  const sessionNow = db.prepare<{ id: number; memory_session_id: string | null; project: string }, SqlParams>(`
    SELECT id, memory_session_id, project FROM sessions WHERE id = @id OR (agent = @agent AND content_session_id = @session) LIMIT 1`)
  const sessionOf = db.prepare<{ agent: string; session: string }, SqlParams>(
    'SELECT agent, session FROM tombstones WHERE unit = @unit LIMIT 1',
  )
  const setTitle = db.prepare('UPDATE sessions SET title = coalesce(title, @title) WHERE id = @id')
  const oldUnits = db.prepare<{ unit: string }, SqlParams>('SELECT DISTINCT unit FROM deleted_rows WHERE at < @before LIMIT @limit')
  const past = db.prepare<RowsAndBytes, SqlParams>(
    'SELECT count(*) AS rows, coalesce(sum(octet_length(row)), 0) AS bytes FROM deleted_rows WHERE at < @before',
  )

  return {
    /** The deletion that took a memory along, if it can still be undone. */
    unitOf: async (kind: DeletedKind, ref: string): Promise<string | null> => unitOf.get({ kind, ref })?.unit ?? null,
    /** A deleted observation that can still be restored. */
    deletedObservation: async (id: number): Promise<{ observation: Observation; at: number } | null> => {
      const found = deletedRow.get({ kind: 'observations', ref: String(id) })
      return found ? { observation: observationOf(readJsonColumn<ObservationTableRow>(found.row)), at: found.at } : null
    },
    /** Deletions that can be undone, newest first, each with its main row. */
    units: async (project: ProjectKey | null, limit: number): Promise<DeletedUnit[]> =>
      units.all({ project, limit, unit: null }).map(withRow),
    unit: async (unit: string): Promise<DeletedUnit | null> => units.all({ project: null, limit: 1, unit }).map(withRow)[0] ?? null,
    /** Puts the rows of a unit back. The caller must index them again. Null when their session is deleted too. */
    restoreUnit: async (unit: string): Promise<RestoredRows | null> => {
      const rows = rowsOfUnit.all({ unit }).map((row) => ({ ...row, content: readJsonColumn<DeletedRowContent>(row.row) }))
      const [first] = rows.filter(({ kind }) => kind !== 'injections')
      const of = sessionOf.get({ unit })
      const existing = first && sessionNow.get({ id: first.session_id, agent: of?.agent ?? '', session: of?.session ?? '' })
      const own = rows.find(({ kind }) => kind === 'sessions')
      if (!first || (!existing && !own)) return null
      // A resumed session was recorded again under another id meanwhile.
      const into = { ...existing, from: first.session_id, id: existing?.id ?? first.session_id }
      for (const table of DELETED_TABLES)
        for (const { kind, content } of rows) if (kind === table && !(kind === 'sessions' && existing)) putRow(kind, content, into)
      for (const { kind, content } of rows) if (kind === 'titles') setTitle.run({ id: into.id, title: content.title ?? null })
      dropUnit.run({ unit })
      tombstones.removeUnit(unit)
      const turns = rows.flatMap(({ kind, content }) => (kind === 'prompts' ? content.number : content.prompt_number) ?? []).map(Number)
      const replaced = rows.filter(({ kind }) => kind === 'threads').map(({ row }) => readJsonColumn<ReplacedThread>(row))
      return { sessionId: into.id, turns: [...new Set(turns)], hasSession: own !== undefined, replaced, places: rows.flatMap(placeIn) }
    },
    /** Takes a commit out of the deleted rows, so that its text can be put back. Records of what was shown that went with it come back here. */
    takeCommit: async (unit: string): Promise<DeletedRowContent | null> => {
      const rows = rowsOfUnit.all({ unit })
      const commit = rows.find(({ kind }) => kind === 'commits')
      if (!commit) return null
      for (const { kind, row, session_id } of rows)
        if (kind === 'injections') putRow(kind, readJsonColumn<DeletedRowContent>(row), { from: session_id, id: session_id })
      dropUnit.run({ unit })
      return readJsonColumn<DeletedRowContent>(commit.row)
    },
    /** Puts back the records of what was shown that went with a note. */
    restoreInjections: async (unit: string): Promise<void> => {
      for (const { row, session_id } of rowsOfUnit.all({ unit }))
        putRow('injections', readJsonColumn<DeletedRowContent>(row), { from: session_id, id: session_id })
      dropUnit.run({ unit })
    },
    /** Where statements were said, in the turns of these deletions. */
    placesOfUnits: async (wanted: string[]): Promise<StatementPlace[]> =>
      wanted.flatMap((unit) => rowsOfUnit.all({ unit })).flatMap(placeIn),
    /** The places of a statement in deleted turns that can still be restored. */
    placesOfNote: async (note: NoteId): Promise<string[]> => placesOfNote.all({ note }).map(({ place }) => place),
    /** Removes the rows of a unit for good. Its tombstones stay. */
    eraseUnit: async (unit: string): Promise<number> => dropUnit.run({ unit }).changes,
    /** Removes deletions that are too old to be undone, at most `limit` of them. */
    eraseBefore: async (before: number, limit: number): Promise<number> =>
      oldUnits.all({ before, limit }).reduce((sum, { unit }) => sum + dropUnit.run({ unit }).changes, 0),
    countErasable: async (before: number): Promise<RowsAndBytes> => past.get({ before }) ?? NO_ROWS,
  }
}

const placeIn = ({ kind, ref, row }: DeletedRow): StatementPlace[] =>
  kind === 'places' ? [{ note: asNoteId(ref), ...readJsonColumn<{ place: string }>(row) }] : []

const withRow = ({ row, rank: _, ...unit }: Omit<DeletedUnit, 'row'> & { row: string; rank: number }): DeletedUnit => ({
  ...unit,
  row: readJsonColumn(row),
})
