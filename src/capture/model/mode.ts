import { z } from 'zod'
import { CONCEPTS, OBSERVATION_TYPES } from '../../core/memory.ts'

const text = z.string().trim().min(1, 'it is empty')

/** What a model is asked for, as data: one file for each kind of work and language. */
const Mode = z.strictObject({
  system: text.refine((said) => said.includes('<observation>'), 'it does not show the form of an <observation>'),
  initial: text.refine((said) => said.includes('{request}'), 'it does not say where the {request} belongs'),
  continuation: text.refine((said) => said.includes('{request}'), 'it does not say where the {request} belongs'),
  summary: text,
  types: z.array(z.enum(OBSERVATION_TYPES)).min(1),
  concepts: z.array(z.enum(CONCEPTS)).min(1),
})

export type Mode = z.infer<typeof Mode>

export type ModeReadResult = { kind: 'read'; mode: Mode } | { kind: 'unusable'; reason: string }

/** The mode in a TOML file, or what is wrong with it, in words for whoever wrote it. */
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
  return { kind: 'unusable', reason: `${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not usable'}` }
}

/** A text of the mode with what belongs into its places. What is filled in is not looked at again: it may hold braces of its own. */
export function fillPlaceholders(said: string, values: Record<string, string>): string {
  return said.trim().replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place)
}
