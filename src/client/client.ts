/**
 * A client for people who build their own agents: everything the worker can be asked, typed. It runs on Node 20 and on Bun, over the worker's
 * Unix socket, which only its owner can open, so that no token is needed. It knows nothing of the rooms that do the work, and never writes.
 */
import { request } from 'node:http'
import type { Hit } from '../core/hit.ts'
import { type MemoryKind, memoryId } from '../core/memory-kinds.ts'
import { readEnvironment } from '../platform/environment.ts'
import { homePaths } from '../platform/paths.ts'
import { RecollectError } from './error.ts'

export type { Hit } from '../core/hit.ts'
export type { MemoryKind } from '../core/memory-kinds.ts'
export { RecollectError } from './error.ts'
export { type MemoryCommand, type MemoryTool, memoryTool } from './memory-tool.ts'

export type Connection = {
  /** The home of Recollect; without it RECOLLECT_HOME, else ~/.recollect. */
  home?: string
  /** The project that is meant where none is named: its key or a folder of it. Without it the folder the process stands in. */
  project?: string
  timeoutMs?: number
}

export type ClientNote = {
  id: string
  urn: string
  title: string
  body: string
  type: 'procedural' | 'semantic' | 'episodic'
  namespace: string
  scope: 'project' | 'global' | 'local'
  project: string
  tags: string[]
  pinned: boolean
  createdAt: number
  updatedAt: number
  expiresAt: number | null
  deletedAt: number | null
}
export type NewNote = Partial<Pick<ClientNote, 'title' | 'type' | 'namespace' | 'scope' | 'tags' | 'pinned' | 'expiresAt' | 'project'>> & {
  body: string
  supersedes?: string[]
  session?: string
  /** A note of its own, however much it resembles another. */
  apart?: boolean
}
export type NoteChange = Omit<Partial<NewNote>, 'session' | 'apart'> & {
  /** The text that the change was made from: when the note says something else by now it is refused, with the status 409. */
  bodyWas?: string
}
export type Receipt = { kind: 'added' | 'same' | 'restated' | 'updated'; note: ClientNote; superseded?: string[] }
export type Brief = {
  project: string
  text: string
  tokens: number
  /** The memories that are told; the frame and lines that are of none of them are not here. */
  items: { kind: MemoryKind; id: string; tokens: number; why: string }[]
}
export type Item = { kind: MemoryKind; id: string; type: string; title: string; at: number; tokens: number; anchor: boolean }

export type Client = ReturnType<typeof connect>

