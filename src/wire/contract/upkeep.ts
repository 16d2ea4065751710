import { z } from 'zod'
import { AGENT_NAMES } from '../../core/agent.ts'
import type { GitCommit } from '../../core/commit.ts'
import type { Cost } from '../../core/cost.ts'
import type { Observation, Prompt, Session, Summary, ToolUse } from '../../core/memory.ts'
import type { Note } from '../../core/note.ts'
import { instant, optionalInstant, route, wholeNumber } from './route.ts'

/** Lines that every long-running route may send. */
export type ProgressLine = { kind: 'progress'; done: number; of: number; what: string }
export type FailedLine = { kind: 'failed'; error: string }

/** How much of one kind has expired. */
export type ExpiredAmount = {
  kind:
    | 'tool uses by age'
    | 'tool uses by size'
    | 'forgotten notes'
    | 'forgotten memories'
    | 'injections'
    | 'audit'
    | 'receipts'
    | 'plans'
    | 'vectors'
  rows: number
  bytes: number
}
export type CleanUpReport = {
  dryRun: boolean
  kinds: ExpiredAmount[]
  /** Size of the database file. `freeBytes` of it are unused and are filled before the file grows. */
  bytesBefore: number
  bytesAfter: number
  freeBytes: number
  parts: { name: string; bytes: number }[]
  messages: string[]
}
export type CleanUpLine = ProgressLine | { kind: 'done'; report: CleanUpReport } | FailedLine

/** One change of a consolidation plan. */
export type PlannedGroup = {
  how: 'same' | 'near' | 'merged' | 'reflected'
  project: string
  /** The existing note that stays, and the notes that are written. */
  stays: { id: string; title: string } | null
  makes: { id: string; title: string; body: string; namespace: string }[]
  /** Notes that are hidden. */
  hides: { id: string; title: string }[]
  /** Notes of sessions that are marked as reflected on. */
  reflects: { id: string; title: string }[]
  reason: string
  /** Why this change is not made; null when it is. */
  refused: string | null
}
export type ConsolidationReport = {
  /** Number of the plan, for `recollect consolidate --undo <plan>`. */
  plan: number
  kind: 'consolidate' | 'reflect'
  project: string | null
  /** `replanned`: notes changed after the plan was shown, so this is a new plan and nothing was written. */
  outcome: 'planned' | 'applied' | 'replanned'
  groups: PlannedGroup[]
  messages: string[]
  model: string | null
  usage: { input: number; output: number; cached: number }
}
export type UndoReport = { plan: number; restored: number; edited: { id: string; title: string }[] }
export type ConsolidationLine =
  | ProgressLine
  | { kind: 'done'; report: ConsolidationReport }
  | { kind: 'undone'; report: UndoReport }
  | FailedLine

/** The result of distilling turns again with a model, or an estimate of it. */
export type RedistillReport = {
  applied: boolean
  model: string
  turns: number
  /** Turns that are too short, or empty by now. */
  skipped: number
  failed: number
  /** For a dry run: the tokens that would be sent, and the most this could cost; null when the price is unknown. */
  inputTokens: number
  usd: number | null
  /** Observations that were replaced, and the ones that replace them. */
  replaced: number
  added: number
  messages: string[]
}
export type RedistillLine = ProgressLine | { kind: 'done'; report: RedistillReport } | FailedLine

/** Transcripts of the agent, its own memory, commits or notes in a git repository, other programs, or one of our exports. */
export const IMPORT_SOURCES = [
  'transcripts',
  'native',
  'git',
  'git-notes',
  'claude-mem',
  'subcog',
  'anamnesis',
  'markdown',
  'jsonl',
] as const
export type ImportSource = (typeof IMPORT_SOURCES)[number]
export type ImportCounts = {
  notes: { added: number; updated: number; same: number; forgotten: number }
  sessions: number
  prompts: number
  observations: number
  summaries: number
  commits: number
}
export type ImportLine =
  | { kind: 'progress'; file: string; done: number; files: number; bytes: number; totalBytes: number }
  | { kind: 'skipped'; file: string; reason: string }
  | { kind: 'distilling'; waiting: number }
  | { kind: 'importing'; what: string; done: number; of: number }
  | ({ kind: 'imported'; ms: number } & ImportCounts)
  | {
      kind: 'done'
      files: number
      skipped: number
      sessions: number
      prompts: number
      toolUses: number
      unreadableLines: number
      ms: number
    }
  | FailedLine

/** The note of a transcript's session; null with the reason if there is none. */
export type CapturedTranscript =
  | { session: string; note: { id: string; title: string; project: string } }
  | { session: string | null; note: null; reason: string }

