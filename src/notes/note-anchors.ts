import { z } from 'zod'
import { type Anchor, isCommitHash } from '../core/anchor.ts'
import type { Note } from '../core/note.ts'
import type { Verification } from '../store/store.ts'

/**
 * The code that a note speaks of, from the field `anchors` of its front matter. Others write notes too: an entry that is not valid is left out.
 */
export function anchorsOfNote({ unknown }: Pick<Note, 'unknown'>): Anchor[] {
  const lines = fieldLines(unknown, 'anchors')
  if (lines.length === 0) return []
  return parseEntries(lines).flatMap((entry) => {
    const read = Entry.safeParse(entry)
    if (!read.success) return []
    const { commit, branch, ...rest } = read.data
    return [{ ...rest, commit: commit && isCommitHash(commit) ? commit : null, branch }]
  })
}

/** The note with these anchors, or with none. */
export function withAnchors<N extends Pick<Note, 'unknown'>>(note: N, anchors: Anchor[]): N {
  const others = withoutField(note.unknown, 'anchors')
  const lines = anchors.slice(0, MAX_ANCHORS).map((anchor) => `  - ${flowMap(anchor)}`)
  return { ...note, unknown: lines.length === 0 ? others : [...others, 'anchors:', ...lines] }
}

/** The time and commit at which a note was confirmed; null if it was not. */
export function verificationOfNote({ unknown }: Pick<Note, 'unknown'>): Verification | null {
  const [line] = fieldLines(unknown, 'verified')
  const [, day, commit] = /^verified:\s*"?(\d{4}-\d\d-\d\dT[\d:.]+Z)(?: ([0-9a-f]{7,64}))?"?\s*$/.exec(line ?? '') ?? []
  return day === undefined ? null : { at: Date.parse(day), commit: commit ?? null }
}

export function withVerification<N extends Pick<Note, 'unknown'>>(note: N, { at, commit }: Verification): N {
  const line = `verified: "${new Date(at).toISOString()}${commit === null ? '' : ` ${commit}`}"`
  return { ...note, unknown: [...withoutField(note.unknown, 'verified'), line] }
}

const MAX_ANCHORS = 12

const Entry = z.object({
  path: z.string().min(1).max(1000),
  name: z.string().max(500).nullable().default(null),
  signature: z.string().max(64).default(''),
  sketch: z.string().max(200).default(''),
  header: z.string().max(64).default(''),
  commit: z.string().max(64).nullable().default(null),
  branch: z.string().max(300).nullable().default(null),
})

/** Written as JSON, which is also valid YAML. */
const flowMap = ({ path, name, signature, sketch, header, commit, branch }: Anchor) =>
  JSON.stringify({
    path,
    ...(name === null ? {} : { name, signature, sketch, header }),
    ...(commit && { commit }),
    ...(branch && { branch }),
  })

function parseEntries(lines: string[]): unknown[] {
  try {
    const read: unknown = Bun.YAML.parse(lines.join('\n'))
    const entries = typeof read === 'object' && read !== null && 'anchors' in read ? read.anchors : []
    return Array.isArray(entries) ? entries.slice(0, MAX_ANCHORS) : []
  } catch {
    return []
  }
}

/** A field with its indented lines. */
function fieldLines(lines: string[], field: string): string[] {
  const start = lines.findIndex((line) => line.startsWith(`${field}:`))
  if (start < 0) return []
  const end = lines.findIndex((line, index) => index > start && !/^\s/.test(line))
  return lines.slice(start, end < 0 ? undefined : end)
}

function withoutField(lines: string[], field: string): string[] {
  const own = new Set(fieldLines(lines, field))
  return lines.filter((line) => !own.has(line))
}
