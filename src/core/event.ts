import type { AgentName } from './agent.ts'
import type { ContentSessionId, ProjectKey } from './ids.ts'

/**
 * An event of an agent, in our terms. The same event may come from a hook, from the spool and from a transcript; each carries enough data to
 * be recognized when it comes twice.
 */
export type AgentEvent = SessionEvent & {
  agent: AgentName
  session: ContentSessionId
  /** When it happened, as far as the source knows. */
  at: number
  /** The client's current folder. It changes with `cd`, so it does not determine the project alone. */
  cwd: string | null
  transcript: string | null
}

export type SessionEvent =
  | {
      kind: 'session-started'
      source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork'
      /** When a resumed conversation had its last answer; null without an answer, or when the client does not say. */
      lastAnswerAt?: number | null
    }
  | {
      kind: 'prompt-submitted'
      /** The client's id of the turn; a message typed while the turn runs carries the same one. Null on older clients. */
      promptId: string | null
      origin: 'person' | 'machine'
      /** Complete, as typed or as the client wrote it. */
      text: string
    }
  | {
      kind: 'tool-used'
      promptId: string | null
      /** Null when the agent sends none. Capture then derives one from the turn, the content and the position. */
      toolUseId: string | null
      /** True when the caller may report it again without saying so: sent twice in a row, it is one tool use. */
      mayBeResent?: true
      /** True for a report that knows what the agent's hooks leave out: the id of the use, or that it failed. */
      isComplete?: true
      tool: string
      input: unknown
      /** The tool's output; undefined when it failed. */
      output: unknown
      error: string | null
      interrupted: boolean
      agentId: string | null
    }
  /** A tool is about to run. It is answered from memory and not stored: what it did is reported when it ends. */
  | { kind: 'tool-starting'; tool: string; input: unknown; agentId: string | null }
  | {
      kind: 'turn-ended'
      promptId: string | null
      /** Null when only the transcript has it. */
      answer: string | null
    }
  | { kind: 'subagent-ended'; promptId: string | null; agentId: string; agentType: string; answer: string }
  | { kind: 'compacting'; promptId: string | null }
  | { kind: 'compacted'; promptId: string | null /** With the client's wrapping. */; summary: string }
  | { kind: 'session-ended'; reason: string }
  /** An event that we do not use. */
  | { kind: 'ignored'; name: string }
  /** An event that cannot be read. The reason never quotes it. */
  | { kind: 'not-understood'; reason: string }

/** A payload, or a part of it, that cannot be read. The message never quotes it, so that it can be logged. */
export class NotUnderstood extends Error {}

/** Facts about an event that are not in its payload: a hook knows them from its environment. */
export type EventContext = {
  projectFolder: string | null
  clientPid: number | null
  /** How the client was started (`cli`, `sdk-ts`, …). */
  entrypoint: string | null
  /** The folder in which the hook was called. It counts when neither the client nor the payload names one. */
  workingFolder?: string | null
  /** The git branch at that time, or null when it is unknown. Undefined means that the event happens now: look it up. */
  branch?: string | null
  /** Set by callers of the API who name their project. */
  project?: ProjectKey
  /** The name that a caller of the API gives itself. */
  host?: string | null
}

/** Our reply to an event, in our terms; the agent's integration converts it to the host's schema. */
export type EventReply = {
  /** For the model. */
  context?: string
  /** For the person, shown by the client. */
  message?: string
  /** Why a tool must not run now. The model sees the reason and may try again. */
  refusal?: string
}
