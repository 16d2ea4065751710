import { z } from 'zod'
import { asProjectKey } from '../core/ids.ts'
import { OBSERVATION_TYPES } from '../core/memory.ts'
import { asNoteId, isNamespace, NOTE_SCOPES, NOTE_SOURCES, NOTE_TYPES, type Note, type NoteText } from '../core/note.ts'

/** One line of what `export` wrote, as far as it can be brought in again. */
export type ExportedLine =
  | { kind: 'note'; note: Omit<Note, 'path'> }
  | ({ kind: 'session' } & z.infer<typeof SessionLine>)
  | ({ kind: 'prompt' } & z.infer<typeof PromptLine>)
  | ({ kind: 'observation' } & z.infer<typeof ObservationLine>)
  | ({ kind: 'summary' } & z.infer<typeof SummaryLine>)
  /** Raw tool uses are let go after a while anyway; what was made of them is what comes back. */
  | { kind: 'tool-use' }

/** Reads a line by the fields it has; null when it is none of ours. */
export function readExportedLine(json: unknown): ExportedLine | null {
  if (typeof json !== 'object' || json === null) return null
  if ('toolUseId' in json) return { kind: 'tool-use' }
  if ('namespace' in json) return read(NoteLine, json, (note) => ({ kind: 'note', note: asNote(note) }))
  if ('narrative' in json) return read(ObservationLine, json, (line) => ({ kind: 'observation', ...line }))
  if ('nextSteps' in json) return read(SummaryLine, json, (line) => ({ kind: 'summary', ...line }))
  if ('startedAt' in json) return read(SessionLine, json, (line) => ({ kind: 'session', ...line }))
  if ('text' in json) return read(PromptLine, json, (line) => ({ kind: 'prompt', ...line }))
  return null
}

function read<S extends z.ZodType>(schema: S, json: unknown, as: (value: z.infer<S>) => ExportedLine): ExportedLine | null {
  const parsed = schema.safeParse(json)
  return parsed.success ? as(parsed.data) : null
}

const name = z.string().min(1).max(300)
const at = z.number().min(0).max(8.64e15)
const when = at.nullable().default(null)
const said = z.string().default('')
const many = z.array(z.string()).default([])
const ofSession = { sessionId: name, agent: z.literal('claude-code'), project: name }

const SessionLine = z.object({
  ...ofSession,
  folder: z.string(),
  branch: z.string().nullable().default(null),
  title: z.string().nullable().default(null),
  startedAt: at,
  lastEventAt: at,
  endedAt: when,
})
const PromptLine = z.object({
  ...ofSession,
  origin: z.enum(['person', 'machine']),
  text: z.string().min(1),
  answer: z.string().nullable().default(null),
  at,
  answeredAt: when,
})
const ObservationLine = z.object({
  ...ofSession,
  promptNumber: z.number().int().min(0),
  type: z.enum(OBSERVATION_TYPES),
  title: name.max(2000),
  subtitle: said,
  narrative: said,
  facts: many,
  concepts: many,
  filesRead: many,
  filesModified: many,
  tool: z.string().nullable().default(null),
  model: said,
  at,
})
const SummaryLine = z.object({
  ...ofSession,
  promptNumber: z.number().int().min(0),
  source: z.enum(['turn', 'compact', 'subagent']),
  request: said,
  investigated: said,
  learned: said,
  completed: said,
  nextSteps: said,
  notes: said,
  model: said,
  at,
})
const noteId = z.string().regex(/^[\w.-]{1,80}$/)
const NoteLine = z.object({
  id: noteId,
  type: z.enum(NOTE_TYPES),
  title: z.string().trim().min(1).max(500),
  namespace: z.string().refine(isNamespace),
  tags: z.array(z.string().max(200)).max(1000),
  createdAt: at,
  updatedAt: at,
  machine: said,
  source: z.enum(NOTE_SOURCES),
  session: z.string().max(500).nullable().default(null),
  model: z.string().max(500).nullable().default(null),
  confidence: z.number().min(0).max(1),
  supersedes: z.array(noteId),
  conflictOf: noteId.nullable().default(null),
  pinned: z.boolean(),
  expiresAt: when,
  deletedAt: when,
  body: z.string(),
  // A line of front matter that is more than one would be read back as something else.
  unknown: z.array(z.string().regex(/^[^\r\n]*$/)).default([]),
  scope: z.enum(NOTE_SCOPES),
  project: name,
})

function asNote(line: z.infer<typeof NoteLine>): NoteText & Pick<Note, 'scope' | 'project'> {
  return {
    ...line,
    id: asNoteId(line.id),
    supersedes: line.supersedes.map(asNoteId),
    conflictOf: line.conflictOf === null ? null : asNoteId(line.conflictOf),
    project: asProjectKey(line.project),
  }
}
