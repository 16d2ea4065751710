import type { AgentEvent } from '../core/event.ts'

/** One event of a transcript, with facts about its line. */
export type TranscriptItem = {
  event: AgentEvent
  /** The line's own id. A fork copies its parent's lines with their ids and times, so an id that occurs in another file marks a copy. */
  uuid: string | null
  /** The id of the prompt line that opened the turn: in a fork all copied turns share one `promptId`, and old clients have none. */
  turn: string | null
  /** True when the turn ended only because the file did: it may go on, and a later read may find another answer. */
  provisional: boolean
  /** The git branch that the client was on. */
  branch: string | null
}

/** Facts about the session from the lines read so far. */
export type TranscriptFacts = {
  sessionId: string | null
  /** The folder in which the session began; the folder of later lines changes with `cd`. */
  cwd: string | null
  gitBranch: string | null
  version: string | null
  entrypoint: string | null
  /** Set in a file of a subagent. Its tool uses belong to the session that started it. */
  subagent?: { id: string; type: string }
  /** The name that a person gave the session, else the client's newest name for it. */
  title: string | null
  firstAt: number | null
  lastAt: number | null
}

/** The point where a read stopped, as plain JSON. A later read continues from it as if there had been no pause. */
export type Checkpoint = { offset: number; state: { facts: TranscriptFacts } }

export type TranscriptBatch = {
  items: TranscriptItem[]
  checkpoint: Checkpoint
  /**
   * The point to continue from in another process: the start of the open turn, without any text. Text that capture has not cleaned must not
   * be stored.
   */
  resume: Checkpoint
  facts: TranscriptFacts
  /** How many lines of the whole file could not be read. */
  unreadable: number
  /** The size of this batch in bytes; for a packed file, unpacked. */
  bytes: number
}
