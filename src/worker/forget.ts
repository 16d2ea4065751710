/**
 * Deleting memories: what a request selects, what goes with it, and moving it out of sight. A deletion that is not hard can be undone; a hard one
 * continues in `erase.ts`.
 */
import { join } from 'node:path'
import { distillTurn, episodeDraft, rebuildThreads } from '../capture/turns.ts'
import { shortHash } from '../core/commit.ts'
import { fingerprint } from '../core/hash.ts'
import { asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { ErasedIds, SelectedRows } from '../core/job.ts'
import type { Change, Session } from '../core/memory.ts'
import { isMemoryId, memoryId, parseMemoryId } from '../core/memory-kinds.ts'
import { asNoteId, isStatement, type Note, type NoteId } from '../core/note.ts'
import { projectName } from '../core/project.ts'
import { shorten } from '../core/text.ts'
import { areNear, forgetNote, isEditedByHand, normalised, purgeNote, removePlaces, rewriteNote, shingles } from '../notes/notes.ts'
import { exists } from '../platform/files.ts'
import { foldersIn } from '../platform/folder.ts'
import { REPLACED_PREFIX } from '../platform/paths.ts'
import type { DeletedUnit, DeletionFilter } from '../store/store.ts'
import type { ForgetCounts, ForgetPreview, ForgottenItem, RemainingCopy } from '../wire/contract/forget.ts'
import { queueDistillingByModel } from './background-distiller.ts'
import { syncSettings } from './background-sync.ts'
import { isSaidInSomeTurn, planStatements, sessionUnit, stateAgain } from './deleted-statements.ts'
import { episodeOf } from './draft-notes.ts'
import { resolveMemory } from './memory-ids.ts'
import { noSuchMemory } from './missing-memory.ts'
import { injectionsQuoting } from './quoting-injections.ts'
import { resolveProject } from './request-params.ts'
import { BadRequest } from './server.ts'
import { readActionWith, type Services } from './services.ts'

/** What to delete: by ids, or everything that passes all of the filters. */
export type DeletionRequest = {
  ids?: string[] | undefined
  session?: string | undefined
  query?: string | undefined
  since?: number | undefined
  before?: number | undefined
  project?: string | undefined
  hard: boolean
}

/** Everything that a deletion takes along. */
export type DeletionPlan = Omit<ErasedIds, 'at'>

type Selection = SelectedRows & { notes: NoteId[]; units: string[] }
const emptySelection = (): Selection => ({
  sessions: [],
  prompts: [],
  observations: [],
  summaries: [],
  toolUses: [],
  commits: [],
  notes: [],
  units: [],
})

export const EMPTY_PLAN: DeletionPlan = {
  ...emptySelection(),
  derivedNotes: [],
  rewritten: [],
  lostPlaces: [],
  injections: [],
  folders: [],
}

/** Finds what a request selects and what was made from it. Nothing is changed. */
export async function planDeletion(services: Services, request: DeletionRequest): Promise<DeletionPlan> {
  const selected = request.ids ? await selectByIds(services, request.ids, request.hard) : await selectByFilter(services, request)
  const withoutDoubles = await withoutCoveredRows(services, selected)
  const statements = await planStatements(services.store, withoutDoubles, request.hard)
  const derivedNotes = await notesDerivedFrom(services, withoutDoubles, statements)
  const notes = [...withoutDoubles.notes, ...derivedNotes]
  const shown = (await notesOf(services, notes)).map(({ id, createdAt }) => ({ id, at: createdAt }))
  return {
    ...withoutDoubles,
    derivedNotes,
    lostPlaces: statements.lostPlaces,
    rewritten: await episodesToRewrite(services, withoutDoubles, notes),
    injections: await (await services.store.deletions()).injectionsShowing(withoutDoubles, shown),
    folders: await foldersOf(services, notes),
  }
}

async function selectByIds(services: Services, ids: string[], hard: boolean): Promise<Selection> {
  const { store } = services
  const selection = emptySelection()
  /** A hard deletion also takes what was deleted before. */
  const orUnit = async (kind: 'prompt' | 'observation' | 'summary', ref: number) => {
    const unit = hard ? await (await store.deletions()).unitOf(TABLE_OF[kind], String(ref)) : null
    if (unit === null) throw noSuchMemory(kind, ref)
    selection.units.push(unit)
  }
  for (const id of new Set(ids)) {
    const named = parseMemoryId(id)
    const memory = named?.kind === 'note' ? await resolveMemory(store, named) : named
    const ref = Number(memory?.ref)
    if (memory?.kind === 'note' && (await store.notes.get(asNoteId(memory.ref)))) selection.notes.push(asNoteId(memory.ref))
    else if (memory?.kind === 'observation')
      (await store.observations.get([ref])).length > 0 ? selection.observations.push(ref) : await orUnit('observation', ref)
    else if (memory?.kind === 'summary') (await store.summaries.get(ref)) ? selection.summaries.push(ref) : await orUnit('summary', ref)
    else if (memory?.kind === 'prompt') (await store.prompts.get(ref)) ? selection.prompts.push(ref) : await orUnit('prompt', ref)
    else if (memory?.kind === 'commit') {
      const found = await findCommits(services, memory.ref, hard)
      selection.commits.push(...found.commits)
      selection.units.push(...found.units)
    } else if (memory?.kind === 'note' && isMemoryId(id)) throw noSuchMemory('note', memory.ref)
    else {
      const found = await findSession(services, id, hard)
      if (typeof found === 'string') selection.units.push(found)
      else selection.sessions.push(found.id)
    }
  }
  return selection
}

/** The tables of memories that are deleted by moving their rows. */
export const TABLE_OF = { observation: 'observations', summary: 'summaries', prompt: 'prompts', commit: 'commits' } as const

/** A commit by its number, or by its hash in every project that has it; and, if that is asked for, the deletions that took it. */
async function findCommits({ store }: Services, ref: string, deleted: boolean): Promise<{ commits: number[]; units: string[] }> {
  const commits = await commitIds(store, ref, false)
  const units = deleted ? await deletedCommits({ store }, ref) : []
  if (commits.length + units.length === 0) throw noSuchMemory('commit', ref)
  return { commits, units }
}

/** The deletions that took a commit, by its number or its hash, and can still be undone. */
export async function deletedCommits({ store }: Pick<Services, 'store'>, ref: string): Promise<string[]> {
  const ids = /^\d{1,15}$/.test(ref) ? [Number(ref), ...(await commitIds(store, ref, true))] : await commitIds(store, ref, true)
  const units = await Promise.all([...new Set(ids)].map(async (id) => (await store.deletions()).unitOf('commits', String(id))))
  return units.filter((unit) => unit !== null)
}

async function commitIds(store: Services['store'], ref: string, forgotten: boolean): Promise<number[]> {
  const numbered = !forgotten && /^\d{1,15}$/.test(ref) ? await store.commits.get(Number(ref)) : null
  if (numbered) return [numbered.id]
  const found = ref.length >= 7 ? await store.commits.withHash(ref, forgotten) : []
  if (new Set(found.map(({ hash }) => hash)).size > 1)
    throw new BadRequest(`several commits begin with ${ref}; write more of the hash. Nothing was changed.`)
  return found.map(({ id }) => id)
}

/** A session by the agent's id or its beginning; or the deletion that took it, if that is asked for. */
async function findSession({ store }: Services, id: string, deleted: boolean): Promise<Session | string> {
  const found = await store.sessions.withIdPrefix(id, 2)
  const [session] = found
  if (session && (found.length === 1 || session.contentSessionId === id)) return session
  if (session) throw new BadRequest(`several sessions begin with ${id}; write more of the id. Nothing was deleted.`)
  const unit = deleted ? await findDeletedSession({ store }, id) : null
  if (unit) return unit
  throw new BadRequest(
    `there is no memory or session ${id}; ids look like #12, S4, P7, N7F3KQ2BD, C5 or the agent's id of a session. Nothing was deleted.`,
  )
}

/** The deletion that took a session, by the agent's id of it or its beginning. */
export async function findDeletedSession({ store }: Pick<Services, 'store'>, id: string): Promise<string | null> {
  const units = await (await store.deletions()).units(null, Number.MAX_SAFE_INTEGER)
  return units.find(({ kind, row }) => kind === 'sessions' && String(row.content_session_id).startsWith(id))?.unit ?? null
}

async function selectByFilter(services: Services, request: DeletionRequest): Promise<Selection> {
  const { store } = services
  const project = request.project === undefined ? null : await knownProject(services, request.project)
  const session = request.session === undefined ? null : await findSession(services, request.session, request.hard)
  if (typeof session === 'string') return { ...emptySelection(), units: [session] }
  const filter: DeletionFilter = { sessionId: session?.id ?? null, project, since: request.since ?? null, before: request.before ?? null }
  if (request.query === undefined && Object.values(filter).every((value) => value === null))
    throw new BadRequest('nothing is selected: pass ids, or at least one of session, query, since, before and project')
  const words = request.query === undefined ? [] : request.query.match(/[\p{L}\p{N}_]+/gu)
  if (words === null) throw new BadRequest(`the query "${shorten(request.query ?? '', 60)}" contains no word`)
  const units = request.hard ? await (await store.deletions()).selectUnits(filter, words) : []
  if (words.length > 0) {
    const { notes, ...rows } = await (await store.deletions()).selectWithWords(words, filter)
    const deletedNotes = request.hard ? hiddenNotesWith(services, words, filter) : []
    return { ...rows, notes: [...new Set([...notes.map(asNoteId), ...deletedNotes])], units }
  }
  // The usual case must not look at every session.
  if (session && filter.since === null && filter.before === null)
    return { ...emptySelection(), sessions: project === null || session.project === project ? [session.id] : [], units }
  return { ...(await (await store.deletions()).selectInScope(filter)), notes: await notesInScope(services, filter, session), units }
}

async function knownProject(services: Services, name: string): Promise<ProjectKey> {
  const project = await resolveProject(services, name)
  const totals = await services.store.projects.totals()
  const isDeleted = (await (await services.store.deletions()).units(project, 1)).length > 0
  if (project && (isDeleted || totals.some((one) => one.project === project))) return project
  // One that was only imported, such as the history of a repository, has no session that knows its name.
  const [named, ...others] = totals.filter((one) => projectName(one.project) === name.toLowerCase())
  if (named && others.length === 0) return named.project
  throw new BadRequest(`there is no project ${name}; 'recollect status' lists the projects. Nothing was deleted.`)
}

/** Notes of a project or of a time. With a session, notes come along as derived. */
async function notesInScope({ store }: Services, { project, since, before }: DeletionFilter, session: Session | null): Promise<NoteId[]> {
  if (session) return []
  const isInTime = ({ createdAt }: Note) => (since === null || createdAt >= since) && (before === null || createdAt < before)
  const found: NoteId[] = []
  for (const note of [...store.notes.each(project)].filter(isInTime)) {
    // A statement goes with the turns in which it was said, and these may be of another time.
    const isOfTurns = (since !== null || before !== null) && isStatement(note) && (await isSaidInSomeTurn(store, note))
    if (!isOfTurns) found.push(note.id)
  }
  return found
}

/** Hidden notes are not indexed, so their texts are searched. */
function hiddenNotesWith({ store }: Services, words: string[], { project, sessionId, since, before }: DeletionFilter): NoteId[] {
  if (sessionId !== null) return []
  const lower = words.map((word) => word.toLowerCase())
  const found: NoteId[] = []
  for (const note of store.notes.each(project)) {
    const text = `${note.title}\n${note.body}\n${note.tags.join(' ')}`.toLowerCase()
    if (since !== null && note.updatedAt < since) continue
    if (before !== null && note.updatedAt >= before) continue
    if (lower.every((word) => text.includes(word))) found.push(note.id)
  }
  return found
}

/** Drops rows that go with a selected session or turn anyway. */
async function withoutCoveredRows({ store }: Services, selected: Selection): Promise<Selection> {
  const sessions = new Set(selected.sessions)
  const turns = new Set<string>()
  const prompts: number[] = []
  for (const id of new Set(selected.prompts)) {
    const prompt = await store.prompts.get(id)
    if (!prompt || sessions.has(prompt.sessionId)) continue
    prompts.push(id)
    turns.add(`${prompt.sessionId}:${prompt.number}`)
  }
  const isCovered = (memory: { sessionId: number; promptNumber: number } | null | undefined) =>
    !memory || sessions.has(memory.sessionId) || turns.has(`${memory.sessionId}:${memory.promptNumber}`)
  const keep = async (ids: number[], get: (id: number) => Promise<{ sessionId: number; promptNumber: number } | null | undefined>) => {
    const kept: number[] = []
    for (const id of new Set(ids)) if (!isCovered(await get(id))) kept.push(id)
    return kept
  }
  return {
    sessions: [...sessions],
    prompts,
    observations: await keep(selected.observations, async (id) => (await store.observations.get([id]))[0]),
    summaries: await keep(selected.summaries, (id) => store.summaries.get(id)),
    toolUses: await keep(selected.toolUses, (id) => store.toolUses.get(id)),
    commits: [...new Set(selected.commits)],
    notes: [...new Set(selected.notes)],
    units: [...new Set(selected.units)],
  }
}

/** Notes that were made from the selection: of a session, from a sentence of a turn, or by merging and reflecting on a selected note. */
async function notesDerivedFrom(
  { store }: Services,
  selection: Selection,
  statements: Awaited<ReturnType<typeof planStatements>>,
): Promise<NoteId[]> {
  const found = new Set<NoteId>(statements.notes)
  const chosen = new Set<string>(selection.notes)
  for (const id of selection.sessions) {
    const session = await store.sessions.get(id)
    for (const note of session ? await store.notes.allOfSession(session.contentSessionId) : []) if (!isStatement(note)) found.add(note.id)
  }
  for (const id of selection.prompts) {
    const prompt = await store.prompts.get(id)
    const session = prompt && (await store.sessions.get(prompt.sessionId))
    if (!prompt || !session) continue
    const said = ` ${normalised(`${prompt.text} ${prompt.answer ?? ''}`)} `
    for (const note of await store.notes.allOfSession(session.contentSessionId))
      if (note.type !== 'episodic' && !isStatement(note) && said.includes(` ${normalised(note.body)} `)) found.add(note.id)
  }
  for (const note of await notesOfUnits(store, selection.units)) if (note.deletedAt !== null) found.add(note.id)
  const sources = [...chosen, ...found]
  for (let at = 0; at < sources.length; at++) {
    const id = asNoteId(sources[at] as string)
    for (const note of await notesMadeFrom(store, id)) {
      if (chosen.has(note.id) || found.has(note.id)) continue
      // Said elsewhere too.
      if (!chosen.has(id) && isStatement(note) && note.said.length > 0) continue
      found.add(note.id)
      sources.push(note.id)
    }
  }
  return [...found].filter((id) => !chosen.has(id))
}

/** The notes of the sessions that earlier deletions were about: those that were hidden with them, and the sessions' own, which were rewritten. */
async function notesOfUnits(store: Services['store'], units: string[]): Promise<Note[]> {
  const found: Note[] = []
  for (const unit of units) {
    const [session] = await store.tombstones.sessionsOf([unit])
    const at = (await (await store.deletions()).unit(unit))?.at ?? 0
    const isMerged = (note: Note) => note.source === 'merge' || note.source === 'reflection'
    found.push(...(await store.notes.deletedAt(at)).filter((note) => isMerged(note) || (note.session === session && !isStatement(note))))
    const own = session ? await store.notes.ofSession(session) : null
    if (own && own.deletedAt === null) found.push(own)
  }
  return found
}

/** Merged and reflected notes that quote a note, other versions of it, and hidden notes that say nearly the same. */
async function notesMadeFrom(store: Services['store'], id: NoteId): Promise<Note[]> {
  const note = await store.notes.get(id)
  if (!note) return []
  const newer = await Promise.all((await store.notes.supersededBy(id)).map((one) => store.notes.get(one)))
  const older = await Promise.all(note.supersedes.map((one) => store.notes.get(one)))
  const isSame = (one: Note) => normalised(one.body) === normalised(note.body) || areNear(shingles(one.body), shingles(note.body))
  return [
    ...newer.filter((one) => one !== null && (one.source === 'merge' || one.source === 'reflection' || isSame(one))),
    ...older.filter((one) => one !== null && note.source !== 'merge' && isSame(one)),
    ...(await store.notes.versionsAndReflectionsOf(id)),
  ].filter((one) => one !== null)
}

/** Sessions with a note that stays although something of the session goes. */
async function episodesToRewrite({ store }: Services, selection: Selection, goingNotes: NoteId[]): Promise<DeletionPlan['rewritten']> {
  const ids = new Set<number>()
  for (const id of selection.prompts) ids.add((await store.prompts.get(id))?.sessionId ?? 0)
  for (const { sessionId } of await store.observations.get(selection.observations)) ids.add(sessionId)
  for (const id of selection.summaries) ids.add((await store.summaries.get(id))?.sessionId ?? 0)
  for (const id of selection.toolUses) ids.add((await store.toolUses.get(id))?.sessionId ?? 0)
  const rewritten: DeletionPlan['rewritten'] = []
  // Their text was rewritten when the turns were hidden; the history of the files was not.
  for (const note of await notesOfUnits(store, selection.units))
    if (note.deletedAt === null) rewritten.push({ sessionId: 0, note: note.id })
  for (const id of ids) {
    const session = await store.sessions.get(id)
    const note = session && (await store.notes.ofSession(session.contentSessionId))
    if (note && note.deletedAt === null && !goingNotes.includes(note.id)) rewritten.push({ sessionId: id, note: note.id })
  }
  return rewritten
}

const MAX_LISTED_ITEMS = 500

/** Describes a plan for a person. */
export async function previewOf(services: Services, plan: DeletionPlan, hard: boolean): Promise<ForgetPreview> {
  const { store } = services
  const chosen = await itemsOf(services, plan)
  const derived = (await notesOf(services, plan.derivedNotes)).map((note) => noteItem(note, 'derived'))
  const rewritten = await notesOf(
    services,
    plan.rewritten.map(({ note }) => note),
  )
  const deletions = await store.deletions()
  const units = (await Promise.all(plan.units.map((unit) => deletions.unit(unit)))).flatMap((unit) => unit ?? [])
  return {
    hard,
    counts: await countsOf(services, plan, units),
    items: [...chosen, ...units.map((unit) => unitItem(unit, 'chosen')), ...derived].slice(0, MAX_LISTED_ITEMS),
    rewritten: rewritten.map(({ id, title }) => ({ id: memoryId('note', id), title })),
    remaining: hard ? await remainingCopies(services, plan, units) : [],
    fingerprint: fingerprint(JSON.stringify([plan, hard])),
  }
}

async function countsOf({ store }: Services, plan: DeletionPlan, units: DeletedUnit[]): Promise<ForgetCounts> {
  const rows = await (await store.deletions()).count(plan)
  const unitsOf = (kind: DeletedUnit['kind']) => units.filter((unit) => unit.kind === kind).length
  return {
    sessions: plan.sessions.length + unitsOf('sessions'),
    prompts: rows.prompts + unitsOf('prompts'),
    toolUses: rows.toolUses + plan.toolUses.length + unitsOf('tool_uses'),
    observations: rows.observations + plan.observations.length + unitsOf('observations'),
    summaries: rows.summaries + plan.summaries.length + unitsOf('summaries'),
    notes: plan.notes.length + plan.derivedNotes.length,
    commits: plan.commits.length + unitsOf('commits'),
    injections: rows.injections + plan.injections.length,
  }
}

async function itemsOf(services: Services, plan: DeletionPlan): Promise<ForgottenItem[]> {
  const { store } = services
  const items: ForgottenItem[] = []
  const because = 'chosen' as const
  for (const id of plan.sessions.slice(0, MAX_LISTED_ITEMS)) {
    const session = await store.sessions.get(id)
    if (!session) continue
    const [first] = session.title ? [] : await store.prompts.ofSession(id)
    const title = session.title ?? shorten(first?.text ?? '', MAX_TITLE_CHARS)
    items.push({ kind: 'session', id: session.contentSessionId, title, project: session.project, at: session.startedAt, because })
  }
  for (const id of plan.prompts.slice(0, MAX_LISTED_ITEMS)) {
    const prompt = await store.prompts.get(id)
    const project = prompt ? ((await store.sessions.get(prompt.sessionId))?.project ?? '') : ''
    if (prompt)
      items.push({
        kind: 'prompt',
        id: memoryId('prompt', id),
        title: shorten(prompt.text, MAX_TITLE_CHARS),
        project,
        at: prompt.at,
        because,
      })
  }
  for (const { id, title, project, at } of await store.observations.get(plan.observations.slice(0, MAX_LISTED_ITEMS)))
    items.push({ kind: 'observation', id: memoryId('observation', id), title, project, at, because })
  for (const id of plan.summaries.slice(0, MAX_LISTED_ITEMS)) {
    const summary = await store.summaries.get(id)
    if (!summary) continue
    const title = shorten(summary.request || summary.completed || summary.notes || summary.learned, MAX_TITLE_CHARS)
    items.push({ kind: 'summary', id: memoryId('summary', id), title, project: summary.project, at: summary.at, because })
  }
  for (const id of plan.commits.slice(0, MAX_LISTED_ITEMS)) {
    const commit = await store.commits.get(id)
    if (commit)
      items.push({ kind: 'commit', id: memoryId('commit', id), title: commit.subject, project: commit.project, at: commit.at, because })
  }
  return [...items, ...(await notesOf(services, plan.notes.slice(0, MAX_LISTED_ITEMS))).map((note) => noteItem(note, because))]
}

const MAX_TITLE_CHARS = 120

const noteItem = ({ id, title, project, createdAt }: Note, because: ForgottenItem['because']): ForgottenItem => ({
  kind: 'note',
  id: memoryId('note', id),
  title,
  project,
  at: createdAt,
  because,
})

/** A deletion as the thing that was deleted. */
export function unitItem({ unit, kind, ref, row, project }: DeletedUnit, because: ForgottenItem['because']): ForgottenItem {
  const text = (...names: string[]) => shorten(String(names.map((name) => row[name]).find(Boolean) ?? ''), MAX_TITLE_CHARS)
  const at = Number(row.at ?? row.started_at ?? 0)
  switch (kind) {
    case 'sessions':
      return { kind: 'session', id: String(row.content_session_id), title: text('title'), project, at, because }
    case 'prompts':
      return { kind: 'prompt', id: memoryId('prompt', ref), title: text('text'), project, at, because }
    case 'summaries':
      return {
        kind: 'summary',
        id: memoryId('summary', ref),
        title: text('request', 'completed', 'notes', 'learned'),
        project,
        at,
        because,
      }
    case 'observations':
      return { kind: 'observation', id: memoryId('observation', ref), title: text('title'), project, at, because }
    case 'commits':
      return { kind: 'commit', id: unit, title: text('subject'), project, at, because }
    default:
      return { kind: 'observation', id: unit, title: text('tool', 'event'), project, at, because }
  }
}

async function notesOf({ store }: Services, ids: string[]): Promise<Note[]> {
  return (await Promise.all(ids.map((id) => store.notes.get(asNoteId(id))))).flatMap((note) => note ?? [])
}

const MAX_LISTED_COPIES = 20

/** Copies that are not ours to delete, and how a person deletes them. */
async function remainingCopies(services: Services, plan: DeletionPlan, units: DeletedUnit[]): Promise<RemainingCopy[]> {
  const { store } = services
  const sessionIds = new Set(plan.sessions)
  for (const id of plan.prompts) sessionIds.add((await store.prompts.get(id))?.sessionId ?? 0)
  for (const { sessionId } of await store.observations.get(plan.observations)) sessionIds.add(sessionId)
  for (const id of plan.summaries) sessionIds.add((await store.summaries.get(id))?.sessionId ?? 0)
  for (const id of plan.toolUses) sessionIds.add((await store.toolUses.get(id))?.sessionId ?? 0)
  for (const { row } of units) sessionIds.add(Number(row.session_id ?? 0))
  const transcripts = new Set(units.flatMap(({ row }) => (typeof row.transcript === 'string' ? [row.transcript] : [])))
  for (const id of sessionIds) {
    const session = await store.sessions.get(id)
    if (session?.transcript) transcripts.add(session.transcript)
  }
  const existing = [...transcripts].filter((path) => exists(path))
  const copies: RemainingCopy[] = existing.slice(0, MAX_LISTED_COPIES).map((where) => ({
    what: "the agent's own transcript of the session",
    where,
    how: `rm '${where}' (the agent can then no longer resume the session)`,
  }))
  if (existing.length > MAX_LISTED_COPIES)
    copies.push({
      what: `${existing.length - MAX_LISTED_COPIES} more transcripts of the agent`,
      where: '',
      how: 'delete them in the agent',
    })
  copies.push(...(await commitsInRepositories(services, plan, units)))
  for (const name of foldersIn(services.home.folder)?.filter((one) => one.startsWith(REPLACED_PREFIX)) ?? []) {
    const where = join(services.home.folder, name)
    copies.push({ what: 'data that was set aside when a backup was restored', where, how: `rm -r '${where}'` })
  }
  const notes = [...plan.notes, ...plan.derivedNotes, ...plan.rewritten.map(({ note }) => note)].map(asNoteId)
  const { pushedNotes, mirroredNotes } = await import('../sync/sync.ts')
  const pushed = await pushedNotes(services.notebook, notes)
  if (pushed.length > 0) {
    const names = pushed.map((id) => `--path-glob '*${id}*'`).join(' ')
    copies.push({
      what: `the history of the synced notes (${pushed.length} of them ${pushed.length === 1 ? 'was' : 'were'} pushed)`,
      where: syncSettings(services).remote || 'a remote that was used before',
      how: `in a fresh clone of it: git filter-repo --invert-paths ${names} && git push --force, then clone again on each machine`,
    })
  }
  for (const where of await mirroredNotes(services.notebook, plan.folders, notes))
    copies.push({
      what: 'git notes in the repository of the project (refs/notes/mem)',
      where,
      how: `git -C '${where}' reflog expire --expire=now --all && git -C '${where}' gc --prune=now; if they were pushed, also: git push --force origin 'refs/notes/mem/*:refs/notes/mem/*'`,
    })
  return copies
}

/** The commits are still in the repositories they were read from. */
async function commitsInRepositories(services: Services, plan: DeletionPlan, units: DeletedUnit[]): Promise<RemainingCopy[]> {
  const { store } = services
  const commits = (await Promise.all(plan.commits.map((id) => store.commits.get(id)))).flatMap((commit) => commit ?? [])
  const hashes = [
    ...commits.map(({ project, hash }) => ({ project: project as string, hash })),
    ...units.filter(({ kind }) => kind === 'commits').map(({ project, row }) => ({ project, hash: String(row.hash) })),
  ]
  const copies: RemainingCopy[] = []
  for (const [project, of] of Map.groupBy(hashes, (one) => one.project)) {
    const [session] = await store.sessions.recent(asProjectKey(project), 1)
    const shown = of.slice(0, MAX_LISTED_COPIES).map(({ hash }) => shortHash(hash))
    const more = of.length > shown.length ? ` and ${of.length - shown.length} more` : ''
    copies.push({
      what: `the ${of.length === 1 ? 'commit' : 'commits'} in the project's own repository (${shown.join(', ')}${more})`,
      where: session?.folder ?? project,
      how: 'rewrite the history of the repository (git rebase --interactive, or git filter-repo), push it with --force, and run: git reflog expire --expire=now --all && git gc --prune=now',
    })
  }
  return copies
}

/** The folders in which the projects of some notes were last worked on. */
async function foldersOf(services: Services, notes: string[]): Promise<string[]> {
  const projects = new Set((await notesOf(services, notes)).map(({ project }) => project))
  const sessions = await Promise.all([...projects].map((project) => services.store.sessions.recent(project, 1)))
  return [...new Set(sessions.flat().map(({ folder }) => folder))]
}

const TURNS_PER_TRANSACTION = 20
const COMMITS_PER_TRANSACTION = 100

/**
 * Moves everything of a plan out of sight, so that it can be restored or erased; notes of a hard deletion are deleted at once. Carrying a plan
 * out twice changes nothing more.
 */
export async function hide(services: Services, plan: DeletionPlan, hard: boolean, now: number): Promise<void> {
  const { store } = services
  const changes: Change[] = []
  const removed = (ids: number[]) => changes.push(...ids.map((id) => ({ kind: 'observation-removed' as const, id })))
  // First, because the records that quote a memory can only be found while it is there.
  const injections = [...new Set([...plan.injections, ...(await injectionsQuoting(store, plan))])]
  await store.transaction(async () => (await store.deletions()).hideInjections(injections, unitsOf(plan)[0] ?? '', now))
  for (const id of plan.sessions) {
    const observations = await store.transaction(async () => (await store.deletions()).hideSession(id, sessionUnit(id), now))
    removed(observations ?? [])
    await Bun.sleep(0) // let hooks that arrived meanwhile go first
  }
  for (let from = 0; from < plan.prompts.length; from += TURNS_PER_TRANSACTION) {
    const batch = plan.prompts.slice(from, from + TURNS_PER_TRANSACTION)
    changes.push(...(await store.transaction(() => hideTurns(services, batch, now))))
    await Bun.sleep(0)
  }
  changes.push(...(await store.transaction(() => hideSingles(services, plan, now))))
  for (let from = 0; from < plan.commits.length; from += COMMITS_PER_TRANSACTION) {
    const batch = plan.commits.slice(from, from + COMMITS_PER_TRANSACTION)
    await store.transaction(async () => {
      for (const id of batch) {
        await (await store.deletions()).keepCommit(id, memoryId('commit', id), now)
        await store.commits.forget(id)
      }
    })
    await Bun.sleep(0)
  }
  for (const [note, lost] of Map.groupBy(plan.lostPlaces, (place) => asNoteId(place.note)))
    changes.push(...(await losePlaces(services, note, lost, hard, now)))
  for (const id of [...plan.notes, ...plan.derivedNotes].map(asNoteId)) {
    if (hard) changes.push(...(await purgeNote(services.notebook, id, now)))
    else changes.push(...((await forgetNote(services.notebook, id, now))?.changes ?? []))
  }
  for (const { sessionId, note } of plan.rewritten) changes.push(...(await rewriteEpisode(services, sessionId, asNoteId(note), hard, now)))
  services.announce(changes)
  services.stream.publish({ type: 'memories-deleted', data: {} })
  services.queue.kick()
}

const toolUseUnit = (id: number) => `tool use ${id}`

/** The deletions that carrying out a plan makes; each can be undone alone. Records of what was shown come back with the first one. */
export function unitsOf({ sessions, prompts, observations, summaries, toolUses, commits, notes }: DeletionPlan): string[] {
  return [
    ...sessions.map(sessionUnit),
    ...prompts.map((id) => memoryId('prompt', id)),
    ...observations.map((id) => memoryId('observation', id)),
    ...summaries.map((id) => memoryId('summary', id)),
    ...toolUses.map(toolUseUnit),
    ...commits.map((id) => memoryId('commit', id)),
    ...notes.map((id) => memoryId('note', id)),
  ]
}

async function hideTurns(services: Services, promptIds: number[], now: number): Promise<Change[]> {
  const { store } = services
  const changes: Change[] = []
  const sessions = new Set<number>()
  for (const id of promptIds) {
    const turn = await (await store.deletions()).hideTurn(id, memoryId('prompt', id), now)
    if (!turn) continue
    sessions.add(turn.sessionId)
    changes.push(...turn.observations.map((one) => ({ kind: 'observation-removed' as const, id: one })))
    await store.prompts.reindexAround(turn.sessionId, turn.number)
    for (const number of turn.dependent)
      changes.push(...(await distillAgain(services, { sessionId: turn.sessionId, number }, memoryId('prompt', id), now)))
  }
  // The title of the session is gone, which was part of the context of its observations.
  for (const id of sessions) {
    await store.observations.reindex(id)
    await rebuildThreads(store, id)
  }
  return changes
}

/** Distills a turn without what was deleted. Observations that it then no longer has stay away as long as `unit` is deleted. */
async function distillAgain(services: Services, turn: { sessionId: number; number: number }, unit: string, now: number): Promise<Change[]> {
  const { store } = services
  const observations = async () =>
    (await store.observations.ofSession(turn.sessionId, Number.MAX_SAFE_INTEGER)).filter((one) => one.promptNumber === turn.number)
  const before = await observations()
  await store.distilledTurns.forget(turn.sessionId, turn.number)
  const changes = await distillTurn(store, turn, readActionWith(services.agents))
  const kept = new Set((await observations()).map(({ title }) => title))
  await (await store.deletions()).buryObservations(
    unit,
    before.filter(({ title }) => !kept.has(title)),
    now,
  )
  await queueDistillingByModel(services, turn, now)
  return changes
}

async function hideSingles(services: Services, plan: DeletionPlan, now: number): Promise<Change[]> {
  const { store } = services
  const changes: Change[] = []
  for (const id of plan.observations) {
    const turn = await (await store.deletions()).hideObservation(id, memoryId('observation', id), now)
    if (!turn) continue
    changes.push({ kind: 'observation-removed', id })
    // Otherwise a search for what its turn did would still find it.
    const prompt = await store.prompts.byNumber(turn.sessionId, turn.number)
    if (prompt) await store.prompts.setActivity(prompt, '')
  }
  for (const id of plan.summaries) await (await store.deletions()).hideSummary(id, memoryId('summary', id), now)
  const turns = new Map<string, { sessionId: number; number: number; unit: string }>()
  for (const id of plan.toolUses) {
    const turn = await (await store.deletions()).hideToolUse(id, toolUseUnit(id), now)
    if (!turn) continue
    turns.set(`${turn.sessionId}:${turn.number}`, { ...turn, unit: toolUseUnit(id) })
  }
  for (const { unit, ...turn } of turns.values()) {
    const prompt = await store.prompts.byNumber(turn.sessionId, turn.number)
    if (prompt) await store.prompts.setActivity(prompt, '')
    changes.push(...(await distillAgain(services, turn, unit, now)))
  }
  return changes
}

/** Takes places away from a statement and remembers them with the deletion. One that a person rejected keeps them until they are erased. */
async function losePlaces(
  { store, notebook }: Services,
  id: NoteId,
  lost: DeletionPlan['lostPlaces'],
  hard: boolean,
  now: number,
): Promise<Change[]> {
  const note = await store.notes.get(id)
  const places = lost.filter(({ place }) => note?.said.includes(place))
  const gone = places.map(({ place }) => place)
  if (!note || places.length === 0 || (note.deletedAt !== null && !hard)) return []
  await store.transaction(async () => {
    for (const one of places) await (await store.deletions()).keepPlace({ ...one, project: note.project }, now)
    await stateAgain(store, gone, now)
  })
  return removePlaces(notebook, id, gone, now)
}

/** Writes the note of a session again from what is left of it. A note that a person has edited is deleted instead, because it may quote anything. */
async function rewriteEpisode(services: Services, sessionId: number, id: NoteId, hard: boolean, now: number): Promise<Change[]> {
  const note = await services.store.notes.get(id)
  if (!note || sessionId === 0) return []
  const session = await services.store.sessions.get(sessionId)
  const draft = session && !isEditedByHand(note) ? episodeDraft(await episodeOf(services, session, 'session-end')) : null
  if (draft) return rewriteNote(services.notebook, note.id, draft, now)
  return hard ? purgeNote(services.notebook, note.id, now) : ((await forgetNote(services.notebook, note.id, now))?.changes ?? [])
}
