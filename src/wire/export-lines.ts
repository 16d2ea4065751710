import { z } from 'zod'
import { AGENT_NAMES } from '../core/agent.ts'
import { asProjectKey } from '../core/ids.ts'
import { OBSERVATION_TYPES } from '../core/memory.ts'
import { asNoteId, isNamespace, NOTE_SCOPES, NOTE_SOURCES, NOTE_STATES, NOTE_TYPES, type Note, type NoteText } from '../core/note.ts'

/** One line that `export` wrote, as `import` reads it. */
export type ExportedLine =
  | { kind: 'note'; note: Omit<Note, 'path'> }
  | ({ kind: 'session' } & z.infer<typeof SessionLine>)
  | ({ kind: 'prompt' } & z.infer<typeof PromptLine>)
  | ({ kind: 'observation' } & z.infer<typeof ObservationLine>)
  | ({ kind: 'summary' } & z.infer<typeof SummaryLine>)
  /** Not imported: observations and summaries already say what matters about them. */
  | { kind: 'tool-use' }
  /** Not imported: they are in the repository. */
  | { kind: 'commit' }

/** Recognises the kind of a line by its fields; null when it is not a line of an export. */
export function readExportedLine(json: unknown): ExportedLine | null {
  if (typeof json !== 'object' || json === null) return null
  if ('toolUseId' in json) return { kind: 'tool-use' }
  if ('hash' in json && 'subject' in json) return { kind: 'commit' }
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
const optionalTime = at.nullable().default(null)
const optionalText = z.string().default('')
const optionalList = z.array(z.string()).default([])
const sessionFields = { sessionId: name, agent: z.enum(AGENT_NAMES), project: name }

const SessionLine = z.object({
  ...sessionFields,
  folder: z.string(),
  branch: z.string().nullable().default(null),
  title: z.string().nullable().default(null),
  host: z.string().max(200).nullable().default(null),
  startedAt: at,
  lastEventAt: at,
  endedAt: optionalTime,
})
const PromptLine = z.object({
  ...sessionFields,
  origin: z.enum(['person', 'machine']),
  text: z.string().min(1),
  answer: z.string().nullable().default(null),
  at,
  answeredAt: optionalTime,
})
const ObservationLine = z.object({
  ...sessionFields,
  promptNumber: z.number().int().min(0),
  type: z.enum(OBSERVATION_TYPES),
  title: name.max(2000),
  subtitle: optionalText,
  narrative: optionalText,
  facts: optionalList,
  concepts: optionalList,
  tags: optionalList,
  filesRead: optionalList,
  filesModified: optionalList,
  tool: z.string().nullable().default(null),
  model: optionalText,
  at,
})
const SummaryLine = z.object({
  ...sessionFields,
  promptNumber: z.number().int().min(0),
  source: z.enum(['turn', 'compact', 'subagent']),
  request: optionalText,
  investigated: optionalText,
  learned: optionalText,
  completed: optionalText,
  nextSteps: optionalText,
  notes: optionalText,
  model: optionalText,
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
  machine: optionalText,
  source: z.enum(NOTE_SOURCES),
  author: z.string().max(500).nullable().default(null),
  session: z.string().max(500).nullable().default(null),
  model: z.string().max(500).nullable().default(null),
  confidence: z.number().min(0).max(1),
  supersedes: z.array(noteId),
  conflictOf: noteId.nullable().default(null),
  state: z.enum(NOTE_STATES).default('accepted'),
  said: z.array(z.string().max(200)).max(1000).default([]),
  pinned: z.boolean(),
  expiresAt: optionalTime,
  deletedAt: optionalTime,
  body: z.string(),
  // A line break inside would be read back as another field of the front matter.
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
