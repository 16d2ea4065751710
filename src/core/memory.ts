import type { PerformedAction } from './action.ts'
import type { AgentName } from './agent.ts'
import type { ContentSessionId, MemorySessionId, ProjectKey } from './ids.ts'
import type { Note, NoteId } from './note.ts'
import type { WorkStep } from './work.ts'

/** How long a deleted memory can be restored; then its text is erased. */
export const RESTORABLE_DAYS = 7

/** How long an applied plan of consolidation can be undone. */
export const UNDO_DAYS = 30

/** A conversation of an agent with a person. `id` is ours, `contentSessionId` the host's. */
export type Session = {
  id: number
  agent: AgentName
  contentSessionId: ContentSessionId
  /** The program that reported the session, in its own words; null when that is the agent itself. */
  host: string | null
  memorySessionId: MemorySessionId | null
  project: ProjectKey
  /** The folder in which the session started, whatever `cd` came later. */
  folder: string
  /** The branch at the last event; each prompt has its own. */
  branch: string | null
  title: string | null
  status: 'initialized' | 'active' | 'completed'
  promptCount: number
  transcript: string | null
  /** The client's process, if known: while it runs, the session is live. */
  clientPid: number | null
  /** When it was forked from another session; earlier lines of its transcript belong to the other one. */
  forkedAt: number | null
  /** The session it was forked from, if known. */
  forkedFrom: number | null
  /** When its last brief was injected, and the newest observation at that time; null before the first brief. */
  briefed: { at: number; until: number } | null
  /** Injections before this time have been compacted away. */
  contextFrom: number
  startedAt: number
  lastEventAt: number
  endedAt: number | null
}

/** Stored as the text of a prompt that contains only images, and of one that was never reported. */
export const NO_WORDS = '(no words)'

/** A prompt and the final answer of its turn. Machine prompts are notices that the client sends in the person's name. */
export type Prompt = {
  id: number
  sessionId: number
  number: number
  origin: 'person' | 'machine'
  text: string
  answer: string | null
  at: number
  answeredAt: number | null
  /** What undid the changes of its turn, as `P12` for a prompt or `C5` for a commit. Absent while some of them hold, and if there were none. */
  undoneBy?: string
}

/** A run of turns of a session about one subject, by their numbers, and the turn whose answer is its result; null while there is none. */
export type Thread = { first: number; last: number; outcome: number | null }

/** One call of a tool as the host reported it, cleaned and clipped. */
export type ToolUse = {
  id: number
  sessionId: number
  promptNumber: number
  toolUseId: string
  tool: string
  /** JSON text. */
  input: string
  /** JSON text; null when it failed. */
  output: string | null
  error: string | null
  interrupted: boolean
  agentId: string | null
  cwd: string | null
  at: number
}

export const OBSERVATION_TYPES = ['bugfix', 'feature', 'refactor', 'change', 'discovery', 'decision'] as const
export type ObservationType = (typeof OBSERVATION_TYPES)[number]

export const CONCEPTS = ['how-it-works', 'why-it-exists', 'what-changed', 'problem-solution', 'gotcha', 'pattern', 'trade-off'] as const
export type Concept = (typeof CONCEPTS)[number]

/** One distilled fact about what happened, before it has a row. */
export type ObservationDraft = {
  type: ObservationType
  title: string
  subtitle: string
  narrative: string
  facts: string[]
  concepts: Concept[]
  /** Words that an import brought along, such as `security`. The distillers set none. */
  tags?: string[]
  filesRead: string[]
  filesModified: string[]
  /** The most important tool, by the host's name for it. */
  tool: string | null
  at: number
}

export type Observation = ObservationDraft & {
  id: number
  sessionId: number
  project: ProjectKey
  promptNumber: number
  /** The cost of reading it. */
  tokens: number
  /** The author: `plain` for the rules, or a model's name. */
  model: string
  /** What undid its changes, as for a prompt. */
  undoneBy?: string
}

