import { z } from 'zod'
import { fingerprint } from '../core/hash.ts'
import type { Observation } from '../core/memory.ts'
import { NOTE_SCOPES, NOTE_TYPES, type Note, parseNoteId } from '../core/note.ts'
import { parseTimeFromNow } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { dataBlock, idOf, type NoteInFull, oneLine } from './memory-text.ts'
import { defineTool, projectFor, strictArguments, type ToolDeps } from './tool.ts'
import { ask, pathWithQuery, RefusedError } from './worker-client.ts'

const id = z.string().max(300)
const tags = z.array(z.string().min(1).max(80)).max(20).optional()
const ttl = z.string().max(30).optional().describe('hide after 12h, 30d, 2w or a date; "never"')
const project = z.string().max(500).optional()

type McpNoteReceipt = { kind: 'added' | 'same' | 'restated' | 'updated'; note: NoteInFull; superseded?: string[] }

export const capture = defineTool({
  name: 'memory_capture',
  title: 'Keep a note',
  description:
    'Keep something worth knowing in later sessions as a note: a decision and its reason, a lesson, a convention, a blocker. One idea a note, its point first. Nothing secret. Saying what is known already changes nothing.',
  input: strictArguments({
    text: z.string().min(1).max(50_000),
    title: z.string().max(200).optional(),
    namespace: z
      .string()
      .max(40)
      .optional()
      .describe('decisions, learnings, blockers, progress, patterns, context, apis, config, security, testing, or another word'),
    type: z.enum(NOTE_TYPES).optional(),
    tags,
    scope: z.enum(NOTE_SCOPES).optional().describe('project (default), global, or local: never leaves this machine'),
    ttl,
    pin: z.boolean().optional(),
    supersedes: z.array(id).max(20).optional(),
    project,
  }),
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: async (means, given) => {
    const where = given.scope === 'global' ? null : projectFor(means, given.project)
    const scope = given.scope ?? (where ? 'project' : 'global')
    const body = {
      ...noteFields(means, given),
      type: given.type,
      scope,
      ...(where ? { project: where } : {}),
    }
    const { kind, note, superseded = [] } = await ask<McpNoteReceipt>(means.client, '/api/notes', { method: 'POST', body })
    const name = `${idOf('note', note.id)} (${note.namespace}, ${note.scope})`
    if (kind === 'same') return `Already known as ${name}; nothing was written.`
    return `Kept as ${name}.${superseded.length > 0 ? ` It takes the place of ${superseded.map((one) => idOf('note', one)).join(', ')}.` : ''}`
  },
})

export const update = defineTool({
  name: 'memory_update',
  title: 'Change a note',
  description:
    'Change a note: its text, title, namespace, tags (all of them), pin, ttl, or which older notes it supersedes (they are hidden).',
  input: strictArguments({
    id,
    text: z.string().min(1).max(50_000).optional(),
    title: z.string().max(200).optional(),
    namespace: z.string().max(40).optional(),
    tags,
    pin: z.boolean().optional(),
    ttl,
    supersedes: z.array(id).max(20).optional(),
  }),
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async (means, given) => {
    const note = requireNoteId(given.id)
    const body = noteFields(means, given)
    if (Object.values(body).every((value) => value === undefined))
      throw new RefusedError('What should change? Give text, title, namespace, tags, pin, ttl or supersedes.', 400)
    const { kind } = await ask<McpNoteReceipt>(means.client, `/api/notes/${note}`, { method: 'PATCH', body })
    return kind === 'same' ? `${idOf('note', note)} says that already.` : `Changed ${idOf('note', note)}.`
  },
})

const Filter = strictArguments({
  namespace: z.string().max(40).optional(),
  tag: z.string().max(80).optional(),
  type: z.enum(NOTE_TYPES).optional(),
  before: z.string().max(30).optional().describe('last changed before this date'),
})

