import { z } from 'zod'
import { parseMemoryId } from '../core/memory-kinds.ts'
import { NOTE_SCOPES, NOTE_TYPES, parseNoteId } from '../core/note.ts'
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
    const { note } = await deps.worker.call('PATCH /api/notes/:id', { ...fields, id })
    return `Changed ${idOf('note', note.id)}.`
  },
})

export const verify = defineTool({
  name: 'memory_verify',
  title: 'Confirm or correct a memory',
  description: 'After you compared a memory with the code: ok (it holds), wrong (hides it), or correct with the right text.',
  input: strictArguments({ id, verdict: z.enum(['ok', 'wrong', 'correct']), text: z.string().max(50_000).optional() }),
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async (deps, input) => {
    const {
      id: given,
      outcome,
      commit,
      replacedBy,
    } = await deps.worker.call('POST /api/verify', {
      id: requireMemoryId(input.id),
      verdict: input.verdict,
      correction: input.text,
    })
    if (outcome === 'wrong') return `${given} is hidden. To bring it back, use memory_forget with restore: true.`
    return outcome === 'ok'
      ? `${given} is confirmed${commit ? ` at commit ${commit.slice(0, 8)}` : ''}.`
      : `${given} is replaced by ${replacedBy}.`
  },
})

/** More ids in one call would be a bulk deletion. */
const MAX_FORGOTTEN_IDS = 20

/**
 * Deletes only softly, and only what is named by id: an instruction that was injected into the model must not be able to erase memory. A person
 * can undo it, and does the rest in a terminal or in the viewer.
 */
export const forget = defineTool({
  name: 'memory_forget',
  title: 'Forget or restore memories',
  description:
    'Delete memories by ids (#12, S4, P7 with its whole turn, N…, C5); restore: true brings them back. Deleting for good, sessions, or everything that matches something is for the person: recollect forget, or the viewer.',
  input: strictArguments({
    ids: z.array(id).min(1).optional(),
    restore: z.boolean().default(false),
    dry_run: z.boolean().default(false),
    hard: z.boolean().optional(),
    filter: z.unknown().optional(),
  }),
  hints: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  run: async (deps, input) => {
    if (input.hard) throw new RefusedError(onlyByPerson('Deleting for good', 'recollect forget <id> --hard'), 400)
    if (input.filter !== undefined)
      throw new RefusedError(onlyByPerson('Deleting by a filter', 'recollect forget --query "…" --dry-run'), 400)
    const ids = (input.ids ?? []).map(requireMemoryId)
    if (ids.length === 0) throw new RefusedError('Pass ids, as memory_recall shows them.', 400)
    if (ids.length > MAX_FORGOTTEN_IDS)
      throw new RefusedError(onlyByPerson(`Deleting more than ${MAX_FORGOTTEN_IDS} memories at once`, 'recollect forget <ids…>'), 400)
    if (input.restore) {
      const { restored, unchanged } = await deps.worker.call('POST /api/restore', { ids })
      const kept = unchanged.length > 0 ? ` Not deleted, so not changed: ${unchanged.join(', ')}.` : ''
      return `${restored.length > 0 ? `Restored: ${restored.map((item) => item.id).join(', ')}.` : ''}${kept}`.trim()
    }
    const preview = await deps.worker.call('POST /api/forget/preview', { ids })
    if (input.dry_run) {
      const list = preview.items.map(({ id, kind, title, because }) => `${id} | ${kind} | ${because} | ${oneLine(title, 120)}`)
      return `${dataBlock('from="memory_forget"', list)}\nNothing was changed. This would delete ${preview.items.length}.`
    }
    for await (const line of deps.worker.callLines('POST /api/forget', { ids, fingerprint: preview.fingerprint }))
      if (line.kind === 'failed') throw new RefusedError(line.error, 500)
    const taken = preview.items.filter(({ because }) => because === 'derived').map((item) => item.id)
    const along = taken.length > 0 ? ` Memories made from them were deleted too: ${taken.join(', ')}.` : ''
    return `Deleted: ${preview.items
      .filter(({ because }) => because === 'chosen')
      .map((item) => item.id)
      .join(', ')}.${along} To bring them back, use memory_forget with restore: true.`
  },
})

const onlyByPerson = (what: string, command: string) =>
  `${what} is only possible for the person, in a terminal (${command}) or in the viewer (recollect view). Nothing was changed. Tell them if they asked for it.`

function requireMemoryId(text: string): string {
  const id = text.trim()
  if (parseMemoryId(id) === null)
    throw new RefusedError(
      `"${oneLine(id, 60)}" is not the id of a memory. They look like #12, S4, P7, N… or C5; memory_recall shows them.`,
      400,
    )
  return id
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
