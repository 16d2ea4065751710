/**
 * A person's private sessions, notes and distilled memories between their own machines. The hub carries them sealed: see `team/own.ts`. A session is sent
 * by the machine that recorded it; a note by whoever changed it last, and the newer version wins.
 */

import { parseAgentName } from '../core/agent.ts'
import { fingerprint } from '../core/hash.ts'
import { asContentSessionId } from '../core/ids.ts'
import type { Session } from '../core/memory.ts'
import { memoryId, parseMemoryId } from '../core/memory-kinds.ts'
import { asNoteId, type NoteId } from '../core/note.ts'
import { defaultAgent } from '../integrations/agent.ts'
import { importNote, purgeNote } from '../notes/notes.ts'
import type { OwnItem, OwnOutboxEntry } from '../store/store.ts'
import {
  itemId,
  type KeyRing,
  needsPhrase,
  OWN_REMARK,
  type OwnParcel,
  type OwnRemark,
  pullOwn,
  pushOwn,
  readRing,
  type TeamContext,
} from '../team/team.ts'
import type { ExportedLine } from '../wire/export-lines.ts'
import { type DeletionPlan, EMPTY_PLAN, findDeletedSession, hide, planDeletion, previewOf } from './forget.ts'
import { importSessionLines, observationFingerprint, promptFingerprint, readLine } from './import-journal.ts'
import { queueErase } from './routes/forget.ts'
import type { Services } from './services.ts'

const PULLED_MARK = 'own machines, pulled'
/** A session that is going on is sent when it rests: each version is sent whole. */
const REST_MS = 2 * 60_000
const ENTRIES_PER_PASS = 50

/** Receives what the other machines have, then sends what changed here. Does nothing when own memory is off. */
export async function exchangeOwn(services: Services, context: TeamContext): Promise<void> {
  const ring = readRing(services.home)
  if (!ring) return
  const isOutdated = (await needsPhrase(context, ring)) || (await receive(services, context, ring)) === 'needs phrase'
  const tooLarge = isOutdated ? [] : await send(services, context, ring)
  const remark: OwnRemark = { needsPhrase: isOutdated, tooLarge }
  await services.store.transaction(() => services.store.audit.setMark(OWN_REMARK, JSON.stringify(remark)))
}

async function receive(services: Services, context: TeamContext, ring: KeyRing): Promise<'received' | 'needs phrase'> {
  const { store } = services
  const own = await store.ownMachines()
  const pulled = Number((await store.audit.mark(PULLED_MARK)) ?? 0)
  for await (const page of pullOwn(context, ring, pulled)) {
    if (page.kind === 'needs phrase') return 'needs phrase'
    for (const { item, parcel } of page.items) {
      context.signal.throwIfAborted()
      // Two machines may have made the same version number at once; the hub then decides which one is the last.
      if (!parcel || parcel.version < (await own.version(item))) continue
      const known = await own.item(item)
      if (parcel.contents === null) await deleteHere(services, item, parcel)
      else await takeItem(services, item, { ...parcel, contents: parcel.contents }, known)
      await store.transaction(() => own.setVersion(item, parcel.version))
      await Bun.sleep(0)
    }
    await store.transaction(() => store.audit.setMark(PULLED_MARK, String(page.upTo)))
  }
  return 'received'
}

async function takeItem(
  services: Services,
  item: string,
  { kind, name, contents, erased }: OwnParcel & { contents: string },
  known: OwnItem | null,
): Promise<void> {
  const { store } = services
  const own = await store.ownMachines()
  const sent = fingerprint(contents, 32)
  const row = { item, ref: name, sent }
  if (known?.sent === sent && !erased) return
  const lines = contents.split('\n').flatMap((line) => readLine(line, services.rules(defaultAgent)) ?? [])
  if (kind === 'note') {
    const [line] = lines
    if (line?.kind !== 'note' || line.note.id !== name || line.note.scope === 'local' || line.note.author !== null) return
    if (services.rules(defaultAgent).isExcludedProject(line.note.project, '')) return
    services.announce((await importNote(services.notebook, line.note)).changes)
    if (erased) await eraseOlderVersions(services, line.note.id)
    return store.transaction(() => own.put({ ...row, kind: 'note', isFromHere: false }))
  }
  if (kind !== 'session' || known?.isFromHere) return
  const ofSession = lines.filter((line) => 'sessionId' in line && `${line.agent} ${line.sessionId}` === name)
  await importSessionLines(services, ofSession)
  if (known) await removeMissing(services, name, ofSession, erased)
  await store.transaction(() => own.put({ ...row, kind: 'session', isFromHere: false }))
}

/** A note that quoted what was erased was written again; neither its earlier versions nor its history may keep the quote. */
async function eraseOlderVersions(services: Services, id: NoteId): Promise<void> {
  await services.store.transaction(() => services.store.notes.dropVersions(id))
  await erase(services, { ...EMPTY_PLAN, rewritten: [{ sessionId: 0, note: id }] })
}

