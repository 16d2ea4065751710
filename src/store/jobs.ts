import type { Database } from 'bun:sqlite'
import type { Job, JobKind, Jobs } from '../core/job.ts'
import type { SqlParams } from './statement.ts'

export type DeadJob = Job & { error: string; createdAt: number }

type JobRow = { id: number; kind: string; key: string; payload: string; attempts: number; error: string | null; created_at: number }

/** Every statement about jobs: work that must survive the worker. A completed job is deleted; one that keeps failing stays as dead. */
export function jobStatements(db: Database) {
  const add = db.prepare<{ id: number }, SqlParams>(`
    INSERT INTO jobs (kind, key, payload, state, run_after, created_at) VALUES (@kind, @key, @payload, 'waiting', @runAfter, @at)
    ON CONFLICT (kind, key) WHERE state = 'waiting' DO UPDATE SET payload = excluded.payload, run_after = min(run_after, excluded.run_after)
    RETURNING id`)
  const due = "SELECT id FROM jobs WHERE state = 'waiting' AND run_after <= @now ORDER BY run_after, id LIMIT 1"
  const claim = db.prepare<JobRow, SqlParams>(`UPDATE jobs SET state = 'running', attempts = attempts + 1 WHERE id = (${due}) RETURNING *`)
  const claimAlso = db.prepare<JobRow, SqlParams>(`
    UPDATE jobs SET state = 'running', attempts = attempts + 1 WHERE kind = @kind AND attempts = 0 AND id = (${due}) RETURNING *`)
  const state = db.prepare<{ error: string | null }, SqlParams>('SELECT error FROM jobs WHERE id = @id')
  const done = db.prepare('DELETE FROM jobs WHERE id = @id')
  const waitingTwin = db.prepare<{ id: number }, SqlParams>(`
    SELECT id FROM jobs WHERE state = 'waiting' AND (kind, key) = (SELECT kind, key FROM jobs WHERE id = @id)`)
  const retry = db.prepare("UPDATE jobs SET state = 'waiting', run_after = @runAfter, error = @error WHERE id = @id")
  const bury = db.prepare("UPDATE jobs SET state = 'dead', error = @error WHERE id = @id")
  const runningIds = db.prepare<{ id: number }, []>("SELECT id FROM jobs WHERE state = 'running'")
  const next = db.prepare<{ at: number | null }, []>("SELECT min(run_after) AS at FROM jobs WHERE state = 'waiting'")
  const counts = db.prepare<{ state: string; n: number }, []>('SELECT state, count(*) AS n FROM jobs GROUP BY state')
  const dead = db.prepare<JobRow, SqlParams>("SELECT * FROM jobs WHERE state = 'dead' ORDER BY id DESC LIMIT @limit")
  const revive = db.prepare("UPDATE OR IGNORE jobs SET state = 'waiting', attempts = 0, run_after = @now WHERE state = 'dead'")

  const bringForward = db.prepare(`
    UPDATE jobs SET run_after = @now, created_at = @now
    WHERE state = 'waiting' AND run_after > @now AND (created_at > @now + @tolerance OR run_after > @now + @longest + @tolerance)`)
  const reviveOne = db.prepare(
    "UPDATE OR IGNORE jobs SET state = 'waiting', attempts = 0, run_after = @now WHERE state = 'dead' AND id = @id",
  )

  /** Makes a job wait again, unless the same work was queued again in the meantime: then this job is deleted. */
  const putBack = (id: number, runAfter: number, error: string | null) => {
    if (waitingTwin.get({ id })) done.run({ id })
    else retry.run({ id, runAfter, error })
  }
  return {
    /** Work queued twice before it starts is done once; work queued while it runs is done again. Returns the job's id. */
    add: async <K extends JobKind>(kind: K, key: string, payload: Jobs[K], at: number, runAfter = 0): Promise<number> =>
      add.get({ kind, key, payload: JSON.stringify(payload), runAfter, at })?.id ?? 0,
    /** Null when the job is done. */
    state: async (id: number): Promise<{ error: string | null } | null> => state.get({ id }),
    claim: async (now: number): Promise<Job | null> => {
      const row = claim.get({ now })
      return row ? fromRow(row) : null
    },
    /**
     * The next job, if it is of the same kind as one that runs and was never tried: to do both in one transaction. It must be completed there. A job
     * that was tried may have taken the worker down, and must not take others with it.
     */
    claimAlso: async <K extends JobKind>(kind: K, now: number): Promise<Job<K> | null> => {
      const row = claimAlso.get({ kind, now })
      return row ? (fromRow(row) as Job<K>) : null
    },
    complete: async (id: number) => {
      done.run({ id })
    },
    retry: async (id: number, runAfter: number, error: string) => putBack(id, runAfter, error),
    markDead: async (id: number, error: string) => {
      bury.run({ id, error })
    },
    /** After a crash no job is running, whatever the rows say. */
    returnRunning: async (now: number): Promise<number> => {
      const rows = runningIds.all()
      for (const { id } of rows) putBack(id, now, null)
      return rows.length
    },
    /**
     * Makes jobs due that the clock has left behind: if it was set back, those queued before would wait until it reaches their time again. No job
     * is queued for later than `longest` milliseconds.
     */
    bringForward: async (now: number, longest: number): Promise<number> =>
      bringForward.run({ now, longest, tolerance: CLOCK_TOLERANCE_MS }).changes,
    /** When the next waiting job may run, or null when no job is waiting. */
    nextAt: async (): Promise<number | null> => next.get()?.at ?? null,
    counts: async (): Promise<{ waiting: number; running: number; dead: number }> => {
      const by = Object.fromEntries(counts.all().map((row) => [row.state, row.n]))
      return { waiting: by.waiting ?? 0, running: by.running ?? 0, dead: by.dead ?? 0 }
    },
    dead: async (limit: number): Promise<DeadJob[]> =>
      dead.all({ limit }).map((row) => ({ ...fromRow(row), error: row.error ?? '', createdAt: row.created_at })),
    revive: async (id: number, now: number): Promise<boolean> => reviveOne.run({ id, now }).changes > 0,
    reviveDead: async (now: number): Promise<number> => revive.run({ now }).changes,
  }
}

/** Jobs of an event are dated by its hook, and small steps of the clock are ordinary. */
const CLOCK_TOLERANCE_MS = 60_000

/** The one place that trusts a stored payload to match its kind: `add` wrote both, and migrations keep waiting rows up to date. */
function fromRow({ id, kind, key, payload, attempts }: JobRow): Job {
  const row: unknown = { id, kind, key, payload: JSON.parse(payload), attempts }
  return row as Job
}
