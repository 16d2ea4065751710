import { z } from 'zod'
import { MAX_NOTE_BYTES } from '../core/limits.ts'
import { asNoteId, isNamespace, NOTE_SOURCES, NOTE_STATES, NOTE_TYPES, type NoteText } from '../core/note.ts'
import { once } from '../core/once.ts'
import { isUlid, timeOfUlid } from '../core/ulid.ts'

export type ParsedNote = { kind: 'note'; note: NoteText } | { kind: 'malformed'; reason: string }

/**
 * Parses the text of a note's file. Only id, type and title are required; everything else has a default. Unknown fields are kept line by line,
 * so that writing the note back loses nothing.
 */
export function parseNote(text: string): ParsedNote {
  if (text.length > MAX_NOTE_BYTES) return { kind: 'malformed', reason: `it is larger than ${MAX_NOTE_BYTES / 1024} KB` }
  const parts = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?:^|\r?\n)---[ \t]*(?:\r?\n|$)/.exec(text)
  if (!parts) return { kind: 'malformed', reason: 'it does not start with front matter between two lines of ---' }
  const front = parts[1] ?? ''
  let values: unknown
  try {
    values = Bun.YAML.parse(front)
  } catch (cause) {
    return { kind: 'malformed', reason: `its front matter is not valid YAML (${(cause as Error).message.split('\n')[0]})` }
  }
  const read = FrontMatter().safeParse(values)
  if (!read.success) {
    const issue = read.error.issues[0]
    return { kind: 'malformed', reason: `${issue?.path.join('.') || 'front matter'}: ${issue?.message ?? 'not valid'}` }
  }
  const f = read.data
  const fallback = isUlid(f.id) ? timeOfUlid(f.id) : 0
  const body = text
    .slice(parts[0].length)
    .replace(/^\r?\n/, '')
    .toWellFormed()
  return {
    kind: 'note',
    note: {
      id: asNoteId(f.id),
      type: f.type,
      title: f.title,
      namespace: f.namespace,
      tags: f.tags,
      createdAt: f.created ?? fallback,
      updatedAt: f.updated ?? f.created ?? fallback,
      machine: f.machine,
      source: f.source,
      author: f.written_by,
      session: f.session,
      model: f.model,
      confidence: f.confidence,
      supersedes: f.supersedes.map(asNoteId),
      conflictOf: f.conflict_of === null ? null : asNoteId(f.conflict_of),
      state: f.state,
      said: f.said,
      pinned: f.pinned,
      expiresAt: f.expires,
      deletedAt: f.deleted,
      body: withoutFinalLineBreak(normalizeLineBreaks(body)),
      unknown: unknownLines(front),
    },
  }
}

/** The text of a note's file. Fields have a fixed order and defaults are omitted, so the same note gives the same bytes on every machine. */
export function writeNote(note: NoteText): string {
  const lines = [
    `id: ${scalar(note.id)}`,
    `type: ${note.type}`,
    `title: ${scalar(note.title)}`,
    `namespace: ${note.namespace}`,
    ...list('tags', note.tags),
    `created: ${date(note.createdAt)}`,
    `updated: ${date(note.updatedAt)}`,
    ...(note.machine ? [`machine: ${scalar(note.machine)}`] : []),
    `source: ${note.source}`,
    ...(note.author !== null ? [`written_by: ${scalar(note.author)}`] : []),
    ...(note.session !== null ? [`session: ${scalar(note.session)}`] : []),
    ...(note.model !== null ? [`model: ${scalar(note.model)}`] : []),
    ...(note.confidence !== 1 ? [`confidence: ${note.confidence}`] : []),
    ...list('supersedes', note.supersedes),
    ...(note.conflictOf !== null ? [`conflict_of: ${scalar(note.conflictOf)}`] : []),
    ...(note.state !== 'accepted' ? [`state: ${note.state}`] : []),
    ...list('said', note.said),
    ...(note.pinned ? ['pinned: true'] : []),
    ...(note.expiresAt !== null ? [`expires: ${date(note.expiresAt)}`] : []),
    ...(note.deletedAt !== null ? [`deleted: ${date(note.deletedAt)}`] : []),
    ...unknownLines(note.unknown.join('\n')),
  ]
  const body = normalizeLineBreaks(note.body)
  return `---\n${lines.join('\n')}\n---\n\n${body}${body === '' ? '' : '\n'}`
}

