import { asProjectKey, GLOBAL_PROJECT } from '../core/ids.ts'
import { asNoteId, isNamespace, type NoteId } from '../core/note.ts'
import { sharedHash } from '../core/shared-hash.ts'
import { ulidOf } from '../core/ulid.ts'
import { canHaveFolder, cleanCopyLine, cleanCopyText, type NoteCopy, removeCopy, saveCopy } from '../notes/copies.ts'
import type { ReceivedMemory, SentMemory, StoredTeamProject } from '../store/store.ts'
import type { SharedBody } from '../wire/contract/hub.ts'
import type { ReceivedFeedMemory } from './answers.ts'
import { endedBy, type TeamContext } from './context.ts'
import { callHub } from './hub-client.ts'
import { memberMark, ownNoteId, sharedNote } from './shareable.ts'

/** A hub may hold more than a laptop wants. The oldest copies beyond this are removed again. */
const MAX_COPIES_PER_PROJECT = 20_000
const MEMORIES_PER_PAGE = 100
/** A feed without an end is read on in the next exchange. */
const MAX_PAGES_PER_EXCHANGE = 200
/** Lets hooks go first. */
const COPIES_PER_PAUSE = 20
const MAX_AUTHOR_CHARS = 100

/** Updates the list of projects from the hub. Copies of a project that the member may no longer read are removed. */
export async function refreshProjects(context: TeamContext): Promise<StoredTeamProject[]> {
  const { store } = context.book
  const team = await store.team()
  const reply = await callHub(context.hub, 'GET /v1/projects', {}, context.signal)
  if (reply.kind !== 'answered') throw endedBy(reply)
  const offered = new Map(reply.value.projects.map((project) => [project.key, project]))
  for (const known of await team.projects()) {
    if (known.may !== null && (!offered.has(known.key) || context.isExcluded(known.project))) await loseProject(context, known)
  }
  for (const { key, title, may, review, head } of offered.values()) {
    const project = await store.projects.currentKey(asProjectKey(key.toLowerCase()))
    // Copies in the global one would be shown in every project.
    if (project === GLOBAL_PROJECT || !canHaveFolder(project) || context.isExcluded(project)) continue
    await store.transaction(async () => {
      const known = await team.project(key)
      const base = known ?? { key, policy: 'off' as const, pulled: 0, reading: 1, finished: 0 }
      // With another right, other memories are in the feed. A feed that became shorter was restored from a backup.
      const isReadAgain = known !== null && (known.may !== may || head < known.pulled)
      const from = isReadAgain ? fromStart(known) : base
      await team.putProject({ ...from, project, title: cleanCopyLine(context.book, title), may, review, head })
      if (known && known.project !== project) {
        await team.queueShared(key)
        if (known.policy !== 'off') await team.queueProject(project, known.policy)
      }
    })
    const stored = await team.project(key)
    if (stored) await moveCopies(context, stored)
  }
  return (await team.projects()).filter(({ may }) => may !== null)
}

/** The feed is read again from its start. What is not seen again is removed at its end. */
export const fromStart = (project: StoredTeamProject): StoredTeamProject => ({ ...project, pulled: 0, reading: project.reading + 1 })

/** Copies follow their project when the person joins it with another one. */
async function moveCopies({ book }: TeamContext, { key, project }: StoredTeamProject): Promise<void> {
  const team = await book.store.team()
  const [first] = await team.receivedIn(key)
  const copy = first?.copy ? await book.store.notes.get(first.copy) : null
  if (!copy || copy.project === project) return
  await book.store.transaction(async () => {
    const stored = await team.project(key)
    if (stored) await team.putProject(fromStart(stored))
  })
}

/** Removes everything that came from a project. What this home shared there stays recorded: the right may return. */
export async function loseProject(context: TeamContext, project: StoredTeamProject): Promise<void> {
  const team = await context.book.store.team()
  await removeReceived(context, await team.receivedIn(project.key))
  await context.book.store.transaction(() => team.putProject({ ...fromStart(project), may: null }))
}

/** Reads the feed of a project from where the last exchange stopped. Every step can be repeated: a memory is one copy, however often it arrives. */
export async function pullProject(context: TeamContext, key: string): Promise<void> {
  const { store } = context.book
  const team = await store.team()
  for (let page = 0; page < MAX_PAGES_PER_EXCHANGE; page++) {
    const project = await team.project(key)
    if (!project || project.may === null) return
    const reply = await callHub(
      context.hub,
      'GET /v1/pull',
      { project: key, after: project.pulled, limit: MEMORIES_PER_PAGE, fresh: project.finished < project.reading },
      context.signal,
    )
    if (reply.kind === 'refused' && reply.status === 403) return loseProject(context, project)
    if (reply.kind === 'refused' && reply.status === 410 && project.pulled > 0) {
      await store.transaction(() => team.putProject(fromStart(project)))
      continue
    }
    if (reply.kind !== 'answered') throw endedBy(reply)
    const { memories, more, head } = reply.value
    const news = memories.filter(({ seq }) => seq > project.pulled).sort((a, b) => a.seq - b.seq)
    for (const [n, memory] of news.entries()) {
      context.signal.throwIfAborted()
      await receive(context, project, memory)
      if (n % COPIES_PER_PAUSE === 0) await Bun.sleep(0)
    }
    const last = news.at(-1)?.seq ?? project.pulled
    // At the end, also past the entries that this member may not see.
    await store.transaction(() => team.putProject({ ...project, pulled: more ? last : Math.max(last, head) }))
    await removeReceived(context, await team.beyond(key, MAX_COPIES_PER_PROJECT))
    // The end of the feed: what a reading from the start has not seen again is gone from the hub.
    if (!more) await finishReading(context, key)
    if (!more) await removeCopiesOfOwn(context, key)
    if (!more || news.length === 0) return
  }
}

