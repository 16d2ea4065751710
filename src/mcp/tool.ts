import { z } from 'zod'
import { nearest } from '../core/nearest.ts'
import { asData } from '../core/neutral.ts'
import { shorten } from '../core/text.ts'
import type { Client } from './client.ts'

/** What a tool has at hand. */
export type Means = {
  client: Client
  /** The project the caller works in: its key or a folder; null when nobody said. */
  project: string | null
  now(): number
}

/** What a call brings along besides its arguments. */
export type Call = { signal: AbortSignal; progress(done: number, of: number, what: string): void }

export type Tool<Arguments extends z.ZodType = z.ZodType> = {
  name: string
  title: string
  description: string
  input: Arguments
  /** What a client may assume without asking a person. */
  hints: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean }
  /** The model sees its schema from the first request on, not only after looking for it. */
  alwaysLoaded?: boolean
  /** The text for the model. A `Refused` becomes an error that the model can read. */
  run(means: Means, given: z.infer<Arguments>, call: Call): Promise<string>
}

/** A tool with its arguments' type kept where it is written, and let go where tools stand in a list. */
export const tool = <Arguments extends z.ZodType>(definition: Tool<Arguments>) => definition as unknown as Tool

/** These arguments and no others: one that is passed over in silence leaves the model with an answer to another question. */
export function taking<Shape extends z.ZodRawShape>(shape: Shape) {
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === 'unrecognized_keys' ? (issue.keys as string[]).map((key) => unknown(key, shape)).join('; ') : undefined
  return z.strictObject(shape, { error })
}

function unknown(key: string, shape: z.ZodRawShape): string {
  const names = Object.keys(shape)
  // "causes: true" where it should be "ask: causes".
  const holder = names.find((name) => optionsOf(shape[name]).includes(key))
  const close = holder ? `${holder}: "${key}"` : nearest(key.slice(0, 40), names)
  const there = names.length > 0 ? `there are ${names.join(', ')}` : 'there are none'
  return `no argument is called "${asData(shorten(key, 40))}"; ${there}${close ? `. Did you mean ${close}?` : ''}`
}

function optionsOf(argument: z.core.$ZodType | undefined): string[] {
  if (argument instanceof z.ZodOptional || argument instanceof z.ZodDefault) return optionsOf(argument.unwrap())
  return argument instanceof z.ZodEnum ? argument.options.map(String) : []
}

/** Where to look: what the call says, else where the caller works. Null is everywhere. */
export function projectFor(means: Means, said: string | undefined): string | null {
  return said === 'all' ? null : (said ?? means.project)
}

/** The same, as a question to the worker says it: where nobody named a project and nothing in this one is close, all are looked at. */
export function placeFor(means: Means, said: string | undefined): { project?: string; widen?: true } {
  const project = projectFor(means, said)
  return project === null ? {} : said === undefined ? { project, widen: true } : { project }
}
