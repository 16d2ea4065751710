import type { AgentName } from './agent.ts'
import type { ContentSessionId, ProjectKey } from './ids.ts'

/**
 * What an agent tells us, in our words. The same events come from hooks, from the spool and from a transcript, and each carries
 * enough to recognise itself when it comes twice.
 */
export type AgentEvent = SessionEvent & {
  agent: AgentName
  session: ContentSessionId
  /** When it happened, as far as the source knows. */
  at: number
  /** The folder the client stood in; it drifts with `cd`, so it never decides the project by itself. */
  cwd: string | null
  transcript: string | null
}

export type SessionEvent =
  | {
      kind: 'session-started'
      source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork'
      /** When the conversation that is gone on with had its last answer; null where there is none, or the client does not say. */
      lastAnswerAt?: number | null
    }
  | {
      kind: 'prompt-submitted'
      /** The client's id of the turn; a message typed while the turn runs carries the same one. Null on older clients. */
      promptId: string | null
      origin: 'person' | 'machine'
      text: string
    }
  | {
      kind: 'tool-used'
      promptId: string | null
      toolUseId: string
      tool: string
      input: unknown
      /** What the tool answered; undefined when it failed. */
      output: unknown
      error: string | null
      interrupted: boolean
      agentId: string | null
    }
  | {
      kind: 'turn-ended'
      promptId: string | null
      answer: string
    }
  | { kind: 'subagent-ended'; promptId: string | null; agentId: string; agentType: string; answer: string }
  | { kind: 'compacting'; promptId: string | null }
  | { kind: 'compacted'; promptId: string | null; summary: string }
  | { kind: 'session-ended'; reason: string }
  /** Something the host reports and we have no use for. */
  | { kind: 'ignored'; name: string }

/** What surrounds an event but is not in it: known to a command hook through its environment, unknown to an http hook. */
export type EventContext = {
  projectFolder: string | null
  clientPid: number | null
  /** How the client was started (`cli`, `sdk-ts`, …). */
  entrypoint: string | null
  /** The git branch when it happened, null when nobody can know any more. Left out, it is looked up: it happens now. */
  branch?: string | null
  /** Set by callers of the API that named their project. */
  project?: ProjectKey
}

/** What we answer to an event, in our words; the agent's integration puts it into the host's schema. */
export type EventReply = {
  /** For the model. */
  context?: string
  /** For the person, shown by the client. */
  message?: string
}