/**
 * What another machine deleted goes here too, with everything that was made from it; also on a machine that was out of it for a while and no longer
 * knows which items it had.
 */
async function deleteHere(services: Services, item: string, { kind, name, erased }: OwnParcel): Promise<void> {
  const { store } = services
  const note = kind === 'note' ? await store.notes.get(asNoteId(name)) : null
  if (note && (note.author !== null || note.scope === 'local')) return
  const now = Date.now()
  if (kind === 'note' && !erased) services.announce(await purgeNote(services.notebook, asNoteId(name), now))
  else {
    const plan = kind === 'note' ? await planNote(services, name) : await planSession(services, name, erased)
    if (plan && erased) await erase(services, plan)
    else if (plan) await hide(services, plan, false, now)
  }
  await store.transaction(async () => (await store.ownMachines()).remove(item))
}

/** A note that is gone may still have text in the history of the notes. */
async function planNote(services: Services, id: string): Promise<DeletionPlan> {
  const exists = (await services.store.notes.get(asNoteId(id))) !== null
  return exists ? planDeletion(services, { ids: [memoryId('note', id)], hard: true }) : { ...EMPTY_PLAN, notes: [id] }
}

/** Null when the session is not here, or hidden already and not to be erased. */
async function planSession(services: Services, name: string, hard: boolean): Promise<DeletionPlan | null> {
  const id = name.slice(name.indexOf(' ') + 1)
  const isHere = (await sessionOf(services, name)) !== null || (hard && (await findDeletedSession(services, id)) !== null)
  return isHere ? planDeletion(services, { ids: [id], hard }) : null
}

const erase = async (services: Services, plan: DeletionPlan): Promise<void> => {
  await queueErase(services, plan, (await previewOf(services, plan, true)).counts, Date.now())
}

/** Removes the turns, observations and summaries that the machine of a session has deleted since. */
async function removeMissing(services: Services, name: string, lines: ExportedLine[], erased: boolean): Promise<void> {
  const { store } = services
  const session = await sessionOf(services, name)
  if (!session) return
  const sent = new Set(lines.map(partKey))
  const missing = [
    ...(await store.prompts.ofSession(session.id)).map((row) => ({
      id: memoryId('prompt', row.id),
      key: partKey({ kind: 'prompt', ...row }),
    })),
    ...(await store.observations.ofSession(session.id, 100_000)).map((row) => ({
      id: memoryId('observation', row.id),
      key: partKey({ kind: 'observation', ...row }),
    })),
    ...(await store.summaries.allOfSession(session.id)).map((row) => ({
      id: memoryId('summary', row.id),
      key: partKey({ kind: 'summary', ...row }),
    })),
  ].filter(({ key }) => !sent.has(key))
  const now = Date.now()
  // Turns are not distilled again here: without their tool uses, that would only lose what the other machine made of them.
  const { injections } = missing.length > 0 ? await planDeletion(services, { ids: missing.map(({ id }) => id), hard: false }) : EMPTY_PLAN
  await store.transaction(async () => {
    const deletions = await store.deletions()
    await deletions.hideInjections(injections, missing[0]?.id ?? '', now)
    for (const { id } of missing) {
      const { kind, ref } = parseMemoryId(id) ?? { kind: 'note', ref: '' }
      if (kind === 'prompt') await deletions.hideTurn(Number(ref), id, now)
      else if (kind === 'observation') await deletions.hideObservation(Number(ref), id, now)
      else await deletions.hideSummary(Number(ref), id, now)
    }
  })
  if (erased) await eraseHiddenParts(services, session, sent)
}

/** Erases the hidden parts of a session that its machine no longer has. What was hidden only here can still be restored. */
async function eraseHiddenParts(services: Services, session: Session, sent: Set<string>): Promise<void> {
  const hidden = await (await services.store.deletions()).units(session.project, Number.MAX_SAFE_INTEGER)
  const units = hidden
    .filter(({ kind, row }) => row.session_id === session.id && !sent.has(hiddenPartKey(kind, row)))
    .map(({ unit }) => unit)
  if (units.length > 0) await erase(services, { ...EMPTY_PLAN, units })
}

/** Identifies a turn, an observation or a summary on every machine. */
function partKey(
  part:
    | { kind: 'prompt'; at: number; text: string }
    | { kind: 'observation'; promptNumber: number; title: string }
    | { kind: 'summary'; source: string; promptNumber: number }
    | { kind: Exclude<ExportedLine['kind'], 'prompt' | 'observation' | 'summary'> },
): string {
  if (part.kind === 'prompt') return `prompt ${promptFingerprint(part)}`
  if (part.kind === 'observation') return `observation ${observationFingerprint(part)}`
  return part.kind === 'summary' ? `summary ${part.source}:${part.promptNumber}` : part.kind
}

function hiddenPartKey(kind: string, row: Record<string, unknown>): string {
  const [promptNumber, text] = [Number(row.prompt_number), (name: string) => String(row[name])]
  if (kind === 'prompts') return partKey({ kind: 'prompt', at: Number(row.at), text: text('text') })
  if (kind === 'observations') return partKey({ kind: 'observation', promptNumber, title: text('title') })
  return kind === 'summaries' ? partKey({ kind: 'summary', source: text('source'), promptNumber }) : kind
}

