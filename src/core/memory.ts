import type { PerformedAction } from './action.ts'
import type { AgentName } from './agent.ts'
import type { ContentSessionId, MemorySessionId, ProjectKey } from './ids.ts'
import type { Note, NoteId } from './note.ts'

/** A conversation of an agent with a person. `id` is ours, `contentSessionId` the host's. */
export type Session = {
  id: number
  agent: AgentName
  contentSessionId: ContentSessionId
  memorySessionId: MemorySessionId | null
  project: ProjectKey
  /** The folder the session belongs to: where it started, not where a later `cd` led. */
  folder: string
  /** The branch it was last seen on; each prompt keeps its own. */
  branch: string | null
  title: string | null
  status: 'initialized' | 'active' | 'completed'
  promptCount: number
  transcript: string | null
  /** The process of the client, while we know it: a live process is a live session. */
  clientPid: number | null
  /** When it was split off from another session; whatever its transcript holds from before is the other's. */
  forkedAt: number | null
  /** The session it was split off from, where that could be told. */
  forkedFrom: number | null
  /** When it was last given a brief, and the newest observation there was then; null before the first. */
  briefed: { at: number; until: number } | null
  /** What it was told before this moment has been compacted away. */
  contextFrom: number
  startedAt: number
  lastEventAt: number
  endedAt: number | null
}

/** A prompt and the answer its turn ended with. Machine prompts are notices that the client sends in the person's name. */
export type Prompt = {
  id: number
  sessionId: number
  number: number
  origin: 'person' | 'machine'
  text: string
  answer: string | null
  at: number
  answeredAt: number | null
}

/** One call of a tool, as the host reported it, private parts and secrets removed, clipped. */
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
  filesRead: string[]
  filesModified: string[]
  /** The tool that mattered most, in the host's word. */
  tool: string | null
  at: number
}

export type Observation = ObservationDraft & {
  id: number
  sessionId: number
  project: ProjectKey
  promptNumber: number
  /** What reading it costs. */
  tokens: number
  /** What wrote it: `plain`, or a model's name. */
  model: string
}

/** The five fields of a turn's summary, and notes. Empty text means there was nothing to say. */
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
  /** `turn` is written at the end of a turn; `compact` is the host's own, of a conversation it shortened; `subagent` what one reported. */
  source: 'turn' | 'compact' | 'subagent'
  model: string
  at: number
}

/** A whole turn as a distiller reads it. */
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
  /** What is still open from earlier turns of the session, newest last: failures that a later turn may fix. */
  openFailures: OpenFailure[]
}

/** A command that failed and has not been seen to pass since. */
export type OpenFailure = { command: string; names: string[]; error: string; at: number; promptNumber: number }

/** What the tools of a turn left that nobody need have spoken of. */
export type Traces = {
  /** The names of code in the places it changed, for each file; those that were changed most first. */
  names: [path: string, names: string[]][]
  /** The errors that its checks printed, also those that passed. */
  errors: { name: string; command: string; passed: boolean }[]
  /** The runs of tests that passed, each as it was run last. Absent when there were none. */
  passes?: PassedTestRun[]
  /** The checks that failed in it and passed after an edit. Absent when there were none. */
  mended?: FixedCheck[]
}

/** A run of tests that passed; a whole one ran all there are. */
export type PassedTestRun = { command: string; isWhole: boolean; at: number }

/** A check that failed and was put right in one turn; `isApart` when what put it right was told apart from what it had failed on. */
export type FixedCheck = { command: string; failedAt: number; isApart: boolean }

/** What a distiller made of a turn. */
export type DistillerOutput = {
  observations: ObservationDraft[]
  summary: SummaryDraft | null
  /** A name for the session, when this turn gives it one. */
  title: string | null
  openFailures: OpenFailure[]
}

/** What a room reports it did. The worker tells whoever listens. */
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
