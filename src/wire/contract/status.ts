import type { SyncState } from '../../core/sync.ts'
import type { TeamState } from '../../core/team.ts'
import type { EmbedderStatus } from './embedder.ts'
import { route } from './route.ts'

/** Without a token, only `ok`. */
export type HealthResponse = { ok: true; version?: string; pid?: number }

/** Payloads of hooks that could not be used: all of them, and those from the spool that were set aside. */
export type NotUnderstoodPayloads = { count: number; lastAt: number | null; setAside: number }

export type WorkerStatus = {
  version: string
  pid: number
  port: number
  wantedPort: number
  startedAt: number
  home: string
  databaseBytes: number
  /** Size of each part of the database, largest first; null when the database is too large to measure quickly. */
  databaseParts: { name: string; bytes: number }[] | null
  /** Damaged databases that were replaced and still exist. */
  setAside: string[]
  memoryBytes: number
  sessions: { live: number; open: number; all: number }
  projects: { project: string; name: string; folder: string; sessions: number; lastAt: number }[]
  notes: { all: number; hidden: number; conflicted: number; problems: { path: string; problem: string }[] }
  sync: SyncState
  team: TeamState
  /** The text model, or why there is none. */
  textModel: { name: string; problem: string | null } | { absent: string }
  jobs: { waiting: number; running: number; dead: number }
  deadJobs: { id: number; kind: string; key: string; attempts: number; error: string }[]
  spooled: number
  lastEventAt: number | null
  /** Events that could not be stored since the last one that was. */
  unstoredEvents: number
  notUnderstood: NotUnderstoodPayloads
  embedder: EmbedderStatus
  problems: string[]
}

/** @internal */
export const status = {
  /** Check that the worker runs. */
  'GET /health': route({ readOnly: true }).returns<HealthResponse>(),
  /** Get the state of the worker. */
  'GET /api/status': route({ readOnly: true }).returns<WorkerStatus>(),
  /** Check the integrity of the database. */
  'GET /api/check': route({ readOnly: true }).returns<{ damage: string[] }>(),
  /** Stop the worker after the requests under way. */
  'POST /api/shutdown': route({}).returns<{ status: 'stopping' }>(),
  /** Receive changes as server-sent events. `Last-Event-ID` replays what was missed. */
  'GET /stream': route({ raw: true, unlimited: true }).returns<string>(),
}
