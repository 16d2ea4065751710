import { z } from 'zod'
import { fingerprint } from '../core/hash.ts'
import { NOTE_SCOPES, NOTE_TYPES, type Note, parseNoteId } from '../core/note.ts'
import { parseTimeFromNow } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { RequestOf } from '../wire/contract/contract.ts'
import { dataBlock, idOf, oneLine } from './memory-text.ts'
import { defineTool, projectFor, strictArguments, type ToolDeps } from './tool.ts'
import { RefusedError } from './worker-client.ts'

const id = z.string().max(300)
const tags = z.array(z.string().min(1).max(80)).max(20).optional()
const ttl = z.string().max(30).optional().describe('hide after: 12h, 30d, 2w, a date, or "never"')
const project = z.string().max(500).optional()

export const capture = defineTool({
  name: 'memory_capture',
  title: 'Save a note',
  description:
    'Save a note for later sessions: a decision with its reason, a lesson, a convention, a blocker. One idea per note, the main point first. No secrets. Saving what a note already says changes nothing.',
  input: strictArguments({
    text: z.string().min(1).max(50_000),
    title: z.string().max(200).optional(),
    namespace: z
      .string()
      .max(40)
      .optional()
      .describe('decisions, learnings, blockers, progress, patterns, context, apis, config, security, testing, or your own word'),
    type: z.enum(NOTE_TYPES).optional(),
    tags,
    scope: z.enum(NOTE_SCOPES).optional().describe('project (default), global, or local (never leaves this machine)'),
    ttl,
    pin: z.boolean().optional(),
    supersedes: z.array(id).max(20).optional(),
    project,
  }),
  hints: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  run: async (deps, input) => {
    const project = input.scope === 'global' ? null : projectFor(deps, input.project)
    const scope = input.scope ?? (project ? 'project' : 'global')
    const fields = { ...noteFields(deps, input), body: input.text, type: input.type, scope, project: project ?? undefined }
    const receipt = await deps.worker.call('POST /api/notes', fields)
    const { id, namespace, scope: savedScope } = receipt.note
    const name = `${idOf('note', id)} (${namespace}, ${savedScope})`
    if (receipt.kind === 'same') return `${name} already says this; nothing was written.`
    const superseded = receipt.kind === 'restated' ? receipt.superseded.map((older) => idOf('note', older)) : []
    return `Saved as ${name}.${superseded.length > 0 ? ` It supersedes ${superseded.join(', ')}.` : ''}`
  },
})

