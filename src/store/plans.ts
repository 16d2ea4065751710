import type { Database } from 'bun:sqlite'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import { NO_ROWS, type RowsAndBytes, type SqlParams } from './statement.ts'

export type PlanKind = 'consolidate' | 'reflect'

/** A plan and its state. Only the room that made the plan interprets `content` and `undo`. */
export type StoredPlan = {
  id: number
  kind: PlanKind
  /** Null for all projects. */
  project: ProjectKey | null
  /** Of the plan's notes at that time. */
  fingerprint: string
  content: unknown
  undo: unknown
  plannedAt: number
  appliedAt: number | null
  undoneAt: number | null
}

type NewPlan = Pick<StoredPlan, 'kind' | 'project' | 'fingerprint' | 'content' | 'plannedAt'>

type PlanRow = {
  id: number
  kind: PlanKind
  project: string | null
  fingerprint: string
  content: string
  undo: string | null
  planned_at: number
  applied_at: number | null
  undone_at: number | null
}

/** Every statement about plans. An open plan is replaced by the next one of its kind; an applied one can be undone for a while. */
export function planStatements(db: Database) {
  const dropOpen = db.prepare('DELETE FROM plans WHERE kind = @kind AND project IS @project AND applied_at IS NULL')
  const insert = db.prepare<{ id: number }, SqlParams>(`
    INSERT INTO plans (kind, project, fingerprint, content, planned_at) VALUES (@kind, @project, @fingerprint, @content, @plannedAt) RETURNING id`)
  const open = db.prepare<PlanRow, SqlParams>(`
    SELECT * FROM plans WHERE kind = @kind AND project IS @project AND applied_at IS NULL ORDER BY id DESC LIMIT 1`)
  const byId = db.prepare<PlanRow, SqlParams>('SELECT * FROM plans WHERE id = @id')
  const lastApplied = db.prepare<PlanRow, SqlParams>(`
    SELECT * FROM plans WHERE applied_at IS NOT NULL AND undone_at IS NULL AND (@kind IS NULL OR kind = @kind) ORDER BY applied_at DESC, id DESC LIMIT 1`)
  const apply = db.prepare('UPDATE plans SET content = @content, undo = @undo, applied_at = @at WHERE id = @id')
  const undone = db.prepare('UPDATE plans SET undone_at = @at WHERE id = @id')
  const dropMentioning = db.prepare("DELETE FROM plans WHERE instr(content, @id) > 0 OR instr(coalesce(undo, ''), @id) > 0")
  const past = 'coalesce(applied_at, planned_at) < CASE WHEN applied_at IS NULL THEN @plannedBefore ELSE @appliedBefore END'
  const purge = db.prepare(`DELETE FROM plans WHERE ${past}`)
  const countPast = db.prepare<RowsAndBytes, SqlParams>(`
    SELECT count(*) AS rows, coalesce(sum(octet_length(content) + coalesce(octet_length(undo), 0)), 0) AS bytes FROM plans WHERE ${past}`)
  return {
    /** Stores a plan. If it is shown to a person, it replaces the open plan; a plan that is not shown leaves that one in place. */
    put: async (plan: NewPlan, { shown = true } = {}): Promise<number> => {
      if (shown) dropOpen.run({ kind: plan.kind, project: plan.project })
      return insert.get({ ...plan, content: JSON.stringify(plan.content) })?.id ?? 0
    },
    /** The open plan: shown last and not applied. */
    open: async (kind: PlanKind, project: ProjectKey | null): Promise<StoredPlan | null> => fromRow(open.get({ kind, project })),
    get: async (id: number): Promise<StoredPlan | null> => fromRow(byId.get({ id })),
    /** The last plan that was applied and not undone. */
    lastApplied: async (kind: PlanKind | null): Promise<StoredPlan | null> => fromRow(lastApplied.get({ kind })),
    setApplied: async (id: number, content: unknown, undo: unknown, at: number): Promise<void> => {
      apply.run({ id, content: JSON.stringify(content), undo: JSON.stringify(undo), at })
    },
    setUndone: async (id: number, at: number): Promise<void> => {
      undone.run({ id, at })
    },
    /** Drops plans about these notes: an open plan quotes them, and an applied one could not be undone without them. */
    dropMentioning: async (notes: string[]): Promise<void> => {
      for (const id of notes) dropMentioning.run({ id })
    },
    purge: async (appliedBefore: number, plannedBefore: number): Promise<number> => purge.run({ appliedBefore, plannedBefore }).changes,
    countPurgeable: async (appliedBefore: number, plannedBefore: number): Promise<RowsAndBytes> =>
      countPast.get({ appliedBefore, plannedBefore }) ?? NO_ROWS,
  }
}

function fromRow(row: PlanRow | null): StoredPlan | null {
  if (!row) return null
  return {
    id: row.id,
    kind: row.kind,
    project: row.project === null ? null : asProjectKey(row.project),
    fingerprint: row.fingerprint,
    content: JSON.parse(row.content) as unknown,
    undo: row.undo === null ? null : (JSON.parse(row.undo) as unknown),
    plannedAt: row.planned_at,
    appliedAt: row.applied_at,
    undoneAt: row.undone_at,
  }
}
