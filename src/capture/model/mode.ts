import { z } from 'zod'
import { CONCEPTS, OBSERVATION_TYPES } from '../../core/memory.ts'

const text = z.string().trim().min(1, 'must not be empty')
const textWithRequest = text.refine((value) => value.includes('{request}'), 'must contain the placeholder {request}')

/** The instructions for a model, as data: one file for each kind of work and language. */
const Mode = z.strictObject({
  system: text.refine((value) => value.includes('<observation>'), 'must show the format of an <observation>'),
  initial: textWithRequest,
  continuation: textWithRequest,
  summary: text,
  types: z.array(z.enum(OBSERVATION_TYPES)).min(1),
  concepts: z.array(z.enum(CONCEPTS)).min(1),
})

export type Mode = z.infer<typeof Mode>

export type ModeReadResult = { kind: 'read'; mode: Mode } | { kind: 'unusable'; reason: string }

/** Parses the TOML of a mode file. `reason` is for the person who wrote the file. */
export function readMode(toml: string): ModeReadResult {
  let parsed: unknown
  try {
    parsed = Bun.TOML.parse(toml)
  } catch (cause) {
    return { kind: 'unusable', reason: `it is not valid TOML (${(cause as Error).message})` }
  }
  const read = Mode.safeParse(parsed)
  if (read.success) return { kind: 'read', mode: read.data }
  const issue = read.error.issues[0]
  return { kind: 'unusable', reason: `${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'is not valid'}` }
}

/** Replaces `{name}` in a text of the mode. Inserted values are not searched again: they may contain braces of their own. */
export function fillPlaceholders(template: string, values: Record<string, string>): string {
  return template.trim().replace(/\{(\w+)\}/g, (placeholder, name: string) => values[name] ?? placeholder)
}