export const update = defineTool({
  name: 'memory_update',
  title: 'Change a note',
  description:
    'Change a note: text, title, namespace, tags (replaces all), pin, ttl, or the older notes it supersedes. accept: the person accepts a proposed rule or decision; to reject one, use memory_forget.',
  input: strictArguments({
    id,
    text: z.string().min(1).max(50_000).optional(),
    title: z.string().max(200).optional(),
    namespace: z.string().max(40).optional(),
    tags,
    pin: z.boolean().optional(),
    ttl,
    supersedes: z.array(id).max(20).optional(),
    accept: z.literal(true).optional(),
  }),
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async (deps, input) => {
    const id = requireNoteId(input.id)
    const fields = { ...noteFields(deps, input), ...(input.accept ? { state: 'accepted' as const, confidence: 1 } : {}) }
    if (Object.values(fields).every((value) => value === undefined))
      throw new RefusedError('Nothing to change. Pass text, title, namespace, tags, pin, ttl, supersedes or accept.', 400)
    const { kind } = await deps.worker.call('PATCH /api/notes/:id', { ...fields, id })
    return kind === 'same' ? `${idOf('note', id)} already says this.` : `Changed ${idOf('note', id)}.`
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
  title: 'Forget or restore memories',
  description:
    'Hide notes and observations by ids; restore: true shows them again. hard: true deletes them permanently, only if the person asked for that. With filter, the first call lists the matching notes and returns a code; repeat it with confirm: code.',
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
  run: async (deps, input) => {
    if (Boolean(input.ids) === Boolean(input.filter)) throw new RefusedError('Pass either ids or filter.', 400)
    if (input.restore && (input.hard || input.filter)) throw new RefusedError('restore works with ids only, without hard or filter.', 400)
    const chosen = input.ids
      ? await Promise.all(input.ids.map((id) => findForgettable(deps, id)))
      : (await notesMatching(deps, input.filter ?? {}, input.project)).map((note) => forgettableNote(deps, note))
    if (chosen.length === 0) return 'No note matches the filter.'
    const action = input.restore ? 'restore' : input.hard ? 'permanently delete' : 'hide'
    const names = chosen.map(({ name }) => name)
    const code = fingerprint(`${action} ${names.toSorted().join(' ')}`, 12)
    const isConfirmed = input.ids !== undefined || input.confirm === code
    if (input.dry_run || !isConfirmed) {
      const list = chosen.map(({ name, kind, title }) => `${name} | ${neutralizeText(kind)} | ${oneLine(title, 120)}`)
      const next = input.filter ? ` To do it, repeat the call with confirm: "${code}".` : ''
      const stale = input.confirm && !input.dry_run ? 'The code does not match the notes that match now. ' : ''
      return `${dataBlock('from="memory_forget"', list)}\n${stale}Nothing was changed. This would ${action} ${chosen.length}.${next}`
    }
    for (const memory of chosen) await (input.restore ? memory.restore() : memory.forget(input.hard))
    if (input.restore) return `Restored: ${names.join(', ')}.`
    if (input.hard) return `Permanently deleted: ${names.join(', ')}.`
    return `Hidden: ${names.join(', ')}. To show them again, use memory_forget with restore: true.`
  },
})

type Forgettable = { name: string; kind: string; title: string; forget(hard: boolean): Promise<unknown>; restore(): Promise<unknown> }

async function findForgettable(deps: ToolDeps, text: string): Promise<Forgettable> {
  const id = /^#?(\d{1,15})$/.exec(text.trim())?.[1]
  if (!id) return forgettableNote(deps, await deps.worker.call('GET /api/notes/:id', { id: requireNoteId(text) }))
  const { observation } = await deps.worker.call('GET /api/observations/:id', { id })
  if (!observation) throw new RefusedError(`#${id} does not exist. Use ids from memory_recall.`, 400)
  return {
    name: idOf('observation', id),
    kind: observation.type,
    title: observation.title,
    forget: (hard) => deps.worker.call('DELETE /api/observations/:id', { id, hard }),
    restore: () => deps.worker.call('POST /api/observations/:id/restore', { id }),
  }
}

const forgettableNote = ({ worker }: ToolDeps, { id, namespace, title }: Pick<Note, 'id' | 'namespace' | 'title'>): Forgettable => ({
  name: idOf('note', id),
  kind: namespace,
  title,
  forget: (hard) => worker.call('DELETE /api/notes/:id', { id, hard }),
  restore: () => worker.call('POST /api/notes/:id/restore', { id }),
})

const MAX_FILTERED_NOTES = 1000

async function notesMatching(deps: ToolDeps, filter: z.infer<typeof Filter>, givenProject: string | undefined): Promise<Note[]> {
  const { namespace, type, tag } = filter
  if (Object.values(filter).every((value) => value === undefined))
    throw new RefusedError('The filter is empty. Pass at least one of namespace, tag, type, before.', 400)
  const before = filter.before === undefined ? null : new Date(filter.before).getTime()
  if (Number.isNaN(before)) throw new RefusedError(`"${neutralizeText(filter.before ?? '')}" is not a date. Write it as 2026-01-31.`, 400)
  const project = projectFor(deps, givenProject) ?? undefined
  const { notes } = await deps.worker.call('GET /api/notes', { namespace, type, project, limit: MAX_FILTERED_NOTES })
  return notes.filter((note) => (!tag || note.tags.includes(tag)) && (before === null || note.updatedAt < before))
}

type NoteInput = {
  text?: string | undefined
  title?: string | undefined
  namespace?: string | undefined
  tags?: string[] | undefined
  pin?: boolean | undefined
  ttl?: string | undefined
  supersedes?: string[] | undefined
}

/** The arguments of a tool as fields of a request. */
function noteFields(
  deps: ToolDeps,
  { text, title, namespace, tags, pin, ttl, supersedes }: NoteInput,
): Omit<RequestOf<'PATCH /api/notes/:id'>, 'id'> {
  return { body: text, title, namespace, tags, pinned: pin, expiresAt: parseExpiry(deps, ttl), supersedes: supersedes?.map(requireNoteId) }
}

function parseExpiry(deps: ToolDeps, ttl: string | undefined): number | null | undefined {
  if (ttl === undefined) return undefined
  if (ttl === 'never') return null
  const at = parseTimeFromNow(ttl, deps.now())
  if (at === null)
    throw new RefusedError(`"${neutralizeText(ttl)}" is not a time. Write 12h, 30d, 2w, a date such as 2026-12-31, or never.`, 400)
  return at
}

/** The id of a note, written with or without N, or as an address. */
function requireNoteId(text: string): string {
  const id = parseNoteId(text.trim().replace(/^N(?=[0-7][0-9A-HJKMNP-TV-Z]{25}$)/i, ''))
  if (!id || /^[#SP]?\d+$/i.test(text.trim()))
    throw new RefusedError(`"${oneLine(text, 60)}" is not a note id. They look like N…; memory_recall with kind note shows them.`, 400)
  return id
}
