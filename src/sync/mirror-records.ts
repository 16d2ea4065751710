import { z } from 'zod'
import { MAX_NOTE_BYTES } from '../core/limits.ts'
import { NOTE_SOURCES, NOTE_TYPES, type Note } from '../core/note.ts'

/** One line of a mirror: a version of a note, or, without content, its deletion. */
export type MirrorRecord = z.infer<typeof Head> & { content: z.infer<typeof Content> | null }

/** A record with a later time is ignored until then: it would hide every change that is made before. */
const MAX_CLOCK_DIFFERENCE_MS = 10 * 60_000
/** Escapes can make a line several times as long as the note. */
const MAX_LINE_CHARS = 4 * MAX_NOTE_BYTES

const time = z.number().int().min(0).max(8.64e15)
const recordId = z.string().regex(/^[\w.-]{1,80}$/)
/** A field that is broken or too long counts as empty, so that the rest of the record is still read. */
const optionalText = (max: number) => z.string().max(max).catch('')

const Head = z.object({
  id: recordId,
  updated: time,
  deleted: time.nullable(),
  machine: optionalText(200).default(''),
  author: optionalText(300).default(''),
})
const Content = z.object({
  type: z.enum(NOTE_TYPES),
  title: optionalText(500).default(''),
  tags: z.array(z.string().min(1).max(80)).max(50).catch([]),
  source: z.enum(NOTE_SOURCES).catch('import'),
  confidence: z.number().min(0).max(1).catch(1),
  supersedes: z.array(recordId).max(100).catch([]),
  created: time.catch(0),
  body: z.string().min(1).max(MAX_NOTE_BYTES),
})

/**
 * The newest record for each id. Lines that are not records are ignored. Of two records of the same time the one that sorts last wins, so that every
 * clone chooses the same.
 */
export function newestRecords(lines: string[], now: number): Map<string, MirrorRecord> {
  const newest = new Map<string, MirrorRecord & { line: string }>()
  for (const line of lines) {
    const record = line.length > MAX_LINE_CHARS ? null : parseRecord(line)
    if (!record || record.updated > now + MAX_CLOCK_DIFFERENCE_MS) continue
    const known = newest.get(record.id)
    if (!known || known.updated < record.updated || (known.updated === record.updated && known.line < line))
      newest.set(record.id, { ...record, line })
  }
  return newest
}

function parseRecord(line: string): MirrorRecord | null {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    return null
  }
  const head = Head.safeParse(json)
  if (!head.success) return null
  if (head.data.deleted !== null) return { ...head.data, content: null }
  const content = Content.safeParse(json)
  return content.success ? { ...head.data, content: content.data } : null
}

/** A note as a line. The id comes first, so that sorting groups the lines of one note. */
export function recordOf(note: Note, author: string): string {
  return JSON.stringify({
    id: note.id,
    updated: note.updatedAt,
    deleted: note.deletedAt,
    machine: note.machine,
    author,
    type: note.type,
    title: note.title,
    tags: note.tags,
    source: note.source,
    confidence: note.confidence,
    supersedes: note.supersedes,
    created: note.createdAt,
    body: note.body,
  })
}

export const tombstoneOf = (id: string, at: number, machine: string) => JSON.stringify({ id, updated: at, deleted: at, machine })

/** Whether a line is about one of these notes, without parsing it. */
export const isAbout = (line: string, ids: string[]) => ids.some((id) => line.startsWith(`{"id":"${id}"`))
export const isTombstone = (line: string) => !line.includes('"body":')
