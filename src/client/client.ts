/**
 * A client for people who build their own agents: a typed method for each thing that the worker can do for them. It runs on Node 20 and on Bun. It
 * uses the worker's Unix socket, which only its owner can open, so it needs no token. It does not touch the database or the files of the home.
 */
import { cleanText } from '../core/clean-text.ts'
import type { Hit } from '../core/hit.ts'
import { type MemoryKind, memoryId } from '../core/memory-kinds.ts'
import { usablePatterns } from '../core/secrets.ts'
import { readEnvironment } from '../platform/environment.ts'
import { exists } from '../platform/files.ts'
import { homePaths } from '../platform/paths.ts'
import { readPrivacyRules } from '../platform/privacy-rules.ts'
import { httpRequest, openCaller, throwing } from '../wire/call.ts'
import type { CodeMemoriesResponse } from '../wire/contract/code.ts'
import type { ForgetPreview, ForgetReport } from '../wire/contract/forget.ts'
import type { InjectResponse } from '../wire/contract/inject.ts'
import type { MemoryResponse, ShownItem, TimelineItem } from '../wire/contract/memories.ts'
import type { FullNote, NoteReceipt, NoteWithUrn } from '../wire/contract/notes.ts'
import type { CompleteSessionResponse, InitSessionResponse, ReportedResponse, SessionListItem } from '../wire/contract/sessions.ts'
import type { WorkerStatus } from '../wire/contract/status.ts'
import { RecollectError, recollectError } from './error.ts'
import { nodeTransport } from './node-transport.ts'
import { toolText } from './tool-text.ts'

export type { Hit } from '../core/hit.ts'
export type { MemoryKind } from '../core/memory-kinds.ts'
export type { CodeMemoriesResponse, CodeMemory, RememberedDefinition } from '../wire/contract/code.ts'
export type { ForgetPreview, ForgetReport } from '../wire/contract/forget.ts'
export type { MemoryResponse, TimelineItem } from '../wire/contract/memories.ts'
export type { FullNote, NoteReceipt, NoteWithUrn } from '../wire/contract/notes.ts'
export type { SessionListItem } from '../wire/contract/sessions.ts'
export type { WorkerStatus } from '../wire/contract/status.ts'
export { RecollectError } from './error.ts'
export { type MemoryCommand, type MemoryTool, memoryTool } from './memory-tool.ts'

export type Connection = {
  /** The home of Recollect. Default: RECOLLECT_HOME, else ~/.recollect. */
  home?: string
  /** The default project: its key or one of its folders. Default: the current folder. */
  project?: string
  timeoutMs?: number
  /** The name of your program, such as an editor's; sessions that it reports are shown under it. */
  host?: string
}

