import { fingerprint } from '../core/hash.ts'
import { asNoteId } from '../core/note.ts'
import { sharedHash } from '../core/shared-hash.ts'
import type { OutboxEntry, SentMemory, StoredTeamProject } from '../store/store.ts'
import { MAX_PUSHED, type PushedMemory, type PushResult, SharedBody } from '../wire/contract/hub.ts'
import { endedBy, type TeamContext } from './context.ts'
import { callHub } from './hub-client.ts'
import { hubIdOf, sharedNote, sharedObservation, sharedSummary } from './shareable.ts'

/** One thing to tell the hub: a version of a memory, or that it is gone. */
type Parcel = { entry: OutboxEntry; row: SentMemory; body: SharedBody | null }

/** Well below what the hub accepts, so that a slow line gets it through in time. */
const MAX_BATCH_BYTES = 2 * 1024 * 1024
const ENTRIES_PER_PASS = 200

/**
 * Sends what changed. Each memory is read when it is sent: the outbox only says which ones changed. A row about it is written before it is sent, and
 * its entry is removed after the hub has answered, so a push that was interrupted is repeated, which changes nothing on the hub.
 */
export async function sendOutbox(context: TeamContext): Promise<{ sent: number }> {
  const team = await context.book.store.team()
  let sent = 0
  let after = 0
  for (;;) {
    const entries = await team.outbox(after, ENTRIES_PER_PASS)
    if (entries.length === 0) return { sent }
    after = entries.at(-1)?.id ?? after
    const projects = new Map((await team.projects()).map((project) => [project.key, project]))
    const byProject = new Map<string, Parcel[]>()
    const unsent = new Map<number, number>()
    for (const entry of entries) {
      const parcels = await parcelsOf(context, entry, projects)
      unsent.set(entry.id, parcels.length)
      if (parcels.length === 0) await context.book.store.transaction(() => team.settle(entry.id))
      for (const parcel of parcels) byProject.set(parcel.row.key, [...(byProject.get(parcel.row.key) ?? []), parcel])
      if (entry.id % 20 === 0) await Bun.sleep(0)
    }
    for (const [key, parcels] of byProject) {
      const project = projects.get(key)
      // Rights may return; until then the entries wait.
      if (!project || project.may === null || project.may === 'read') continue
      for (const batch of batchesOf(parcels)) sent += await push(context, project, batch, unsent)
    }
  }
}

/** The changes of a memory that the hub does not have yet. Empty when it has them all. */
async function parcelsOf(context: TeamContext, entry: OutboxEntry, projects: Map<string, StoredTeamProject>): Promise<Parcel[]> {
  const team = await context.book.store.team()
  const wanted = await wantedVersions(context, entry, [...projects.values()])
  const rows = await team.sharedOf(entry.kind, entry.ref)
  const parcels: Parcel[] = []
  for (const { key, id, body } of wanted) {
    const own = rows.filter((row) => row.key === key && (row.id === id || row.versionOf === id))
    // After a conflict, this home's version lives on under the id that the hub gave it.
    const kept = own.find(({ versionOf, state }) => versionOf !== null && state !== 'waiting')
    const row = kept ?? own.find(({ versionOf }) => versionOf === null) ?? newRow(key, id, entry)
    if (row.sent !== sharedHash(body) || row.problem !== null) parcels.push({ entry, row, body })
  }
  const isWanted = (row: SentMemory) => wanted.some(({ key, id }) => row.key === key && (row.id === id || row.versionOf === id))
  return [...parcels, ...rows.filter((row) => !isWanted(row)).map((row) => ({ entry, row, body: null }))]
}

const newRow = (key: string, id: string, { kind, ref }: OutboxEntry): SentMemory => ({
  key,
  id,
  kind,
  ref,
  hash: null,
  sent: null,
  state: 'accepted',
  versionOf: null,
  problem: null,
})

type WantedVersion = { key: string; id: string; body: SharedBody }

/** The project that shares a memory now, and its form there. */
async function wantedVersions(context: TeamContext, entry: OutboxEntry, projects: StoredTeamProject[]): Promise<WantedVersion[]> {
  const shared = projects.filter(({ project }) => !context.isExcluded(project))
  return entry.kind === 'note' ? wantedNotes(context, entry.ref, shared) : wantedDistilled(context, entry, shared)
}

async function wantedNotes({ book, member, now }: TeamContext, ref: string, projects: StoredTeamProject[]): Promise<WantedVersion[]> {
  const note = await book.store.notes.get(asNoteId(ref))
  if (!note) return []
  const choices = new Map((await (await book.store.team()).choices(note.id)).map(({ key, isShared }) => [key, isShared]))
  return projects.flatMap(({ key, project, policy }) => {
    const chosen = choices.get(key)
    if (chosen === false || (chosen === undefined && (policy === 'off' || project !== note.project))) return []
    const body = sharedNote(note, member.id, chosen === true, now())
    return body ? [{ key, id: hubIdOf(note.id, member.id), body: cleaned(body, book.clean) }] : []
  })
}

async function wantedDistilled({ book }: TeamContext, { kind, ref }: OutboxEntry, projects: StoredTeamProject[]): Promise<WantedVersion[]> {
  const { store } = book
  const memory = kind === 'summary' ? await store.summaries.get(Number(ref)) : (await store.observations.get([Number(ref)]))[0]
  if (!memory) return []
  const sharing = projects.filter(({ project, policy }) => policy === 'notes+distilled' && project === memory.project)
  if (sharing.length === 0) return []
  const session = await store.sessions.get(memory.sessionId)
  const prompt = (await store.prompts.byNumber(memory.sessionId, memory.promptNumber))?.text ?? ''
  const body = 'narrative' in memory ? sharedObservation(memory, prompt) : sharedSummary(memory, prompt)
  if (!body || !session) return []
  // The same on every machine of the person that has the session.
  const title = 'narrative' in memory ? memory.title : ''
  const id = `${kind}-${fingerprint(`${session.contentSessionId}\n${memory.promptNumber}\n${title}`, 40)}`
  return sharing.map(({ key }) => ({ key, id, body: cleaned(body, book.clean) }))
}