/** The five fields of a turn's summary, and notes. A field without content is empty. */
export type SummaryDraft = {
  request: string
  investigated: string
  learned: string
  completed: string
  nextSteps: string
  notes: string
}

export type Summary = SummaryDraft & {
  id: number
  sessionId: number
  project: ProjectKey
  promptNumber: number
  /** `turn` is written at the end of a turn, `compact` by the host when it compacts the conversation, `subagent` by a subagent. */
  source: 'turn' | 'compact' | 'subagent'
  model: string
  at: number
  /** What undid the changes of its turn, as for a prompt. */
  undoneBy?: string
}

/** A turn as a distiller reads it. */
export type Turn = {
  promptNumber: number
  origin: Prompt['origin']
  prompt: string
  /** The answer that the prompt replies to. */
  before: string | null
  answer: string | null
  /** Paths under this folder are shown relative to it. */
  folder: string
  at: number
  actions: PerformedAction[]
  /** Failures of earlier turns that no later turn has fixed, newest last. */
  openFailures: OpenFailure[]
}

/** A command that failed and has not passed since. */
export type OpenFailure = {
  command: string
  names: string[]
  error: string
  at: number
  promptNumber: number
  /** The program that ran it, as far as its output shows. */
  runner?: string
  /** The folder that its line entered first. */
  folder?: string
  /** It may pass by now: the failing tests passed alone, or a script passed that may have run them. It is neither fixed nor failing. */
  isUnclear?: true
}

/** Facts from the tools of a turn that its texts may not mention. */
export type Traces = {
  /** For each changed file, the functions and types in the changed places, most changed first. */
  names: [path: string, names: string[]][]
  /** The errors that its checks printed, including checks that passed. */
  errors: { name: string; command: string; passed: boolean }[]
  /** The last run of each test command that passed. Absent when there were none. */
  passes?: PassedTestRun[]
  /** The checks that failed in the turn and passed after an edit. Absent when there were none. */
  mended?: FixedCheck[]
  /** The failures that the turn put right, its own and those of earlier turns. Absent when there were none. */
  fixes?: KnownFix[]
  /** Its steps that concern files, to tell later whether that was undone. Absent when it changed nothing. */
  work?: WorkStep[]
}

/** What put a failure right: edits, or commands if nothing was edited. `signatures` recognise the failure when it happens again. */
export type KnownFix = {
  signatures: string[]
  command: string
  files: string[]
  /** The lines that the edits changed, in words for a reader. */
  changes: string[]
  commands: string[]
  failedAt: number
  at: number
}

/** A run of tests that passed; `isWhole` when it ran all tests. */
export type PassedTestRun = { command: string; isWhole: boolean; at: number; runner?: string }

/** A check that failed and was fixed in one turn; `isApart` when the fixing edit can be distinguished from the edit that broke it. */
export type FixedCheck = { command: string; failedAt: number; isApart: boolean }

/** A distiller's result for a turn. */
export type DistillerOutput = {
  observations: ObservationDraft[]
  summary: SummaryDraft | null
  /** A name for the session, when this turn gives it one. */
  title: string | null
  openFailures: OpenFailure[]
}

/** A change that a room reports. The worker notifies the listeners. */
export type Change =
  | { kind: 'session-opened'; session: Session }
  | { kind: 'session-completed'; sessionId: number }
  | { kind: 'prompt-added'; prompt: Prompt; project: ProjectKey }
  | { kind: 'tool-use-added'; sessionId: number; toolUseId: string; tool: string; project: ProjectKey }
  | { kind: 'observation-added'; observation: Observation }
  | { kind: 'observation-removed'; id: number }
  | { kind: 'summary-added'; summary: Summary }
  | { kind: 'note-changed'; note: Note }
  | { kind: 'note-removed'; id: NoteId }
  | { kind: 'imported'; sessions: number; prompts: number; toolUses: number }
