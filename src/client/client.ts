/**
 * A client for people who build their own agents: a typed method for each thing that the worker can do for them. It runs on Node 20 and on Bun. It
 * uses the worker's Unix socket, which only its owner can open, so it needs no token. It does not touch the database or the files of the home.
 */
import type { Hit } from '../core/hit.ts'
import { type MemoryKind, memoryId } from '../core/memory-kinds.ts'
import { readEnvironment } from '../platform/environment.ts'
import { homePaths } from '../platform/paths.ts'
import { openCaller, throwing } from '../wire/call.ts'
import type { InjectResponse } from '../wire/contract/inject.ts'
import type { MemoryResponse, ShownItem, TimelineItem } from '../wire/contract/memories.ts'
import type { FullNote, NoteReceipt, NoteWithUrn } from '../wire/contract/notes.ts'
import type { CompleteSessionResponse, InitSessionResponse, ReportedResponse } from '../wire/contract/sessions.ts'
import type { WorkerStatus } from '../wire/contract/status.ts'
import { recollectError } from './error.ts'
import { nodeTransport } from './node-transport.ts'

export type { Hit } from '../core/hit.ts'
export type { MemoryKind } from '../core/memory-kinds.ts'
export type { MemoryResponse, TimelineItem } from '../wire/contract/memories.ts'
export type { FullNote, NoteReceipt, NoteWithUrn } from '../wire/contract/notes.ts'
export type { WorkerStatus } from '../wire/contract/status.ts'
export { RecollectError } from './error.ts'
export { type MemoryCommand, type MemoryTool, memoryTool } from './memory-tool.ts'

export type Connection = {
  /** The home of Recollect. Default: RECOLLECT_HOME, else ~/.recollect. */
  home?: string
  /** The default project: its key or one of its folders. Default: the current folder. */
  project?: string
  timeoutMs?: number
}

/** The fields of a note that callers may set. */
type NoteFields = Partial<Pick<NoteWithUrn, 'title' | 'type' | 'namespace' | 'scope' | 'tags' | 'pinned' | 'expiresAt'>> & {
  project?: string
  /** Ids of notes that this one replaces. */
  supersedes?: string[]
}
export type NewNote = NoteFields & {
  body: string
  session?: string
  /** Saves the note even if an existing one says the same. */
  apart?: boolean
}
export type NoteChange = NoteFields & {
  body?: string
  /** The text that the change was made from. If the note has another text by now, the change is refused with the status 409. */
  bodyWas?: string
}
export type Brief = Pick<InjectResponse, 'project' | 'text' | 'tokens'> & {
  /** The memories in the text; lines that frame them or sum up many are not listed. */
  items: { kind: MemoryKind; id: string; tokens: number; why: string }[]
}

export type Client = ReturnType<typeof connect>

