import { z } from 'zod'
import { closestName } from '../core/closest-name.ts'
import { shorten } from '../core/text.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { ThrowingCaller } from '../wire/call.ts'

/** The dependencies of a tool. */
export type ToolDeps = {
  worker: ThrowingCaller
  /** The project the client works in: its key or a folder. Null if the client did not say. */
  project: string | null
  now(): number
}

/** Cancellation and progress of one call. */
export type ToolCallContext = { signal: AbortSignal; progress(done: number, of: number, what: string): void }

export type Tool<Arguments extends z.ZodType = z.ZodType> = {
  name: string
  title: string
  description: string
  input: Arguments
  /** Hints that help a client decide whether to ask the person first. */
  hints: { readOnlyHint: boolean; destructiveHint?: boolean; idempotentHint?: boolean; openWorldHint?: boolean }
  /** The model sees its schema in every request. The client may make the model search for the other tools. */
  alwaysLoaded?: boolean
  /** Returns the text for the model. The model gets a `RefusedError` as an error. */
  run(deps: ToolDeps, input: z.infer<Arguments>, call: ToolCallContext): Promise<string>
}

/** Infers the type of a tool's arguments inside its definition; outside, all tools have the same type. */
export const defineTool = <Arguments extends z.ZodType>(definition: Tool<Arguments>) => definition as unknown as Tool

/** An object schema that refuses unknown arguments. If they were ignored, the model would get the answer to a different question. */
export function strictArguments<Shape extends z.ZodRawShape>(shape: Shape) {
  const error: z.core.$ZodErrorMap = (issue) =>
    issue.code === 'unrecognized_keys' ? (issue.keys as string[]).map((key) => unknownArgument(key, shape)).join('; ') : undefined
  return z.strictObject(shape, { error })
}

function unknownArgument(key: string, shape: z.ZodRawShape): string {
  const names = Object.keys(shape)
  // A model may write "causes: true" instead of "ask: causes".
  const owner = names.find((name) => optionsOf(shape[name]).includes(key))
  const suggestion = owner ? `${owner}: "${key}"` : closestName(key.slice(0, 40), names)
  const allowed = names.length > 0 ? `use ${names.join(', ')}` : 'this tool takes none'
  return `unknown argument "${neutralizeText(shorten(key, 40))}"; ${allowed}${suggestion ? `. Did you mean ${suggestion}?` : ''}`
}

function optionsOf(argument: z.core.$ZodType | undefined): string[] {
  if (argument instanceof z.ZodOptional || argument instanceof z.ZodDefault) return optionsOf(argument.unwrap())
  return argument instanceof z.ZodEnum ? argument.options.map(String) : []
}

/** The project to use: the one in the call, else the client's. Null means all projects. */
export function projectFor(deps: ToolDeps, given: string | undefined): string | null {
  return given === 'all' ? null : (given ?? deps.project)
}

/** The project fields of a search request. Without a project in the call, the search widens to all projects if nothing here is close. */
export function searchScope(deps: ToolDeps, given: string | undefined): { project?: string; widen?: true } {
  const project = projectFor(deps, given)
  return project === null ? {} : given === undefined ? { project, widen: true } : { project }
}