/** Uses one kind of line break, or the same note would differ between systems. */
const normalizeLineBreaks = (body: string) => body.replace(/\r\n?/g, '\n')

/** The line break at the end of a file is not part of the body. */
const withoutFinalLineBreak = (body: string) => body.replace(/\n$/, '')

const text = (max: number) => z.union([z.string(), z.number(), z.boolean()]).transform(String).pipe(z.string().max(max))
const names = () =>
  z
    .union([z.null().transform(() => []), text(200).transform((one) => [one]), z.array(text(200)).max(1000)])
    .default([])
    .transform((all) => [...new Set(all.map((one) => one.trim()).filter(Boolean))])
const timestamp = () =>
  z
    .union([z.null(), z.string(), z.number(), z.date()])
    .default(null)
    .transform((given, context) => {
      if (given === null || given === '') return null
      const at = new Date(given).getTime()
      if (Number.isFinite(at) && Math.abs(at) <= 8.64e15) return at
      context.addIssue({ code: 'custom', message: `"${given}" is not a date` })
      return z.NEVER
    })
const optional = () => z.union([z.null(), text(500)]).default(null)

const FrontMatter = once(() =>
  z.object({
    id: text(80).pipe(z.string().regex(/^[\w.-]{1,80}$/, 'use only letters, digits, dots, dashes and underscores')),
    type: z.enum(NOTE_TYPES),
    title: text(500).pipe(z.string().trim().min(1)),
    namespace: text(40).pipe(z.string().refine(isNamespace, 'use only lower-case letters, digits and dashes')).default('context'),
    tags: names(),
    created: timestamp(),
    updated: timestamp(),
    machine: text(200).default(''),
    source: z.enum(NOTE_SOURCES).default('human'),
    written_by: optional(),
    session: optional(),
    model: optional(),
    confidence: z.number().min(0).max(1).default(1),
    supersedes: names(),
    conflict_of: optional(),
    state: z.enum(NOTE_STATES).default('accepted'),
    said: names(),
    pinned: z.boolean().default(false),
    expires: timestamp(),
    deleted: timestamp(),
  }),
)

const knownFields = once(() => new Set(Object.keys(FrontMatter().shape)))

/** The lines of every unknown field, with its indented lines and the comments before it. */
function unknownLines(front: string): string[] {
  const kept: string[] = []
  let comments: string[] = []
  let isUnknownField = false
  for (const line of front.split(/\r?\n/)) {
    const field = /^(?:"([^"]+)"|'([^']+)'|([^\s#'"[{][^:]*?))[ \t]*:(?:\s|$)/.exec(line)
    if (field) {
      isUnknownField = !knownFields().has(field[1] ?? field[2] ?? field[3] ?? '')
      if (isUnknownField) kept.push(...comments, line)
      comments = []
    } else if (line.startsWith('#')) {
      comments.push(line)
    } else if (isUnknownField && line.trim() !== '' && !line.startsWith('---')) {
      kept.push(...comments, line)
      comments = []
    }
  }
  return [...kept, ...comments]
}

const date = (at: number) => new Date(at).toISOString()

function list(name: string, values: string[]): string[] {
  return values.length > 0 ? [`${name}: [${values.map(item).join(', ')}]`] : []
}

/** An unquoted word if YAML reads it back as the same text; otherwise a JSON string, which is also valid YAML. */
function scalar(value: string): string {
  return PLAIN.test(value) && !SPECIAL.test(value) && !value.endsWith(' ') ? value : quoted(value)
}

const item = (value: string) => (/^[A-Za-z_][\w./-]*$/.test(value) && !SPECIAL.test(value) ? value : quoted(value))

/** Also escapes a few characters that JSON leaves as they are but YAML treats as line breaks. */
const quoted = (value: string) =>
  JSON.stringify(value).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

const PLAIN = /^[\p{L}_][\p{L}\p{N} _./(),+'!?-]*$/u
/** Words that YAML does not read as text. */
const SPECIAL = /^(?:true|false|yes|no|on|off|y|n|null|nan|inf|~)$/i