async function finishReading(context: TeamContext, key: string): Promise<void> {
  const team = await context.book.store.team()
  const project = await team.project(key)
  if (!project || project.finished === project.reading) return
  await removeReceived(context, await team.notSeenAgain(key, project.reading))
  await context.book.store.transaction(() => team.putProject({ ...project, finished: project.reading }))
}

/** A note that another machine of the person shared came as a copy first, and later as the note itself. */
async function removeCopiesOfOwn(context: TeamContext, key: string): Promise<void> {
  const { id } = context.member
  await removeReceived(context, await (await context.book.store.team()).copiesOfOwn(key, id, memberMark(id)))
}

/** Takes one memory of the feed. */
async function receive(context: TeamContext, project: StoredTeamProject, memory: ReceivedFeedMemory): Promise<void> {
  const team = await context.book.store.team()
  const shared = (await team.shared(project.key, memory.id)) ?? (await adopt(context, project, memory))
  if (shared === 'not shared here') return
  if (shared) return receiveOwn(context, project, shared, memory)
  const known = await team.received(project.key, memory.id)
  // Handed over: the memory is somebody else's now, and the person has the note itself.
  if (memory.body !== null && (await hasNote(context, memory.id))) return removeReceived(context, known ? [known] : [])
  if (!known || known.hash === memory.hash) return receiveOthers(context, project, memory, known)
  // The earlier version must not stay behind on free pages, where nothing would delete it later.
  await context.book.store.withSecureDelete(() => receiveOthers(context, project, memory, known))
}

/** Whether a memory of the hub was made from a note of this home. */
async function hasNote({ book, member }: TeamContext, hubId: string): Promise<boolean> {
  const id = ownNoteId(hubId, member.id)
  const note = id ? await book.store.notes.get(id) : null
  return note !== null && note.author === null
}

/** Takes a memory of another member. */
async function receiveOthers(
  context: TeamContext,
  project: StoredTeamProject,
  memory: ReceivedFeedMemory,
  known: ReceivedMemory | null,
): Promise<void> {
  const { body, state } = memory
  if (body === null || state === 'rejected') {
    await removeReceived(context, known ? [known] : [])
    return
  }
  if (state === 'proposed' || memory.conflictOf !== null) {
    await removeReceived(context, known?.copy ? [known] : [])
    return keep(context, project, memory, null)
  }
  const copy = copyId(context, project, memory.id)
  const current = await context.book.store.notes.get(copy)
  const wanted = copyOf(context, project, memory, body)
  // The hub's order counts, not the clock of whoever wrote it. A memory that was handed over has the same text and another author.
  if (current && (known?.hash !== memory.hash || current.author !== wanted.author))
    wanted.updatedAt = Math.max(wanted.updatedAt, current.updatedAt + 1)
  if (current && current.project !== project.project) context.announce(await removeCopy(context.book, copy, true))
  context.announce((await saveCopy(context.book, wanted)).changes)
  await keep(context, project, memory, copy)
}

/** Records a memory of the feed. Without a note that is its copy, its text is stored beside it. */
async function keep(
  { book }: TeamContext,
  { key, reading }: StoredTeamProject,
  memory: ReceivedFeedMemory,
  copy: NoteId | null,
): Promise<void> {
  const { id, kind, seq, hash, author, state, conflictOf, body, changedAt } = memory
  const cleaned = body && { ...body, title: cleanCopyLine(book, body.title), text: cleanCopyText(book, body.text), tags: [] }
  const team = await book.store.team()
  await book.store.transaction(() =>
    team.putReceived({
      key,
      id,
      kind,
      seq,
      hash,
      authorId: author.id,
      author: authorName(book, author.name),
      state,
      versionOf: conflictOf,
      copy,
      body: copy === null ? JSON.stringify(cleaned) : null,
      changedAt,
      reading,
    }),
  )
}

const authorName = (book: TeamContext['book'], name: string) => cleanCopyLine(book, name).slice(0, MAX_AUTHOR_CHARS) || 'a former member'