export const EXPORT_KINDS = ['tool-uses', 'prompts', 'observations', 'summaries', 'sessions', 'notes', 'commits'] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]
/** Session ids are the agent's own, because our row numbers mean nothing on another machine. */
type WithAgentSession<Row> = Omit<Row, 'sessionId'> & {
  contentSessionId: string
  sessionId: string
  agent: string
  project: string
}
/** One line of an export: a row of the requested kind, or with `format=markdown` a note's file. */
export type ExportLine =
  | (Omit<Session, 'clientPid'> & { sessionId: string })
  | (Omit<WithAgentSession<ToolUse>, 'input' | 'output'> & { input: unknown; output: unknown })
  | WithAgentSession<Prompt>
  | WithAgentSession<Observation>
  | WithAgentSession<Summary>
  | Note
  | GitCommit
  | ExportedNoteFile
export type ExportedNoteFile = { path: string; text: string }

export type AuditRecord = { id: number; at: number; action: string; subject: string; details: Record<string, unknown> }

/** Calls to models and their cost, by day, model, project and purpose. */
export type CostReport = {
  rows: Cost[]
  today: { usd: number; unpriced: number; limit: number }
  month: { usd: number; unpriced: number; limit: number }
}

/** Tokens that were injected in the last 30 days, and how much is stored. */
export type Economy = {
  since: number
  shown: { event: string; count: number; tokens: number }[]
  observations: { count: number; tokens: number }
  toolUseBytes: number
  freeBytes: number
}

const consolidateRequest = () =>
  z.object({
    apply: z.boolean().default(false),
    undo: z
      .union([z.boolean(), z.number().int().min(1)])
      .default(false)
      .describe('true for the last applied plan, or the number of a plan'),
    project: z.string().max(500).nullable().default(null),
  })

/** @internal */
export const upkeep = {
  /** Delete what has expired and shrink the database. */
  'POST /api/gc': route({
    request: () => z.object({ dryRun: z.boolean().default(false) }),
    lines: true,
    unlimited: true,
  }).returns<CleanUpLine>(),
  /** Plan how to fold duplicate notes and merge related ones; `apply` carries the plan out, `undo` reverts it. */
  'POST /api/consolidate': route({ request: consolidateRequest, lines: true, unlimited: true }).returns<
    ConsolidationLine,
    { 400: 'the plan in `undo` does not exist, was not applied, or is undone already' }
  >(),
  /** Plan lasting notes from sessions' notes, with a text model; `apply` and `undo` as in `POST /api/consolidate`. */
  'POST /api/reflect': route({ request: consolidateRequest, lines: true, unlimited: true }).returns<
    ConsolidationLine,
    { 400: 'the plan in `undo` does not exist, was not applied, or is undone already' }
  >(),
  /** Distill turns again with the text model; without `apply` only estimate the cost. */
  'POST /api/redistill': route({
    request: () => z.object({ since: instant(), project: z.string().max(500).nullable().default(null), apply: z.boolean().default(false) }),
    lines: true,
    unlimited: true,
  }).returns<RedistillLine>(),
  /** Import transcripts, the commits of a git repository, or memories of other programs. */
  'POST /api/import': route({
    request: () =>
      z.object({
        from: z.enum(IMPORT_SOURCES).default('transcripts'),
        agents: z.array(z.enum(AGENT_NAMES)).optional().describe('only transcripts of these agents'),
        paths: z.array(z.string()).default([]),
        since: instant().nullable().default(null),
        project: z.string().nullable().default(null),
      }),
    lines: true,
    unlimited: true,
  }).returns<ImportLine>(),
  /** Read a transcript and write the note of its session. `source` says whether the session is over or is about to be compacted. */
  'POST /api/capture/transcript': route({
    request: () => z.object({ path: z.string().min(1), source: z.enum(['session-end', 'precompact']).default('session-end') }),
    unlimited: true,
  }).returns<CapturedTranscript, { 400: 'the file is not a transcript' }>(),
  /** Export all rows of one kind as lines of JSON; notes also as markdown files. */
  'GET /api/export': route({
    request: () =>
      z.object({
        kind: z.enum(EXPORT_KINDS),
        project: z.string().optional(),
        format: z.enum(['jsonl', 'markdown']).default('jsonl'),
      }),
    lines: true,
    readOnly: true,
  }).returns<ExportLine, { 400: '`format` is markdown and `kind` is not notes' }>(),
  /** Run failed jobs again: the one with this `id`, or all. */
  'POST /api/jobs/retry': route({ request: () => z.object({ id: z.number().int().optional() }) }).returns<{ revived: number }>(),
  /** List what was captured, changed, imported, merged and deleted, newest first. No entry contains the text of a memory. */
  'GET /api/audit': route({
    request: () => z.object({ since: optionalInstant(), limit: wholeNumber(50, 1000) }),
    readOnly: true,
  }).returns<AuditRecord[]>(),
  /** Get the cost of model calls. */
  'GET /api/cost': route({
    request: () => z.object({ days: z.coerce.number<number | string>().int().min(1).max(3660).default(30) }),
    readOnly: true,
  }).returns<CostReport>(),
  /** Get how much was injected and how much is stored. */
  'GET /api/economy': route({ readOnly: true }).returns<Economy>(),
}