/** A use of a tool, or something that happened in an editor. */
export type ClientToolUse = {
  name: string
  input: unknown
  output?: unknown
  /** Why it failed; that of a command begins with `Exit code 1` and a new line. */
  error?: string
  id?: string
  /** Starts a turn without a prompt before it, for work without a request in words. */
  newTurn?: boolean
  /** Skips it while an agent works in the same folder, because the agent reports that work itself. */
  unlessAgent?: boolean
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
  const paths = homePaths(connection.home ? { ...environment, home: connection.home } : environment)
  const { socket } = paths
  const timeoutMs = connection.timeoutMs ?? 30_000
  const transport = nodeTransport(socket, timeoutMs)
  const { call, callLines } = throwing(openCaller(transport), (failure) => recollectError(failure, socket, timeoutMs))
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
    /** Deletes memories and sessions by their ids. Without `hard` they can be restored for a while. */
    forget: async (ids: string[], options: { hard?: boolean; fingerprint?: string } = {}): Promise<ForgetReport> => {
      for await (const line of callLines('POST /api/forget', { ids, ...options })) {
        if (line.kind === 'done') return line.report
        if (line.kind === 'failed') throw new RecollectError('refused', line.error)
      }
      throw new RecollectError('unreachable', 'the worker stopped before it had deleted everything')
    },
    /** What `forget` would delete. Its `fingerprint`, passed to `forget`, makes sure that nothing else is. */
    previewForget: async (ids: string[], options: { hard?: boolean } = {}): Promise<ForgetPreview> =>
      call('POST /api/forget/preview', { ids, ...options }),
    /** The memories about the definitions of a file, for an editor. `path` is absolute, or relative to the folder of the project. */
    codeMemories: async (path: string, options: { project?: string; limit?: number } = {}): Promise<CodeMemoriesResponse> =>
      call('GET /api/code/memories', { ...options, path, project: asFolderPath(options.project ?? here) }),
    /** The latest sessions. */
    sessions: async (options: { project?: string | null; limit?: number } = {}): Promise<SessionListItem[]> =>
      (await call('GET /api/sessions', { ...options, project: projectFor(options.project) })).sessions,
    /** Runs a tool of the MCP server, such as `memory_recall`, and returns the text that a model would get. */
    tool: async (name: string, args: object, options: { project?: string } = {}): Promise<string> => {
      const query = new URLSearchParams({ project: options.project ?? here })
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
      const request = { ...httpRequest('ANY /mcp'), method: 'POST', path: `/mcp?${query}`, body: JSON.stringify(message), headers }
      const reply = await transport(request).catch((cause: Error) => {
        const failure =
          cause.name === 'TimeoutError' ? ({ kind: 'late' } as const) : ({ kind: 'unreachable', reason: cause.message } as const)
        throw recollectError(failure, socket, timeoutMs)
      })
      const answer = toolText(await reply.text())
      if (answer.kind === 'refused') throw new RecollectError('refused', answer.reason, reply.status)
      return answer.text
    },
    /**
     * A link that signs one browser in to the viewer, once, within half a minute. `to` is a page such as `/feed`. With `frame`, pages of these
     * origins may show it in a frame.
     */
    viewLink: async (to: string, frame: string[] = []): Promise<string> => (await call('POST /api/view/link', { to, frame })).url,
    /** Reports a session of your agent or editor, as hooks do: its prompts, its tool uses, its answers, its end. */
    session: (contentSessionId: string, project: string = here) => {
      const origin = { contentSessionId, project: asFolderPath(project), host: connection.host }
      return {
        /** Opens the session. While the process `pid` runs, the session is live. */
        open: async (options: { pid?: number } = {}): Promise<InitSessionResponse> =>
          call('POST /api/sessions/init', { ...origin, ...options }),
        prompt: async (text: string): Promise<InitSessionResponse> => call('POST /api/sessions/init', { ...origin, prompt: text }),
        toolUse: async (use: ClientToolUse): Promise<ReportedResponse> =>
          call('POST /api/sessions/observations', {
            ...origin,
            tool_name: use.name,
            tool_input: use.input,
            tool_response: use.output,
            tool_error: use.error,
            tool_use_id: use.id,
            new_turn: use.newTurn === true,
            unless_agent: use.unlessAgent === true,
          }),
        /** Stores the answer and ends the turn, which is then distilled. */
        answer: async (text: string): Promise<ReportedResponse> =>
          call('POST /api/sessions/summarize', { ...origin, last_assistant_message: text }),
        end: async (reason = 'other'): Promise<CompleteSessionResponse> =>
          call('POST /api/sessions/complete', { contentSessionId, reason }),
      }
    },
    /**
     * A text without private parts and secrets, as the worker would store it. Use it for a whole text before you report a part of it, because that
     * part may be inside a private one.
     */
    clean: (text: string): string => {
      const rules = readPrivacyRules(paths)
      if (rules === null) return ''
      return cleanText(text, { redactPatterns: rules.redact ? usablePatterns(rules.patterns) : null }).text
    },
    /** Whether the person has stopped the worker with `recollect stop`, so that a program should not start it again unasked. */
    isStopped: (): boolean => exists(paths.stopped),
    /** Whether a worker answers. */
    isRunning: async (): Promise<boolean> => (await openCaller(transport).call('GET /health')).kind === 'answered',
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