export const forget = defineTool({
  name: 'memory_forget',
  title: 'Forget memories, or bring them back',
  description:
    'Hide notes and observations by ids (restore: true brings them back). hard removes them for good: only when the person asked for that. Notes by filter: the first call only lists what would go and gives a code; the second call with confirm: code does it.',
  input: strictArguments({
    ids: z.array(id).min(1).max(100).optional(),
    filter: Filter.optional(),
    confirm: z.string().max(40).optional(),
    restore: z.boolean().default(false),
    hard: z.boolean().default(false),
    dry_run: z.boolean().default(false),
    project,
  }),
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async (means, given) => {
    if (Boolean(given.ids) === Boolean(given.filter)) throw new RefusedError('Forget what? Give either ids or filter.', 400)
    if (given.restore && (given.hard || given.filter)) throw new RefusedError('restore takes ids alone.', 400)
    const chosen = given.ids
      ? await Promise.all(given.ids.map((one) => findForgettable(means, one)))
      : (await notesMatching(means, given.filter ?? {}, given.project)).map(forgettableNote)
    if (chosen.length === 0) return 'No note fits that.'
    const deed = given.restore ? 'restore' : given.hard ? 'remove for good' : 'hide'
    const names = chosen.map((one) => one.name)
    const code = fingerprint(`${deed} ${names.toSorted().join(' ')}`, 12)
    const isAllowed = given.ids !== undefined || given.confirm === code
    if (given.dry_run || !isAllowed) {
      const list = chosen.map(({ name, kind, title }) => `${name} | ${neutralizeText(kind)} | ${oneLine(title, 120)}`)
      const how = given.filter ? ` To do it: the same call with confirm: "${code}".` : ''
      const stale = given.confirm && !given.dry_run ? 'That code does not fit what matches now. ' : ''
      return `${dataBlock('from="memory_forget"', list)}\n${stale}Nothing was changed. Would ${deed} ${chosen.length}.${how}`
    }
    for (const { path } of chosen) {
      if (given.restore) await ask(means.client, `${path}/restore`, { method: 'POST' })
      else await ask(means.client, pathWithQuery(path, { hard: given.hard ? 1 : undefined }), { method: 'DELETE' })
    }
    if (given.restore) return `Back: ${names.join(', ')}.`
    if (given.hard) return `Removed for good: ${names.join(', ')}.`
    return `Hidden: ${names.join(', ')}. memory_forget with restore: true brings them back.`
  },
})

type Forgettable = { name: string; path: string; kind: string; title: string }

async function findForgettable(means: ToolDeps, id: string): Promise<Forgettable> {
  const number = /^#?(\d{1,15})$/.exec(id.trim())?.[1]
  if (!number) return forgettableNote(await ask<NoteInFull>(means.client, `/api/notes/${requireNoteId(id)}`))
  const path = `/api/observations/${number}`
  const { observation } = await ask<{ observation: Observation | null }>(means.client, path)
  if (!observation) throw new RefusedError(`There is no #${number}.`, 400)
  return { name: idOf('observation', number), path, kind: observation.type, title: observation.title }
}

const forgettableNote = ({ id, namespace, title }: Pick<Note, 'id' | 'namespace' | 'title'>): Forgettable => ({
  name: idOf('note', id),
  path: `/api/notes/${id}`,
  kind: namespace,
  title,
})

const MAX_FILTERED_NOTES = 1000

async function notesMatching(means: ToolDeps, filter: z.infer<typeof Filter>, said: string | undefined): Promise<Note[]> {
  if (Object.values(filter).every((value) => value === undefined))
    throw new RefusedError('A filter needs at least one of namespace, tag, type, before.', 400)
  const { namespace, type } = filter
  const before = filter.before === undefined ? null : new Date(filter.before).getTime()
  if (Number.isNaN(before)) throw new RefusedError(`"${neutralizeText(filter.before ?? '')}" is no date; write 2026-01-31.`, 400)
  const path = pathWithQuery('/api/notes', { namespace, type, project: projectFor(means, said), limit: MAX_FILTERED_NOTES })
  const { notes } = await ask<{ notes: Note[] }>(means.client, path)
  return notes.filter((note) => (!filter.tag || note.tags.includes(filter.tag)) && (before === null || note.updatedAt < before))
}

type NoteToolChanges = {
  text?: string | undefined
  title?: string | undefined
  namespace?: string | undefined
  tags?: string[] | undefined
  pin?: boolean | undefined
  ttl?: string | undefined
  supersedes?: string[] | undefined
}

/** The same in the worker's words. */
function noteFields(means: ToolDeps, { text, title, namespace, tags, pin, ttl, supersedes }: NoteToolChanges) {
  return { body: text, title, namespace, tags, pinned: pin, expiresAt: parseExpiry(means, ttl), supersedes: supersedes?.map(requireNoteId) }
}

function parseExpiry(means: ToolDeps, ttl: string | undefined): number | null | undefined {
  if (ttl === undefined) return undefined
  if (ttl === 'never') return null
  const at = parseTimeFromNow(ttl, means.now())
  if (at === null)
    throw new RefusedError(`"${neutralizeText(ttl)}" is no time. Say 12h, 30d, 2w, a date such as 2026-12-31, or never.`, 400)
  return at
}

/** The id of a note as it may be written: with N, without, or as an address. */
function requireNoteId(text: string): string {
  const note = parseNoteId(text.trim().replace(/^N(?=[0-7][0-9A-HJKMNP-TV-Z]{25}$)/i, ''))
  if (!note || /^[#SP]?\d+$/i.test(text.trim()))
    throw new RefusedError(`"${oneLine(text, 60)}" is no note. Notes are called N…; memory_recall with kind note shows them.`, 400)
  return note
}
