/**
 * What the viewer asks of the worker and what comes back. The viewer takes only the types from here, so that nothing of this file
 * is in what a browser loads.
 */
import { z } from 'zod'
import type { Entity } from '../core/entities.ts'
import type { Hit, QueryTimeReference } from '../core/hit.ts'
import { OBSERVATION_TYPES, type Observation, type Prompt, type Session, type Summary, type ToolUse } from '../core/memory.ts'
import { MEMORY_KINDS, type MemoryKind } from '../core/memory-kinds.ts'
import type { Note } from '../core/note.ts'
import { reader } from './api.ts'

const wholeNumber = (fallback: number, max: number) => z.coerce.number().int().min(0).max(max).default(fallback)
const listOf = <T extends string>(words: readonly [T, ...T[]]) =>
  z
    .string()
    .transform((text) => text.split(',').filter(Boolean))
    .pipe(z.array(z.enum(words)))
const moment = z.coerce.number().int().min(0)
const projectKey = z.string().trim().toLowerCase().min(1).max(200)

export const readFeedQuery = reader(() =>
  z.object({
    project: z.string().optional(),
    kinds: listOf(MEMORY_KINDS).default([]),
    types: listOf(OBSERVATION_TYPES).default([]),
    agent: z.string().max(40).optional(),
    since: moment.default(0),
    before: moment.default(Number.MAX_SAFE_INTEGER),
    /** Only what came in after this document and up to that one; without it, the newest there is. */
    after: moment.default(0),
    upTo: moment.optional(),
    /** Counting walks the whole list; whoever knows how long it is does without. */
    count: z.enum(['0', '1']).default('1'),
    limit: wholeNumber(100, 200),
    offset: wholeNumber(0, 10_000_000),
  }),
)
export const readSessionsQuery = reader(() =>
  z.object({
    project: z.string().optional(),
    agent: z.string().max(40).optional(),
    limit: wholeNumber(100, 200),
    offset: wholeNumber(0, 10_000_000),
  }),
)
export const readActivityQuery = reader(() =>
  z.object({
    project: z.string().optional(),
    since: moment,
    before: moment.default(Number.MAX_SAFE_INTEGER),
    /** Minutes that the person's clock is ahead of UTC. */
    shift: z.coerce.number().int().min(-1000).max(1000).default(0),
  }),
)
export const readNamedQuery = reader(() =>
  z.object({ kind: z.string().max(20), name: z.string().min(1).max(500), project: z.string().optional(), limit: wholeNumber(24, 100) }),
)
export const readRename = reader(() => z.object({ from: projectKey, to: projectKey, merge: z.boolean().default(false) }))
export const readWipe = reader(() => z.object({ project: projectKey, confirm: projectKey }))
export const readLink = reader(() => z.object({ to: z.string().max(200).default('/feed') }))

/** A memory as a list shows it. */
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
export type Feed = { rows: MemoryListItem[]; upTo: number; total: number | null }

export type ViewerSearchResponse = {
  hits: (MemoryListItem & Pick<Hit, 'score' | 'signals' | 'coverage' | 'also'>)[]
  understood: { word: string; meaning: string }[]
  problems: { word: string; message: string }[]
  time: QueryTimeReference | null
  isClose: boolean
  /** What is to be known of the hits: that none is close. */
  said: string
}

export type SessionListItem = Session & { observations: number; toolUses: number; tokensTold: number; live: boolean }
export type Sessions = { sessions: SessionListItem[]; total: number }

/** A tool use without the whole of what went in and came out. */
export type ClippedUse = ToolUse & { clipped: boolean }
export type InjectionCandidate = { kind: MemoryKind | 'line'; id: number | string; why: string }
export type RecordedInjection = {
  id: number
  sessionId: number | null
  project: string
  event: string
  text: string
  tokens: number
  /** A `line` is no memory: it frames the others, or is gathered from many. Their tokens add up to those of the text. */
  items: (InjectionCandidate & { tokens: number })[]
  left: InjectionCandidate[]
  at: number
}
export type SessionContents = {
  session: Session
  prompts: Prompt[]
  toolUses: ClippedUse[]
  observations: Observation[]
  summaries: Summary[]
  injections: RecordedInjection[]
}

/** One memory in full, whatever it is; `title` is what lists call it, null when it is in none. */
export type MemoryWithTitle = { id: string; title: string | null } & (
  | { kind: 'observation'; memory: Observation | null }
  | { kind: 'summary'; memory: Summary | null }
  | { kind: 'prompt'; memory: Prompt | null }
  | { kind: 'note'; memory: (Note & { urn: string; supersededBy: string[] }) | null }
)

export type NoteVersions = {
  versions: { title: string; body: string; at: number }[]
  older: { id: string; title: string; body: string; at: number }[]
}

export type NeighbourhoodItem = {
  kind: MemoryKind
  ref: string
  type: string
  title: string
  project: string
  at: number
  relation: string
  origin: string
  side: string
}
export type Neighbourhood = {
  memory: Omit<NeighbourhoodItem, 'relation' | 'origin' | 'side'> | null
  items: NeighbourhoodItem[]
  entities: Entity[]
}

export type Project = {
  project: string
  name: string
  sessions: number
  prompts: number
  observations: number
  summaries: number
  notes: number
  firstAt: number | null
  lastAt: number | null
}
export type Day = { day: string; project: string; kind: MemoryKind; count: number }
export type Setting = { name: string; value: unknown; source: string; isSecret: boolean }
export type SettingsInForce = { settings: Setting[]; problems: string[]; file: string }
export type Economy = {
  since: number
  told: { event: string; count: number; tokens: number }[]
  observations: { count: number; tokens: number }
  toolUseBytes: number
  freeBytes: number
}
