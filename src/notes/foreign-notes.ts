import { basename } from 'node:path'
import { z } from 'zod'
import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { asNoteId, NOTE_SOURCES, NOTE_TYPES, type NoteId } from '../core/note.ts'
import { firstLine } from '../core/text.ts'
import { ulidOf } from '../core/ulid.ts'
import type { NoteDraft } from './notes.ts'

type ForeignNoteDraft = NoteDraft & { id: NoteId }

/** Reads a note of Anamnesis: YAML front matter with an id, a type and a title. Returns the reason if the text is not one. */
export function readAnamnesis(text: string): ForeignNoteDraft | string {
  const parts = FRONT_MATTER.exec(text)
  if (!parts) return 'it does not start with front matter between two lines of ---'
  let values: unknown
  try {
    values = Bun.YAML.parse(parts[1] ?? '')
  } catch (cause) {
    return `its front matter is not valid YAML (${(cause as Error).message.split('\n')[0]})`
  }
  const read = Anamnesis.safeParse(values)
  if (!read.success) return `${read.error.issues[0]?.path.join('.') || 'front matter'}: ${read.error.issues[0]?.message ?? 'not valid'}`
  const f = read.data
  const from = f.provenance
  const createdAt = parseTimestamp(f.created_at) ?? parseTimestamp(f.updated_at)
  const project = asProjectKey((f.project || 'global').toLowerCase())
  return {
    id: asNoteId(/^[\w.-]{1,80}$/.test(f.id) ? f.id : ulidOf(`anamnesis\n${f.id}`, 0)),
    type: f.type,
    title: f.title,
    body: text.slice(parts[0].length).trim(),
    project,
    scope: f.scope === 'machine-local' ? 'local' : project === GLOBAL_PROJECT ? 'global' : 'project',
    namespace: f.type === 'episodic' ? 'sessions' : 'context',
    tags: f.tags,
    source: f.prov_source ?? from?.source ?? 'import',
    session: f.prov_session || from?.session || null,
    model: f.prov_model || from?.model || null,
    confidence: f.confidence ?? from?.confidence ?? 1,
    supersedes: f.supersedes.map(asNoteId),
    ...(f.machine_id ? { machine: f.machine_id } : {}),
    ...(createdAt === null ? {} : { createdAt, updatedAt: parseTimestamp(f.updated_at) ?? createdAt }),
  }
}

/** Reads any markdown file as a note. The title is the first heading or the file name. Null if the file has no text. */
export function readMarkdown(folder: string, path: string, text: string, project: ProjectKey, changedAt: number): ForeignNoteDraft | null {
  const parts = FRONT_MATTER.exec(text)
  const body = (parts ? text.slice(parts[0].length) : text).trim()
  if (!/[\p{L}\p{N}]/u.test(body)) return null
  const heading = /^#\s+(.+?)\s*#*$/m.exec(body)?.[1]
  return {
    // The id includes the folder's name, because every project has a README.md.
    id: asNoteId(ulidOf(`markdown\n${basename(folder)}\n${path}`, 0)),
    type: 'semantic',
    title: firstLine(
      heading ??
        basename(path)
          .replace(/\.(?:md|markdown)$/i, '')
          .replace(/[-_]+/g, ' '),
      200,
    ),
    body,
    project,
    namespace: 'context',
    source: 'import',
    tags: [],
    createdAt: Math.floor(changedAt),
    updatedAt: Math.floor(changedAt),
  }
}

const FRONT_MATTER = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/

const words = z.union([z.string(), z.number()]).transform(String)
const maybe = words.nullish().transform((value) => value ?? '')
const source = z.enum(NOTE_SOURCES).optional().catch(undefined)
const date = z.union([z.string(), z.number(), z.date()]).nullish()
const names = z
  .union([z.null().transform(() => []), words.transform((one) => one.split(',')), z.array(words)])
  .default([])
  .transform((all) => all.map((one) => one.trim()).filter(Boolean))

/** The provenance fields are either at the top level or below `provenance`. */
const Anamnesis = z.object({
  id: words.pipe(z.string().min(1).max(200)),
  type: z.enum(NOTE_TYPES),
  title: words.pipe(z.string().trim().min(1).max(500)),
  project: maybe,
  scope: maybe,
  machine_id: maybe,
  tags: names,
  created_at: date,
  updated_at: date,
  supersedes: names,
  confidence: z.number().min(0).max(1).optional().catch(undefined),
  prov_source: source,
  prov_session: maybe,
  prov_model: maybe,
  provenance: z
    .object({ source, session: maybe, model: maybe, confidence: z.number().min(0).max(1).optional().catch(undefined) })
    .optional()
    .catch(undefined),
})

function parseTimestamp(value: z.infer<typeof date>): number | null {
  const at = value === null || value === undefined || value === '' ? Number.NaN : new Date(value).getTime()
  return Number.isFinite(at) ? at : null
}
