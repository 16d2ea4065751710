/**
 * OpenCode keeps all sessions in one SQLite database. A session in it is named `<database>#<session id>`, and is read as a whole: it is only read when a
 * person imports history. The database is opened for reading only.
 */
import { Database } from 'bun:sqlite'
import { z } from 'zod'
import type { SessionEvent } from '../../core/event.ts'
import { type FolderEntry, filesBelow } from '../../platform/folder.ts'
import { isRecord, parsePromptText } from '../claude-code/payload.ts'
import { parseJson } from '../claude-code/transcript-lines.ts'
import type { ReportedToolUse } from '../claude-dialect.ts'
import { type LineEvent, NO_FACTS, toItem } from '../line-transcript.ts'
import type { TranscriptBatch, TranscriptFacts } from '../transcript.ts'
import { personsText, toolResult } from './tool-uses.ts'

const OpencodeSession = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  directory: z.string(),
  title: z.string(),
  version: z.string(),
  time_created: z.number(),
  time_updated: z.number(),
})
type OpencodeSession = z.infer<typeof OpencodeSession>
const DataRow = z.object({ id: z.string(), message_id: z.string(), time_created: z.number(), data: z.string() })

/** Every session of the databases below a folder, as if each were a file. */
export function transcriptsBelow(folder: string): FolderEntry[] {
  return filesBelow(folder, ['opencode.db']).flatMap(({ path }) =>
    withDatabase(path, (database) =>
      rows(
        OpencodeSession,
        database
          .query('SELECT id, parent_id, directory, title, version, time_created, time_updated FROM session ORDER BY time_created')
          .all(),
      ).map(({ id, time_updated }) => ({ name: id, path: `${path}#${id}`, bytes: sizeOf(database, id), changedAt: time_updated })),
    ),
  )
}

const sizeOf = (database: Database, session: string) =>
  z
    .object({ bytes: z.number() })
    .parse(database.query('SELECT coalesce(sum(length(data)), 0) AS bytes FROM part WHERE session_id = ?').get(session)).bytes

export async function* readTranscript(path: string): AsyncGenerator<TranscriptBatch> {
  const [file = '', id = ''] = path.split('#')
  yield withDatabase(file, (database) => {
    const session = sessionOf(database, id)
    const facts: TranscriptFacts = {
      ...NO_FACTS,
      sessionId: rootOf(database, session),
      cwd: session.directory,
      version: session.version,
      title: /^New session - /.test(session.title) ? null : session.title,
      firstAt: session.time_created,
      lastAt: session.time_updated,
      ...(session.parent_id === null ? {} : { subagent: { id: session.id, type: '' } }),
    }
    const items = sessionEvents(database, session, facts).map((event) => toItem('opencode', facts, event, path, false))
    const checkpoint = { offset: 0, state: { facts: { ...facts, title: null } } }
    return { items, checkpoint, resume: checkpoint, facts, unreadable: 0, bytes: sizeOf(database, id) }
  })
}

function sessionOf(database: Database, id: string): OpencodeSession {
  const row = database
    .query('SELECT id, parent_id, directory, title, version, time_created, time_updated FROM session WHERE id = ?')
    .get(id)
  return OpencodeSession.parse(row)
}

/** A subagent's session has a parent, which may be a subagent's too. */
function rootOf(database: Database, session: OpencodeSession, depth = 0): string {
  return session.parent_id === null || depth > 10 ? session.id : rootOf(database, sessionOf(database, session.parent_id), depth + 1)
}

function sessionEvents(database: Database, session: OpencodeSession, facts: TranscriptFacts): LineEvent[] {
  const messages = rows(
    DataRow,
    database
      .query('SELECT id, id AS message_id, time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id')
      .all(session.id),
  )
  const parts = rows(
    DataRow,
    database.query('SELECT id, message_id, time_created, data FROM part WHERE session_id = ? ORDER BY id').all(session.id),
  )
  const byMessage = Map.groupBy(parts, (part) => part.message_id)
  const events: LineEvent[] = []
  let turn: { id: string; answer: string; at: number } | null = null
  const endTurn = () => {
    if (turn === null) return
    const event: SessionEvent = facts.subagent
      ? { kind: 'subagent-ended', promptId: null, agentId: facts.subagent.id, agentType: '', answer: turn.answer }
      : { kind: 'turn-ended', promptId: turn.id, answer: turn.answer }
    if (!facts.subagent || turn.answer !== '') events.push({ event, at: turn.at, uuid: null, turn: turn.id })
  }
  for (const { id, time_created, data } of messages) {
    const message = fields(data)
    const written = (byMessage.get(id) ?? []).map((part) => ({ at: part.time_created, part: fields(part.data) }))
    const text = written
      .flatMap(({ part }) => (part.type === 'text' && part.synthetic !== true ? [String(part.text ?? '')] : []))
      .join('\n')
    if (message.role === 'user') {
      endTurn()
      turn = { id, answer: '', at: time_created }
      if (facts.subagent || text.trim() === '') continue
      events.push({
        event: { kind: 'prompt-submitted', promptId: id, ...parsePromptText(personsText(text)) },
        at: time_created,
        uuid: id,
        turn: id,
      })
      continue
    }
    const promptId = facts.subagent ? null : (turn?.id ?? null)
    if (message.summary === true) {
      events.push({ event: { kind: 'compacted', promptId, summary: text }, at: time_created, uuid: null, turn: turn?.id ?? null })
      continue
    }
    for (const { at, part } of written) {
      const use = toolUsed(part, promptId, facts.subagent?.id ?? null)
      if (use) events.push({ event: use, at: endOf(part) ?? at, uuid: null, turn: turn?.id ?? null })
      if (turn) turn.at = Math.max(turn.at, endOf(part) ?? at)
    }
    if (turn && text.trim() !== '') turn.answer = text.trim()
  }
  endTurn()
  return events
}

function toolUsed(part: Record<string, unknown>, promptId: string | null, agentId: string | null): ReportedToolUse | null {
  const state = isRecord(part.state) ? part.state : {}
  if (part.type !== 'tool' || typeof part.callID !== 'string' || typeof part.tool !== 'string') return null
  const use = {
    kind: 'tool-used',
    promptId,
    toolUseId: part.callID,
    tool: part.tool,
    input: state.input,
    interrupted: false,
    agentId,
  } as const
  if (state.status === 'completed') return { ...use, ...toolResult(part.tool, { output: state.output, metadata: state.metadata }) }
  return state.status === 'error' ? { ...use, output: undefined, error: String(state.error ?? 'failed') } : null
}

function endOf(part: Record<string, unknown>): number | null {
  const time = isRecord(part.state) ? part.state.time : part.time
  return isRecord(time) && typeof time.end === 'number' ? time.end : null
}

function fields(json: string): Record<string, unknown> {
  const value = parseJson(json)
  return isRecord(value) ? value : {}
}

/** Rows that have another form are from a version that we do not know, and are left out. */
const rows = <T>(schema: z.ZodType<T>, found: unknown[]): T[] => found.flatMap((row) => schema.safeParse(row).data ?? [])

function withDatabase<T>(path: string, use: (database: Database) => T): T {
  let database: Database | null = null
  try {
    database = new Database(path, { readonly: true })
    return use(database)
  } catch (cause) {
    throw new Error(`could not read OpenCode's database ${path}`, { cause })
  } finally {
    database?.close()
  }
}