/** Rows of the database are clean already; the person may have added a pattern since. */
const cleaned = (body: SharedBody, clean: (text: string) => string): SharedBody => ({
  ...body,
  title: clean(body.title).trim() || 'Untitled',
  text: clean(body.text),
  tags: body.tags.map(clean).filter(Boolean),
})

function* batchesOf(parcels: Parcel[]): Generator<Parcel[]> {
  let batch: Parcel[] = []
  let bytes = 0
  for (const parcel of parcels) {
    const size = parcel.body ? JSON.stringify(parcel.body).length : 100
    if (batch.length > 0 && (batch.length >= MAX_PUSHED || bytes + size > MAX_BATCH_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(parcel)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

/** Pushes one batch and records the results. Returns how many memories the hub took. */
async function push(context: TeamContext, project: StoredTeamProject, batch: Parcel[], unsent: Map<number, number>): Promise<number> {
  const { store } = context.book
  const team = await store.team()
  await store.transaction(async () => {
    for (const { row } of batch) await team.putShared(row)
  })
  // One memory that the hub does not accept, such as a file that was written by hand, must not keep the others from being sent.
  const unfit = batch.flatMap(({ row: { id }, body }): PushResult[] => {
    const reason = body && whyUnfit(body)
    return reason ? [{ id, kind: 'refused', reason }] : []
  })
  const fit = batch.filter(({ row }) => !unfit.some(({ id }) => id === row.id))
  const memories = fit.map(
    ({ row, body, entry }): PushedMemory => ({
      id: row.id,
      kind: entry.kind === 'note' ? 'note' : 'distilled',
      // Its author wants it gone, whatever version the hub has.
      base: body ? row.hash : null,
      body,
    }),
  )
  const reply =
    memories.length > 0
      ? await callHub(context.hub, 'POST /v1/push', { project: project.key, memories }, context.signal)
      : { kind: 'answered' as const, value: { results: [] } }
  if (reply.kind === 'refused' && reply.status === 413) return splitAndPush(context, project, batch, unsent, reply.reason)
  if (reply.kind === 'refused' && reply.status === 403) {
    await store.transaction(() => team.putProject({ ...project, may: 'read' }))
    return 0
  }
  if (reply.kind !== 'answered') throw endedBy(reply)
  const results = new Map([...reply.value.results, ...unfit].map((result) => [result.id, result]))
  // Of a version that was withdrawn before, the hub says that it has the deletion. With that as its base, the version is shared again.
  const again = batch.flatMap((parcel) => {
    const result = results.get(parcel.row.id)
    const isDeletedThere = parcel.body !== null && parcel.row.hash !== DELETED && result?.kind === 'same' && result.hash === DELETED
    return isDeletedThere ? [{ ...parcel, row: { ...parcel.row, hash: DELETED } }] : []
  })
  for (const { row } of again) results.delete(row.id)
  let taken = 0
  await store.transaction(async () => {
    for (const parcel of batch) {
      const result = results.get(parcel.row.id)
      if (!result || !(await applyResult(context, parcel, result))) continue
      taken++
      const left = (unsent.get(parcel.entry.id) ?? 1) - 1
      unsent.set(parcel.entry.id, left)
      if (left === 0) await team.settle(parcel.entry.id)
    }
  })
  return again.length > 0 ? taken + (await push(context, project, again, unsent)) : taken
}

const DELETED = sharedHash(null)

function whyUnfit(body: SharedBody): string | null {
  const issue = SharedBody.safeParse(body).error?.issues[0]
  return issue ? `a hub does not accept it: ${issue.path.join('.')}: ${issue.message}` : null
}

async function splitAndPush(
  context: TeamContext,
  project: StoredTeamProject,
  batch: Parcel[],
  unsent: Map<number, number>,
  reason: string,
): Promise<number> {
  const [first] = batch
  if (batch.length > 1) {
    const middle = Math.ceil(batch.length / 2)
    const [before, after] = [batch.slice(0, middle), batch.slice(middle)]
    return (await push(context, project, before, unsent)) + (await push(context, project, after, unsent))
  }
  const team = await context.book.store.team()
  if (first)
    await context.book.store.transaction(async () => {
      await applyResult(context, first, { id: first.row.id, kind: 'refused', reason })
      await team.settle(first.entry.id)
    })
  return 0
}

/** Records what became of a memory. False if it must be sent again. Runs inside a transaction. */
async function applyResult(context: TeamContext, { row, body, entry }: Parcel, result: PushResult): Promise<boolean> {
  const team = await context.book.store.team()
  const sent = body && sharedHash(body)
  switch (result.kind) {
    case 'stored':
    case 'same':
      if (body) await team.putShared({ ...row, hash: result.hash, sent, state: result.state, problem: null })
      else await team.removeShared(row.key, row.id)
      return true
    case 'conflict':
      if (!body) return false
      await team.putShared({ ...row, hash: result.current, problem: null })
      await team.putShared({ ...newRow(row.key, result.keptAs, entry), hash: sent, sent, versionOf: row.versionOf ?? row.id })
      return true
    case 'proposed':
      await team.putShared({ ...row, hash: result.current, sent, state: 'proposed', problem: null })
      await team.putShared({ ...newRow(row.key, result.keptAs, entry), sent, state: 'waiting', versionOf: row.id })
      return true
    case 'refused':
      await team.putShared({ ...row, problem: result.reason })
      return true
  }
}
