/** A file that stays on this machine because something in it must not leave: a key, a password, a private part. */
export type WithheldFile = { path: string; line: number }

/** What one sync of the notes did. Paths are relative to the home. */
export type SyncReport = {
  /** `local`: there is no remote. `offline`: it could not be reached, which is ordinary. `busy`: another sync runs. */
  outcome: 'synced' | 'local' | 'offline' | 'busy' | 'refused'
  /** Why it is not `synced` or `local`, in words for the person. */
  reason: string | null
  /** Files that this machine committed, files that came from the others, versions that were kept beside them. */
  committed: string[]
  received: string[]
  kept: string[]
  /** Whether the remote has taken commits of this machine. */
  pushed: boolean
  withheld: WithheldFile[]
  /** Projects whose notes were mirrored into their own repositories. */
  mirrored: ProjectMirrorReport[]
  at: number
}

/** What became of the mirror of a project's notes in its own repository. */
export type ProjectMirrorReport = { project: string; written: number; pushed: boolean; problem: string | null }

/** Where sync stands, without asking the network. */
export type SyncState = {
  /** As it may be shown; empty when there is none. */
  remote: string
  /** Commits that the remote does not have, and those that this machine has seen there and not merged. */
  ahead: number
  behind: number
  /** Files that changed since the last commit. */
  waiting: number
  /** Other versions that nobody has chosen between yet. */
  conflicted: { id: string; of: string; title: string; machine: string }[]
  last: SyncReport | null
}

/** One version of a note's file: when it was committed, by which machine, and what that commit did. */
export type NoteCommit = { commit: string; at: number; machine: string; subject: string }

/** How a conflict may end. `ours` is what this machine wrote. */
export const CONFLICT_CHOICES = ['ours', 'theirs', 'both'] as const
export type ConflictChoice = (typeof CONFLICT_CHOICES)[number]
