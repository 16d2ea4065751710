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
/** A memory that a turn led to. */
export type FeedMemory = { kind: MemoryKind; id: string; type: string; title: string }
/** A turn as people read it: what was asked, what came of it, and which memories it led to. */
export type FeedTurn = {
  turn: number
  /** The id of its prompt; null when only memories of the turn are known. */
  promptId: number | null
  origin: 'person' | 'machine'
  at: number
  request: string
  /** The conclusion of the answer, in its own words; empty until the answer arrives. */
  outcome: string
  /** Whether the answer says that something is now decided. */
  isSettled: boolean
  /** The id of the prompt whose result replaced this one. */
  replacedBy: string | null
  /** The id of the prompt or commit that undid its changes. */
  undoneBy: string | null
  memories: FeedMemory[]
  /** How many more memories it has. */
  moreMemories: number
}
/** The turns of a session on one day, oldest first. */
export type FeedSession = {
  sessionId: number
  title: string
  project: string
  agent: string
  /** The program that reported the session, in its own words; null when that is the agent itself. */
  host: string | null
  branch: string | null
  live: boolean
  from: number
  to: number
  turns: FeedTurn[]
  /** How many earlier turns of that day are left out. */
  earlierTurns: number
}
/** Notes that belong to no session of this home. */
export type FeedNote = FeedMemory & { text: string; project: string; at: number }
export type FeedDay = { day: string; sessions: FeedSession[]; notes: FeedNote[] }
/** Whole days, newest first. Pass `next` as `before` for the days before; null at the end. */
export type FeedDays = { days: FeedDay[]; next: number | null; upTo: number }
export type DayCount = { day: string; project: string; kind: MemoryKind; count: number }

const listOf = <T extends string>(words: readonly [T, ...T[]]) =>
  z
    .string()
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(z.enum(words)))
    .default([])
const timestamp = () => z.coerce.number<number | string>().int().min(0)
const shift = () =>
  z.coerce.number<number | string>().int().min(-1000).max(1000).default(0).describe('minutes that the local clock is ahead of UTC')

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
  /** List sessions by day with their turns, newest day first. */
  'GET /api/feed/days': route({
    request: () =>
      z.object({
        project: projectName(),
        agent: z.string().max(40).optional(),
        before: timestamp().default(Number.MAX_SAFE_INTEGER),
        shift: shift(),
        limit: wholeNumber(12, 100).describe('how many sessions at least; days are never divided'),
      }),
    readOnly: true,
  }).returns<FeedDays>(),
  /** Count memories by day, project and kind. */
  'GET /api/activity': route({
    request: () =>
      z.object({
        project: projectName(),
        since: timestamp(),
        before: timestamp().default(Number.MAX_SAFE_INTEGER),
        shift: shift(),
      }),
    readOnly: true,
  }).returns<DayCount[]>(),
}
