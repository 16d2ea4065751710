/** A file that is not synced because it contains a key, a password or a private part. */
export type WithheldFile = { path: string; line: number }

/** The result of one sync of the notes. Paths are relative to the home. */
export type SyncReport = {
  /** `local`: no remote is set. `offline`: the remote could not be reached. `busy`: another sync is running. */
  outcome: 'synced' | 'local' | 'offline' | 'busy' | 'refused'
  /** Why the outcome is not `synced` or `local`, for the person. */
  reason: string | null
  /** Files that this machine committed, files from other machines, and conflicting versions that were kept beside them. */
  committed: string[]
  received: string[]
  kept: string[]
  /** Whether the remote accepted commits of this machine. */
  pushed: boolean
  withheld: WithheldFile[]
  /** Projects whose notes were mirrored into their own repositories. */
  mirrored: ProjectMirrorReport[]
  at: number
}

/** The result of mirroring a project's notes into its own repository. `copied` counts the notes of others that were copied, updated or removed. */
export type ProjectMirrorReport = { project: string; written: number; copied: number; pushed: boolean; problem: string | null }

/** The state of sync, without using the network. */
export type SyncState = {
  /** Without a password; empty when no remote is set. */
  remote: string
  /** Commits that the remote lacks, and fetched commits that are not merged yet. */
  ahead: number
  behind: number
  /** Files that changed since the last commit. */
  waiting: number
  /** Conflicting versions that are not resolved yet. */
  conflicted: { id: string; of: string; title: string; machine: string }[]
  last: SyncReport | null
}

/** One version of a note's file. `subject` is the subject of its commit. */
export type NoteCommit = { commit: string; at: number; machine: string; subject: string }

/** How a conflict may be resolved. `ours` is this machine's version. */
export const CONFLICT_CHOICES = ['ours', 'theirs', 'both'] as const
export type ConflictChoice = (typeof CONFLICT_CHOICES)[number]