/** Connects to a running worker (`recollect start`). Each method throws a `RecollectError` when the call fails. */
export function connect(connection: Connection = {}) {
  const environment = readEnvironment()
  const { socket } = homePaths(connection.home ? { ...environment, home: connection.home } : environment)
  const timeoutMs = connection.timeoutMs ?? 30_000
  const { call } = throwing(openCaller(nodeTransport(socket, timeoutMs)), (failure) => recollectError(failure, socket, timeoutMs))
  const here = asFolderPath(connection.project ?? process.cwd())
  const projectFor = (project: string | null | undefined) => (project === null ? undefined : (project ?? here))

  return {
    /** Hits for a query, best first. `project: null` searches all projects. */
    search: async (
      query: string,
      options: { project?: string | null; kind?: MemoryKind; limit?: number; offset?: number } = {},
    ): Promise<Hit[]> => {
      const { hits } = await call('POST /api/search', { ...options, query, project: projectFor(options.project) })
      return hits.map(withPrefixedId)
    },
    /** What happened around a memory, the best hit of a query, or a time. Empty when nothing is close to the query. */
    timeline: async (
      around: { id: string } | { words: string } | { at: number | string },
      options: { project?: string; before?: number; after?: number } = {},
    ): Promise<TimelineItem[]> => {
      const anchor = 'id' in around ? { anchor: around.id } : 'words' in around ? { query: around.words } : { at: around.at }
      const { items } = await call('POST /api/timeline', {
        ...anchor,
        depth_before: options.before,
        depth_after: options.after,
        project: projectFor(options.project),
        widen: options.project === undefined,
      })
      return items.map(withPrefixedId)
    },
    /** Memories by the ids of hits, timelines and briefs (`#12`, `S3`, `P7`, `N…`), each once; `memory` is null when it does not exist. */
    get: async (ids: string[]): Promise<MemoryResponse[]> => call('POST /api/memories/batch', { ids }),
    /** The text that a session would get at its start. */
    brief: async (options: { project?: string; branch?: string; tokens?: number } = {}): Promise<Brief> => {
      const request = { ...options, format: 'json', project: projectFor(options.project) }
      const { project, text, tokens, items } = await call('GET /api/context/inject', request)
      return { project, text, tokens, items: items.flatMap(briefItem) }
    },
    notes: {
      list: async (
        options: {
          project?: string | null
          namespace?: string
          type?: NoteWithUrn['type']
          hidden?: boolean
          limit?: number
          offset?: number
        } = {},
      ): Promise<NoteWithUrn[]> => (await call('GET /api/notes', { ...options, project: projectFor(options.project) })).notes,
      get: async (id: string): Promise<FullNote> => call('GET /api/notes/:id', { id }),
      /** Saves a note. If an existing note says the same, the receipt has that one. */
      add: async (note: NewNote): Promise<NoteReceipt> => {
        const project = note.scope === 'global' ? {} : { project: note.project ?? here }
        return call('POST /api/notes', { scope: 'project', ...note, ...project })
      },
      change: async (id: string, change: NoteChange): Promise<NoteReceipt> => call('PATCH /api/notes/:id', { ...change, id }),
      /** Hides a note; with `hard` deletes it for good. */
      forget: async (id: string, options: { hard?: boolean } = {}): Promise<void> =>
        void (await call('DELETE /api/notes/:id', { id, hard: options.hard === true })),
      restore: async (id: string): Promise<NoteReceipt> => call('POST /api/notes/:id/restore', { id }),
    },
    /** Reports a session of your agent, as hooks do: its prompts, its tool uses, its answers, its end. */
    session: (contentSessionId: string, project: string = here) => ({
      prompt: async (text: string): Promise<InitSessionResponse> =>
        call('POST /api/sessions/init', { contentSessionId, project, prompt: text }),
      toolUse: async (use: { name: string; input: unknown; output: unknown; id?: string }): Promise<ReportedResponse> =>
        call('POST /api/sessions/observations', {
          contentSessionId,
          project,
          tool_name: use.name,
          tool_input: use.input,
          tool_response: use.output,
          tool_use_id: use.id,
        }),
      answer: async (text: string): Promise<ReportedResponse> =>
        call('POST /api/sessions/summarize', { contentSessionId, last_assistant_message: text }),
      end: async (reason = 'other'): Promise<CompleteSessionResponse> => call('POST /api/sessions/complete', { contentSessionId, reason }),
    }),
    status: async (): Promise<WorkerStatus> => call('GET /api/status'),
  }
}

/** A path that ends with a slash is always a folder to the worker, even if another project has the same path as its key. */
const asFolderPath = (project: string) => (project.startsWith('/') ? project.replace(/\/*$/, '/') : project)

/** Numbers are unique only within a kind, so ids get the letter of their kind. */
const withPrefixedId = <M extends { kind: MemoryKind; id: string }>(memory: M): M => ({ ...memory, id: memoryId(memory.kind, memory.id) })

function briefItem({ kind, id, tokens, why }: ShownItem): Brief['items'] {
  return kind === 'line' ? [] : [{ kind, id: memoryId(kind, id), tokens, why }]
}