/** Everything one may ask of a worker that runs (`recollect start`). Each method throws a `RecollectError` when it is not answered. */
export function connect(connection: Connection = {}) {
  const environment = readEnvironment()
  const { socket } = homePaths(connection.home ? { ...environment, home: connection.home } : environment)
  const here = asFolderPath(connection.project ?? process.cwd())
  const timeoutMs = connection.timeoutMs ?? 30_000
  const send = <T>(method: string, path: string, body?: unknown) => ask<T>(socket, timeoutMs, method, path, body)
  const query = (fields: Record<string, string | number | undefined>) =>
    new URLSearchParams(
      Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]])),
    ).toString()
  const within = (project: string | null | undefined) => (project === null ? undefined : (project ?? here))

  return {
    /** Hits for a question, best first. `project: null` looks everywhere. */
    search: async (
      words: string,
      wish: { project?: string | null; kind?: MemoryKind; limit?: number; offset?: number } = {},
    ): Promise<Hit[]> => {
      const asked = { ...wish, query: words, project: within(wish.project) }
      return (await send<{ hits: Hit[] }>('POST', '/api/search', asked)).hits.map(withPrefixedId)
    },
    /** What happened around a memory, a question's best answer or a moment; nothing where nothing is close to the question. */
    timeline: async (
      around: { id: string } | { words: string } | { at: number | string },
      wish: { project?: string; before?: number; after?: number } = {},
    ) => {
      const anchor = 'id' in around ? { anchor: around.id } : 'words' in around ? { query: around.words } : { at: around.at }
      const depth = { depth_before: wish.before, depth_after: wish.after }
      const asked = { ...anchor, ...depth, project: within(wish.project), widen: wish.project === undefined }
      return (await send<{ items: Item[] }>('POST', '/api/timeline', asked)).items.map(withPrefixedId)
    },
    /** Memories in full, by the ids that hits, timelines and briefs have (`#12`, `S3`, `P7`, `N…`); each once, `memory` null where it is not there. */
    get: async (
      ids: string[],
    ): Promise<{ id: string; kind: MemoryKind; title: string | null; project: string | null; memory: Record<string, unknown> | null }[]> =>
      send('POST', '/api/memories/batch', { ids }),
    /** What a session would be told at its start. */
    brief: async (wish: { project?: string; branch?: string; tokens?: number } = {}): Promise<Brief> => {
      const asked = query({ ...wish, format: 'json', project: within(wish.project) })
      const brief = await send<Brief>('GET', `/api/context/inject?${asked}`)
      return { ...brief, items: brief.items.filter(isMemory).map(withPrefixedId) }
    },
    notes: {
      list: async (
        wish: {
          project?: string | null
          namespace?: string
          type?: ClientNote['type']
          hidden?: boolean
          limit?: number
          offset?: number
        } = {},
      ): Promise<ClientNote[]> => {
        const asked = query({ ...wish, hidden: wish.hidden ? '1' : '0', project: within(wish.project) })
        return (await send<{ notes: ClientNote[] }>('GET', `/api/notes?${asked}`)).notes
      },
      get: async (id: string): Promise<ClientNote> => send('GET', `/api/notes/${encodeURIComponent(id)}`),
      /** Keeps a note. What is known already is answered with the note that says it. */
      add: async (note: NewNote): Promise<Receipt> => {
        const project = note.scope === 'global' ? {} : { project: note.project ?? here }
        return send('POST', '/api/notes', { scope: 'project', ...note, ...project })
      },
      change: async (id: string, change: NoteChange): Promise<Receipt> => send('PATCH', `/api/notes/${encodeURIComponent(id)}`, change),
      /** Hides a note; with `hard` it is gone for good. */
      forget: async (id: string, how: { hard?: boolean } = {}): Promise<void> =>
        void (await send('DELETE', `/api/notes/${encodeURIComponent(id)}${how.hard ? '?hard=1' : ''}`)),
      restore: async (id: string): Promise<Receipt> => send('POST', `/api/notes/${encodeURIComponent(id)}/restore`, {}),
    },
    /** Reports a session of your agent as hooks do: what it was asked, which tools it used, what it answered, that it is over. */
    session: (contentSessionId: string, project: string = here) => ({
      prompt: async (text: string): Promise<{ promptNumber: number; skipped: boolean }> =>
        send('POST', '/api/sessions/init', { contentSessionId, project, prompt: text }),
      toolUse: async (use: { name: string; input: unknown; output: unknown; id?: string }): Promise<{ status: string }> => {
        const said = { tool_name: use.name, tool_input: use.input, tool_response: use.output, ...(use.id ? { tool_use_id: use.id } : {}) }
        return send('POST', '/api/sessions/observations', { contentSessionId, project, ...said })
      },
      answer: async (text: string): Promise<{ status: string }> =>
        send('POST', '/api/sessions/summarize', { contentSessionId, last_assistant_message: text }),
      end: async (reason = 'other'): Promise<{ success: boolean }> => send('POST', '/api/sessions/complete', { contentSessionId, reason }),
    }),
    status: async (): Promise<{ version: string; pid: number; port: number; home: string; [more: string]: unknown }> =>
      send('GET', '/api/status'),
  }
}

/** The worker accounts for every line, also for those that tell no single memory. */
const isMemory = ({ kind }: { kind: MemoryKind | 'line' }) => kind !== 'line'

/** Every kind counts its own ids, and a number alone means an observation. */
const withPrefixedId = <M extends { kind: MemoryKind; id: string }>(memory: M): M => ({ ...memory, id: memoryId(memory.kind, memory.id) })

/** A path with a slash at its end is a folder to the worker, also where the clone of that folder has its path for a key. */
const asFolderPath = (project: string) => (project.startsWith('/') ? project.replace(/\/*$/, '/') : project)

function ask<T>(socketPath: string, timeoutMs: number, method: string, path: string, body: unknown): Promise<T> {
  const { promise, resolve, reject } = withResolvers<T>()
  const text = body === undefined ? null : JSON.stringify(body)
  const headers = {
    host: 'worker',
    ...(text === null ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
  }
  const asked = request({ socketPath, method, path, headers }, (answer) => {
    const parts: Buffer[] = []
    answer.on('data', (part: Buffer) => parts.push(part))
    answer.on('error', (cause: Error) => reject(new RecollectError('unreachable', cause.message)))
    answer.on('end', () => {
      const said = Buffer.concat(parts).toString('utf8')
      const status = answer.statusCode ?? 0
      if (status >= 200 && status < 300) resolve(JSON.parse(said) as T)
      else reject(new RecollectError('refused', reasonIn(said) || `the worker answered with ${status}`, status))
    })
  })
  asked.setTimeout(timeoutMs, () => {
    reject(new RecollectError('late', `the worker did not answer within ${timeoutMs} ms`))
    asked.destroy()
  })
  asked.on('error', (cause) =>
    reject(new RecollectError('unreachable', `no worker listens at ${socketPath}; start it with 'recollect start' (${cause.message})`)),
  )
  asked.end(text ?? undefined)
  return promise
}

/** Node 20 has no Promise.withResolvers. */
function withResolvers<T>() {
  let resolve: (value: T) => void = () => {}
  let reject: (cause: Error) => void = () => {}
  const promise = new Promise<T>((done, failed) => {
    resolve = done
    reject = failed
  })
  return { promise, resolve, reject }
}

function reasonIn(body: string): string {
  try {
    return (JSON.parse(body) as { error?: string }).error ?? body
  } catch {
    return body
  }
}