/** Sends what changed. Returns what is too large to be sent. */
async function send(services: Services, context: TeamContext, ring: KeyRing): Promise<string[]> {
  const { store } = services
  const own = await store.ownMachines()
  const entries = new Map<OwnParcel, { entry: OwnOutboxEntry; row: OwnItem }>()
  const tooLarge: string[] = []
  const settle = async ({ id, kind, ref }: OwnOutboxEntry) => {
    await own.settle(id)
    await own.settleErased(kind, ref)
  }
  async function* parcels(): AsyncGenerator<OwnParcel> {
    for (let after = 0; ; ) {
      const page = await own.outbox(after, ENTRIES_PER_PASS)
      if (page.length === 0) return
      after = page.at(-1)?.id ?? after
      for (const entry of page) {
        const found = await changeOf(services, ring, entry)
        if (found === 'later') continue
        if (found === 'nothing') await store.transaction(() => settle(entry))
        else {
          await store.transaction(() => own.put(found.row))
          entries.set(found.parcel, { entry, row: found.row })
          yield found.parcel
        }
        await Bun.sleep(0)
      }
    }
  }
  await pushOwn(context, ring, parcels(), async (sent, large) => {
    tooLarge.push(...large.map(({ name }) => name))
    await store.transaction(async () => {
      for (const parcel of [...sent, ...large]) {
        const pending = entries.get(parcel)
        if (!pending) continue
        if (sent.includes(parcel)) await own.setVersion(pending.row.item, parcel.version)
        if (parcel.contents === null) await own.remove(pending.row.item)
        else if (sent.includes(parcel)) await own.put({ ...pending.row, sent: fingerprint(parcel.contents, 32) })
        await settle(pending.entry)
        entries.delete(parcel)
      }
    })
  })
  return tooLarge
}

/** The item to send to the other machines for a session or a note. `later`: the session is still running. */
async function changeOf(
  services: Services,
  ring: KeyRing,
  { kind, ref }: OwnOutboxEntry,
): Promise<{ parcel: OwnParcel; row: OwnItem } | 'nothing' | 'later'> {
  const own = await services.store.ownMachines()
  const known = await own.itemOf(kind, ref)
  const row: OwnItem = known ?? { item: itemId(ring, kind, ref), kind, ref, sent: null, isFromHere: true }
  const contents = kind === 'note' ? await noteContents(services, ref) : await sessionContents(services, ref)
  if (contents === 'later') return 'later'
  const sentVersion = await own.version(row.item)
  const erased = await own.isErased(kind, ref)
  const parcel = { kind, name: ref, version: sentVersion + 1, contents, erased }
  if (contents === null) return known || (erased && sentVersion > 0) ? { parcel, row } : 'nothing'
  if (known && ((kind === 'session' && !known.isFromHere) || (known.sent === fingerprint(contents, 32) && !erased))) return 'nothing'
  return { parcel, row: { ...row, isFromHere: true } }
}

/** A note as a line of an export; null when it is gone, or is only for this machine. */
async function noteContents({ store, rules }: Services, ref: string): Promise<string | null> {
  const note = await store.notes.get(asNoteId(ref))
  if (!note || note.author !== null || note.scope === 'local' || rules(defaultAgent).isExcludedProject(note.project, '')) return null
  const { path: _, ...line } = note
  return JSON.stringify(line)
}

/** A session as the lines of an export: itself, its prompts, observations and summaries. Tool uses stay on the machine that made them. */
async function sessionContents(services: Services, ref: string): Promise<string | null | 'later'> {
  const { store } = services
  const session = await sessionOf(services, ref)
  if (!session || services.rules(defaultAgent).isExcludedProject(session.project, session.folder)) return null
  if (session.status !== 'completed' && Date.now() - session.lastEventAt < REST_MS) return 'later'
  const { agent, contentSessionId: sessionId, project, folder, branch, title, host, startedAt, lastEventAt, endedAt } = session
  const of = { sessionId, agent, project }
  const prompts = await store.prompts.ofSession(session.id)
  const lines = [
    { ...of, folder, branch, title, host, startedAt, lastEventAt, endedAt },
    ...prompts.map(({ origin, text, answer, at, answeredAt }) => ({ ...of, origin, text, answer, at, answeredAt })),
    ...(await store.observations.ofSession(session.id, 100_000)).map(({ id: _, ...o }) => ({ ...o, ...of })),
    ...(await store.summaries.allOfSession(session.id)).map(({ id: _, ...s }) => ({ ...s, ...of })),
  ]
  return lines.map((line) => JSON.stringify(line)).join('\n')
}

async function sessionOf({ store }: Services, ref: string): Promise<Session | null> {
  const space = ref.indexOf(' ')
  const agent = parseAgentName(ref.slice(0, space))
  return agent && store.sessions.find(agent, asContentSessionId(ref.slice(space + 1)))
}
