/**
 * The steps of a turn that concern files: enough to tell later whether it was undone. Lines are stored as short fingerprints with how often
 * they were added (positive) or removed (negative), never as text.
 */
export type WorkStep =
  | { kind: 'edit'; path: string; lines: [line: string, count: number][]; isNew?: true }
  /** `paths: null` means everything. */
  | { kind: 'stage'; paths: string[] | null }
  | { kind: 'commit'; hash: string | null; takesAll?: true; amends?: true }
  /** `git restore` and `git checkout --`: files as they were committed. */
  | { kind: 'discard'; paths: string[] | null }
  /** `git clean`: files that git does not know are deleted. */
  | { kind: 'clean' }
  | { kind: 'remove'; paths: string[] }
  /** `git reset --hard`. */
  | { kind: 'reset'; to: string }
  /** `git reset --soft HEAD~1`: the commits go, their changes stay. */
  | { kind: 'uncommit'; to: string }
  | { kind: 'revert'; target: string; hash: string | null }
  | { kind: 'stash'; paths: string[] | null; takesNew?: true }
  | { kind: 'unstash'; keeps?: true }
  | { kind: 'drop-stash'; all?: true }
  /** The person says that they undid the last turn, or all of the session's changes. */
  | { kind: 'said-undone'; all?: true }
  /** The person asks to undo the last turn; the steps that follow do it. */
  | { kind: 'asked-to-undo' }

/** The steps of one turn. Turns are replayed in the order of their times. */
export type TurnWork = { id: number; sessionId: number; folder: string; at: number; steps: WorkStep[] }

/** Why work no longer holds; empty while it does. The reference is a prompt or a commit, as people write its id. */
export const undoneMark = (undoneBy: string | undefined) => (undoneBy ? `undone by ${undoneBy}` : '')
