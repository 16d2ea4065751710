import { z } from 'zod'
import { closestName } from '../core/closest-name.ts'
import { shorten } from '../core/text.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { McpWorkerClient } from './worker-client.ts'

/** What a tool has at hand. */
export type ToolDeps = {
  client: McpWorkerClient
  /** The project the caller works in: its key or a folder; null when nobody said. */
  project: string | null
  now(): number
}

/** What a call brings along besides its arguments. */
export type ToolCallContext = { signal: AbortSignal; progress(done: number, of: number, what: string): void }

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
  run(means: ToolDeps, given: z.infer<Arguments>, call: ToolCallContext): Promise<string>
}

/** A tool with its arguments' type kept where it is written, and let go where tools stand in a list. */
export const defineTool = <Arguments extends z.ZodType>(definition: Tool<Arguments>) => definition as unknown as Tool

/** These arguments and no others: one that is passed over in silence leaves the model with an answer to another question. */
export function strictArguments<Shape extends z.ZodRawShape>(shape: Shape) {
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === 'unrecognized_keys' ? (issue.keys as string[]).map((key) => unknownArgument(key, shape)).join('; ') : undefined
  return z.strictObject(shape, { error })
}

function unknownArgument(key: string, shape: z.ZodRawShape): string {
  const names = Object.keys(shape)
  // "causes: true" where it should be "ask: causes".
  const holder = names.find((name) => optionsOf(shape[name]).includes(key))
  const close = holder ? `${holder}: "${key}"` : closestName(key.slice(0, 40), names)
  const there = names.length > 0 ? `there are ${names.join(', ')}` : 'there are none'
  return `no argument is called "${neutralizeText(shorten(key, 40))}"; ${there}${close ? `. Did you mean ${close}?` : ''}`
}

function optionsOf(argument: z.core.$ZodType | undefined): string[] {
  if (argument instanceof z.ZodOptional || argument instanceof z.ZodDefault) return optionsOf(argument.unwrap())
  return argument instanceof z.ZodEnum ? argument.options.map(String) : []
}

/** Where to look: what the call says, else where the caller works. Null is everywhere. */
export function projectFor(means: ToolDeps, said: string | undefined): string | null {
  return said === 'all' ? null : (said ?? means.project)
}

/** The same, as a question to the worker says it: where nobody named a project and nothing in this one is close, all are looked at. */
export function searchScope(means: ToolDeps, said: string | undefined): { project?: string; widen?: true } {
  const project = projectFor(means, said)
  return project === null ? {} : said === undefined ? { project, widen: true } : { project }
}
