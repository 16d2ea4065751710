import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import type { Session } from '../core/memory.ts'
import { shortMemoryId } from '../core/memory-kinds.ts'
import { NOTE_SCOPES, noteUrn, parseNoteId } from '../core/note.ts'
import type { NoteWithUrn } from '../wire/contract/notes.ts'
import type { SessionContents } from '../wire/contract/sessions.ts'
import { dataBlock, noteLines, oneLine, sessionLine, summaryLines } from './memory-text.ts'
import type { ToolDeps } from './tool.ts'
import { RefusedError } from './worker-client.ts'

const MARKDOWN = 'text/markdown'
const MAX_LISTED_NOTES = 50
const MAX_LISTED_SESSIONS = 20

export const sessionUri = (id: number) => `recollect://session/${id}`
export const BRIEF_URI = 'recollect://brief'

/** Notes, sessions and briefs as resources that a client reads by their addresses. */
export function addResources(server: McpServer, deps: ToolDeps): void {
  const contents = (uri: URL, text: string) => ({ contents: [{ uri: uri.href, mimeType: MARKDOWN, text }] })

  server.registerResource(
    'brief',
    BRIEF_URI,
    { title: 'Brief', description: 'The brief that a session in this project starts with.', mimeType: MARKDOWN },
    async (uri) => contents(uri, await briefText(deps, deps.project)),
  )
  server.registerResource(
    'brief-of-project',
    new ResourceTemplate('recollect://brief/{project}', { list: undefined, complete: { project: (start) => projects(deps, start) } }),
    { title: 'Brief of a project', description: 'The brief that a session in that project starts with.', mimeType: MARKDOWN },
    async (uri, { project }) => contents(uri, await orResourceNotFound(uri, briefText(deps, decodeUriPart(uri, project)))),
  )
  server.registerResource(
    'note',
    new ResourceTemplate('recollect://{scope}/{namespace}/{id}', {
      list: async () => ({ resources: (await notes(deps)).map(listedNote) }),
      complete: {
        scope: (start) => NOTE_SCOPES.filter((scope) => scope.startsWith(start)),
        namespace: async (start) =>
          [...new Set((await notes(deps)).map((note) => note.namespace))].filter((name) => name.startsWith(start)),
        id: async (start) => (await notes(deps)).map((note) => note.id).filter((id) => id.startsWith(start)),
      },
    }),
    { title: 'Note', description: 'The full text of a note.', mimeType: MARKDOWN },
    async (uri, { id }) => {
      const note = parseNoteId(decodeUriPart(uri, id))
      if (!note) throw new ResourceNotFoundError(uri.href)
      const memory = await orResourceNotFound(uri, deps.worker.call('GET /api/notes/:id', { id: note }))
      if (memory.urn !== uri.href) throw new ResourceNotFoundError(uri.href)
      return contents(uri, dataBlock('from="note"', noteLines(memory, deps.now())))
    },
  )
  server.registerResource(
    'session',
    new ResourceTemplate('recollect://session/{id}', {
      list: async () => ({ resources: (await sessions(deps)).map(listedSession) }),
      complete: { id: async (start) => (await sessions(deps)).map(({ id }) => String(id)).filter((id) => id.startsWith(start)) },
    }),
    { title: 'Session', description: 'The prompts, observations and last summary of a session.', mimeType: MARKDOWN },
    async (uri, { id }) => {
      if (typeof id !== 'string' || !/^\d{1,15}$/.test(id)) throw new ResourceNotFoundError(uri.href)
      const session = await orResourceNotFound(uri, deps.worker.call('GET /api/sessions/:id', { id }))
      return contents(uri, sessionText(session, deps.now()))
    },
  )
}

function sessionText({ session, prompts, observations, summaries }: SessionContents, now: number): string {
  const promptLines = prompts.filter((prompt) => prompt.origin === 'person').map((prompt) => `P${prompt.id} | ${oneLine(prompt.text, 200)}`)
  const observationLines = observations.map((o) => `#${o.id} | ${o.type} | ${oneLine(o.title, 160)} | ~${o.tokens}t`)
  const last = summaries.at(-1)
  return dataBlock('from="session"', [
    sessionLine(session, now),
    ...(promptLines.length > 0 ? ['prompts:', ...promptLines] : []),
    ...(observationLines.length > 0 ? ['observations:', ...observationLines] : []),
    ...(last ? ['last summary:', ...summaryLines(last, null, now)] : []),
  ])
}

async function briefText(deps: ToolDeps, project: string | null): Promise<string> {
  if (!project) return 'The client did not say which project it works in. Read recollect://brief/<project>.'
  const { text } = await deps.worker.call('GET /api/context/inject', { project, format: 'json' })
  return text || 'There are no memories in this project yet.'
}

const listedNote = (note: NoteWithUrn) => ({
  uri: noteUrn(note),
  name: shortMemoryId('note', note.id),
  title: oneLine(note.title, 120),
  description: `${note.namespace}, ${note.scope === 'project' ? oneLine(note.project, 80) : note.scope}`,
  mimeType: MARKDOWN,
})

const listedSession = (session: Session) => ({
  uri: sessionUri(session.id),
  name: `session ${session.id}`,
  title: oneLine(session.title ?? `session ${session.id}`, 120),
  description: `${session.status}, ${oneLine(session.project, 80)}`,
  mimeType: MARKDOWN,
})

async function notes(deps: ToolDeps): Promise<NoteWithUrn[]> {
  return (await deps.worker.call('GET /api/notes', { project: deps.project ?? undefined, limit: MAX_LISTED_NOTES })).notes
}

async function sessions(deps: ToolDeps): Promise<Session[]> {
  return (await deps.worker.call('GET /api/sessions', { project: deps.project ?? undefined, limit: MAX_LISTED_SESSIONS })).sessions
}

async function projects(deps: ToolDeps, start: string): Promise<string[]> {
  const { projects } = await deps.worker.call('GET /api/status')
  return projects.map(({ project }) => encodeURIComponent(project)).filter((project) => project.startsWith(start))
}

function decodeUriPart(uri: URL, part: string | string[] | undefined): string {
  try {
    return decodeURIComponent(typeof part === 'string' ? part : '')
  } catch {
    throw new ResourceNotFoundError(uri.href)
  }
}

/** Reports a memory that the worker refuses to read as a resource that does not exist. */
async function orResourceNotFound<T>(uri: URL, response: Promise<T>): Promise<T> {
  try {
    return await response
  } catch (cause) {
    if (cause instanceof RefusedError && cause.status < 500) throw new ResourceNotFoundError(uri.href)
    throw cause
  }
}
