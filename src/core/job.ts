import type { AgentName } from './agent.ts'

/** A turn of a session, by its number. */
export type TurnRef = { sessionId: number; number: number }

type NoPayload = Record<string, never>

/**
 * Background work that outlives the worker: every kind of job with its payload. Payloads are stored as JSON, so a change of one needs a
 * migration of the rows that are waiting.
 */
export type Jobs = {
  /** Make the observations and the summary of a turn, by rules. */
  distill: TurnRef
  /** The same by a text model. */
  'model-distill': TurnRef
  /** Tie the memories of a turn to the code they speak of. */
  anchor: TurnRef
  /** Find the earlier result that a turn's thread replaces. */
  replacement: TurnRef
  /** Save what a person marked in a prompt as notes. */
  markers: TurnRef
  /** Write or update the note about a session. */
  episode: { sessionId: number; hook: 'session-end' | 'precompact' }
  /** Propose what a session stated as notes. */
  statements: { sessionId: number; occasion?: 'session-end' | 'precompact' | 'import' }
  /** Make missing vectors. */
  embed: NoPayload
  /** Read the rest of a session's transcript. `over` when its client is gone: then the session is completed too. */
  reconcile: { sessionId: number; over?: boolean }
  /** Read a transcript whose session may not be known yet. */
  read: { path: string; agent: AgentName }
  consolidate: NoPayload
  /** Give turns of older versions what new ones have: links, activity and traces. */
  'catch-up': NoPayload
  /** Sync the notes. Without `push: false` also send them. */
  sync: { push?: boolean }
  /** Read the commits that are new in a project's repository. `reading` says how far a longer reading has come. */
  'git-history': { project: string; folder: string; reading?: { head: string; known: string[]; skip: number } }
  'move-project': { from: string; to: string }
  /** Delete memories for good: the ids of what goes. */
  erase: ErasedIds
  /** Read all transcripts into a new database, after a damaged one was set aside. */
  rebuild: NoPayload
}

/** Memories that a person selected, by row id. Turns are named by their prompt. */
export type SelectedRows = {
  sessions: number[]
  prompts: number[]
  observations: number[]
  summaries: number[]
  toolUses: number[]
  commits: number[]
}

/** Everything a hard deletion takes, by ids and without any text. `at` is when the person asked; `injections` are records of what was shown. */
export type ErasedIds = SelectedRows & {
  at: number
  injections: number[]
  notes: string[]
  derivedNotes: string[]
  /** Notes of sessions that are written again, because some of their turns go. */
  rewritten: { sessionId: number; note: string }[]
  /** Places in which statements were said that go, each with the deletion that takes it and can bring it back. */
  lostPlaces: { note: string; place: string; unit: string; sessionId: number }[]
  /** Earlier deletions that could still be undone. */
  units: string[]
  /** Folders of projects whose repositories may mirror the notes. */
  folders: string[]
}

export type JobKind = keyof Jobs

/** A job of one kind, or of any. A key names the work within its kind: the same work is not queued twice. */
export type Job<K extends JobKind = JobKind> = {
  [Kind in K]: { id: number; kind: Kind; key: string; payload: Jobs[Kind]; attempts: number }
}[K]
