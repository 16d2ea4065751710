import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import type { Observation, Prompt, Session, Summary } from '../core/memory.ts'
import { NOTE_SCOPES, noteUrn, parseNoteId } from '../core/note.ts'
import type { WorkerStatus } from '../wire/api.ts'
import { dataBlock, type NoteInFull, noteLines, oneLine, sessionLine, summaryLines } from './memory-text.ts'
import type { ToolDeps } from './tool.ts'
import { ask, pathWithQuery, RefusedError } from './worker-client.ts'

const MARKDOWN = 'text/markdown'
const MAX_LISTED_NOTES = 50

export const sessionUri = (id: number) => `recollect://session/${id}`
export const BRIEF_URI = 'recollect://brief'

/** Notes, sessions and the brief, to be read by address. */
export function addResources(server: McpServer, means: ToolDeps): void {
  const contents = (uri: URL, text: string) => ({ contents: [{ uri: uri.href, mimeType: MARKDOWN, text }] })

  server.registerResource(
    'brief',
    BRIEF_URI,
    { title: 'Brief', description: 'What a session that starts here is told.', mimeType: MARKDOWN },
    async (uri) => contents(uri, await briefText(means, means.project)),
  )
  server.registerResource(
    'brief-of-project',
    new ResourceTemplate('recollect://brief/{project}', { list: undefined, complete: { project: (start) => projects(means, start) } }),
    { title: 'Brief of a project', description: 'What a session in that project is told.', mimeType: MARKDOWN },
    async (uri, { project }) => contents(uri, await orResourceNotFound(uri, briefText(means, decodeUriPart(uri, project)))),
  )
  server.registerResource(
    'note',
    new ResourceTemplate('recollect://{scope}/{namespace}/{id}', {
      list: async () => ({ resources: (await notes(means)).map(listedNote) }),
      complete: {
        scope: (start) => NOTE_SCOPES.filter((scope) => scope.startsWith(start)),
        namespace: async (start) =>
          [...new Set((await notes(means)).map((note) => note.namespace))].filter((name) => name.startsWith(start)),
        id: async (start) => (await notes(means)).map((note) => note.id).filter((id) => id.startsWith(start)),
      },
    }),
    { title: 'Note', description: 'A note in full.', mimeType: MARKDOWN },
    async (uri, { id }) => {
      const note = parseNoteId(decodeUriPart(uri, id))
      if (!note) throw new ResourceNotFoundError(uri.href)
      const memory = await orResourceNotFound(uri, ask<NoteInFull>(means.client, `/api/notes/${note}`))
      if (memory.urn !== uri.href) throw new ResourceNotFoundError(uri.href)
      return contents(uri, dataBlock('from="note"', noteLines(memory, means.now())))
    },
  )
  server.registerResource(
    'session',
    new ResourceTemplate('recollect://session/{id}', {
      list: async () => ({ resources: (await sessions(means)).map(listedSession) }),
      complete: { id: async (start) => (await sessions(means)).map(({ id }) => String(id)).filter((id) => id.startsWith(start)) },
    }),
    { title: 'Session', description: 'What a session asked, did and left open.', mimeType: MARKDOWN },
    async (uri, { id }) => {
      if (typeof id !== 'string' || !/^\d{1,15}$/.test(id)) throw new ResourceNotFoundError(uri.href)
      const whole = await orResourceNotFound(uri, ask<McpSessionDetail>(means.client, `/api/sessions/${id}`))
      return contents(uri, sessionText(whole, means.now()))
    },
  )
}

type McpSessionDetail = { session: Session; prompts: Prompt[]; observations: Observation[]; summaries: Summary[] }

function sessionText({ session, prompts, observations, summaries }: McpSessionDetail, now: number): string {
  const asked = prompts.filter((prompt) => prompt.origin === 'person').map((prompt) => `P${prompt.id} | ${oneLine(prompt.text, 200)}`)
  const did = observations.map((o) => `#${o.id} | ${o.type} | ${oneLine(o.title, 160)} | ~${o.tokens}t`)
  const last = summaries.at(-1)
  return dataBlock('from="session"', [
    sessionLine(session, now),
    ...(asked.length > 0 ? ['asked:', ...asked] : []),
    ...(did.length > 0 ? ['did:', ...did] : []),
    ...(last ? ['left:', ...summaryLines(last, null, now)] : []),
  ])
}

async function briefText(means: ToolDeps, project: string | null): Promise<string> {
  if (!project) return 'Which project? Read recollect://brief/<project>.'
  const { text } = await ask<{ text: string }>(means.client, pathWithQuery('/api/context/inject', { project, format: 'json' }))
  return text || 'Nothing is remembered here yet.'
}

const listedNote = (note: NoteInFull) => ({
  uri: noteUrn(note),
  name: `N${note.id}`,
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

async function notes(means: ToolDeps): Promise<NoteInFull[]> {
  return (
    await ask<{ notes: NoteInFull[] }>(means.client, pathWithQuery('/api/notes', { project: means.project, limit: MAX_LISTED_NOTES }))
  ).notes
}

async function sessions(means: ToolDeps): Promise<Session[]> {
  const path = pathWithQuery('/api/sessions', { project: means.project, limit: 20 })
  return (await ask<{ sessions: Session[] }>(means.client, path)).sessions
}

async function projects(means: ToolDeps, start: string): Promise<string[]> {
  const { projects } = await ask<WorkerStatus>(means.client, '/api/status')
  return projects.map(({ project }) => encodeURIComponent(project)).filter((project) => project.startsWith(start))
}

function decodeUriPart(uri: URL, part: string | string[] | undefined): string {
  try {
    return decodeURIComponent(typeof part === 'string' ? part : '')
  } catch {
    throw new ResourceNotFoundError(uri.href)
  }
}

/** What the worker does not have is not there for the client either. */
async function orResourceNotFound<T>(uri: URL, asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (cause) {
    if (cause instanceof RefusedError && cause.status < 500) throw new ResourceNotFoundError(uri.href)
    throw cause
  }
}