/** A memory of this home came back: the hub says what became of it, or somebody changed it. It never changes the person's note. */
async function receiveOwn(context: TeamContext, project: StoredTeamProject, shared: SentMemory, memory: ReceivedFeedMemory): Promise<void> {
  const { store } = context.book
  const team = await store.team()
  if (shared.state === 'waiting') return receiveVerdict(context, shared, memory)
  const known = await team.received(project.key, memory.id)
  if (memory.body === null || memory.author.id !== context.member.id) {
    await store.transaction(async () => {
      // Deleted or handed over there while nothing here is on its way. This home must not share it again by itself.
      if (shared.kind === 'note' && shared.versionOf === null && !(await team.isWaiting(shared.kind, shared.ref)))
        await team.choose(asNoteId(shared.ref), shared.key, false)
      await team.removeShared(shared.key, shared.id)
      if (known) await team.removeReceived(known.key, known.id)
    })
    return
  }
  const isSame = memory.hash === shared.hash || shared.sent === sharedHash(memory.body)
  // Until a person has chosen, both versions are kept, and this home continues to use its own.
  if (!isSame && shared.versionOf === null) await keep(context, project, { ...memory, conflictOf: memory.id }, null)
  else if (known) await store.transaction(() => team.removeReceived(known.key, known.id))
  const hash = isSame || shared.versionOf !== null ? memory.hash : shared.hash
  await store.transaction(() => team.putShared({ ...shared, state: memory.state, hash }))
}

/** A change of an accepted memory waits for a curator beside it. Once accepted it becomes the memory, and the waiting version is deleted. */
async function receiveVerdict({ book }: TeamContext, waiting: SentMemory, memory: ReceivedFeedMemory): Promise<void> {
  const team = await book.store.team()
  const main = waiting.versionOf === null ? null : await team.shared(waiting.key, waiting.versionOf)
  await book.store.transaction(async () => {
    if (memory.body === null) await team.removeShared(waiting.key, waiting.id)
    else if (main) await team.putShared({ ...main, state: memory.state })
  })
}

/**
 * A note of this home that another device of the person has shared. The newer version counts; this home sends its own only if that is newer, and only
 * if it shares the project too. Null if the memory is not one of the person's notes here.
 */
async function adopt(
  { book, member, now }: TeamContext,
  { key, policy }: StoredTeamProject,
  memory: ReceivedFeedMemory,
): Promise<SentMemory | 'not shared here' | null> {
  if (memory.author.id !== member.id || memory.kind !== 'note' || memory.body === null) return null
  // The other device deals with versions of its own.
  if (memory.conflictOf !== null && ownNoteId(memory.conflictOf, member.id)) return 'not shared here'
  const id = ownNoteId(memory.id, member.id)
  const note = id ? await book.store.notes.get(id) : null
  if (!note || note.author !== null) return null
  const team = await book.store.team()
  const ours = sharedNote(note, member.id, true, now())
  const choice = (await team.choices(note.id)).find((one) => one.key === key)?.isShared ?? policy !== 'off'
  if (!ours || !choice) return 'not shared here'
  const sent = ours.updatedAt <= memory.body.updatedAt ? sharedHash(ours) : null
  const { hash, state } = memory
  const shared: SentMemory = { key, id: memory.id, kind: 'note', ref: note.id, hash, sent, state, versionOf: null, problem: null }
  await book.store.transaction(async () => {
    await team.putShared(shared)
    await team.queue('note', note.id)
  })
  return shared
}

/**
 * Removes what came from the hub, and overwrites its text. An edited copy goes too: the person has lost the right to it, or its author deleted it.
 */
export async function removeReceived(context: TeamContext, memories: ReceivedMemory[]): Promise<void> {
  if (memories.length === 0) return
  const { store } = context.book
  const team = await store.team()
  await store.withSecureDelete(async () => {
    for (const { key, id, copy } of memories) {
      if (copy) context.announce(await removeCopy(context.book, copy, true))
      await store.transaction(() => team.removeReceived(key, id))
      await Bun.sleep(0)
    }
  })
}

/** Depends on the hub, the project and the memory, and never equals the id of one of the person's notes. */
const copyId = ({ hub }: TeamContext, { key }: StoredTeamProject, id: string): NoteId =>
  asNoteId(ulidOf(`hub\n${hub.id}\n${key}\n${id}`, 0))

function copyOf(context: TeamContext, project: StoredTeamProject, memory: ReceivedFeedMemory, body: SharedBody): NoteCopy {
  const { book } = context
  // A date in the future would keep it at the top.
  const updatedAt = Math.min(body.updatedAt, context.now())
  return {
    id: copyId(context, project, memory.id),
    type: memory.kind === 'distilled' ? 'episodic' : body.type,
    title: cleanCopyLine(book, body.title),
    namespace: isNamespace(body.namespace) ? body.namespace : 'context',
    tags: cleanCopyText(book, body.tags.join('\n')).split('\n').filter(Boolean),
    createdAt: Math.min(body.createdAt, updatedAt),
    updatedAt,
    machine: '',
    source: 'import',
    author: authorName(book, memory.author.name),
    session: null,
    model: null,
    confidence: body.confidence,
    // Only copies of this project can be replaced by one of its copies.
    supersedes: body.supersedes.map((older) => copyId(context, project, older)),
    conflictOf: null,
    state: 'accepted',
    said: [],
    pinned: false,
    expiresAt: body.expiresAt,
    deletedAt: null,
    body: cleanCopyText(book, body.text),
    unknown: [],
    project: project.project,
  }
}
