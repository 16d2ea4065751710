import { z } from 'zod'
import { OBSERVATION_TYPES } from '../../core/memory.ts'
import { MEMORY_KINDS, type MemoryKind } from '../../core/memory-kinds.ts'
import { flag, projectName, route, wholeNumber } from './route.ts'

/** A memory as lists show it. */
export type MemoryListItem = {
  kind: MemoryKind
  id: string
  type: string
  title: string
  snippet: string
  project: string
  sessionId: number | null
  at: number
  tokens: number
}
/** `upTo` is the newest document of the list; pass it as `after` to get what arrived later. */
export type FeedResponse = { rows: MemoryListItem[]; upTo: number; total: number | null }
export type DayCount = { day: string; project: string; kind: MemoryKind; count: number }

const listOf = <T extends string>(words: readonly [T, ...T[]]) =>
  z
    .string()
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(z.enum(words)))
    .default([])
const timestamp = () => z.coerce.number<number | string>().int().min(0)

/** @internal */
export const feed = {
  /** List memories of all kinds, newest first. */
  'GET /api/feed': route({
    request: () =>
      z.object({
        project: projectName(),
        kinds: listOf(MEMORY_KINDS).describe('separated by commas'),
        types: listOf(OBSERVATION_TYPES).describe('separated by commas'),
        agent: z.string().max(40).optional(),
        since: timestamp().default(0),
        before: timestamp().default(Number.MAX_SAFE_INTEGER),
        after: timestamp().default(0).describe('only documents that arrived after this one'),
        upTo: timestamp().optional().describe('only documents up to this one'),
        count: flag(true).describe('counting reads the whole list; false saves the time'),
        limit: wholeNumber(100, 200),
        offset: wholeNumber(0, 10_000_000),
      }),
    readOnly: true,
  }).returns<FeedResponse>(),
  /** Count memories by day, project and kind. */
  'GET /api/activity': route({
    request: () =>
      z.object({
        project: projectName(),
        since: timestamp(),
        before: timestamp().default(Number.MAX_SAFE_INTEGER),
        shift: z.coerce
          .number<number | string>()
          .int()
          .min(-1000)
          .max(1000)
          .default(0)
          .describe('minutes that the local clock is ahead of UTC'),
      }),
    readOnly: true,
  }).returns<DayCount[]>(),
}
