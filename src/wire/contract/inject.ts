import { z } from 'zod'
import type { InjectionCandidate, ShownItem } from './memories.ts'
import { route, wholeNumber } from './route.ts'

/** The text a session would be given at its start, or with a prompt, and where each part of it comes from. */
export type InjectResponse = {
  project: string
  branch: string | null
  /** Empty when nothing in memory is worth showing. */
  text: string
  tokens: number
  /** Every line of the text belongs to one of these, and their tokens add up to those of the text. */
  items: ShownItem[]
  /** How many observations had no room. */
  omittedObservations: number
  /** Memories that were considered and are not in the text, with the reason. */
  omitted: InjectionCandidate[]
  /** Why a prompt recalled nothing. */
  message?: string
}

const request = () =>
  z.object({
    project: z.string().optional(),
    branch: z.string().optional(),
    /** A value that is not a number means the largest budget. */
    tokens: z.coerce.number<number | string>().optional().catch(undefined),
    prompt: z.string().optional(),
    k: wholeNumber(8, 200),
    format: z.string().optional(),
  })

/** @internal */
export const inject = {
  /**
   * Get the brief of a project, or with `prompt` what that prompt recalls. JSON with `format=json`, otherwise markdown. `k` is the number of the
   * project's notes to show, besides those that always are.
   */
  'GET /api/context/inject': route({ request, readOnly: true }).returns<InjectResponse, { 400: '`project` is missing' }>(),
  /** The same as `GET /api/context/inject`, for prompts that are too long for an address. */
  'POST /api/context/inject': route({ request, readOnly: true }).returns<InjectResponse, { 400: '`project` is missing' }>(),
}
