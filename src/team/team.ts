/**
 * The laptop's side of a team: an outbox of what changed, an inbox of what others shared, and the membership. It talks to the hub over HTTP and
 * writes copies through `notes`; everything a hub says is parsed and bounded. It never changes a note of the person, and no hook waits for it.
 */
import { asProjectKey, GLOBAL_PROJECT, type ProjectKey } from '../core/ids.ts'
import { asNoteId, type Note, type NoteId } from '../core/note.ts'
import type { OwnMachinesState, ReceivedVersion, SharedProblem, TeamConflict, TeamPolicy, TeamRight, TeamState } from '../core/team.ts'
import type { Home } from '../platform/paths.ts'
import type { ReceivedMemory, Store } from '../store/store.ts'
import { type HubDevice, type HubMember, SharedBody } from '../wire/contract/hub.ts'
import type { TeamContext } from './context.ts'
import { dropCopies } from './exchange.ts'
import { callHub, normalizedUrl, whyUrlUnusable } from './hub-client.ts'
import { fromStart, pullProject } from './inbox.ts'
import { type Membership, readMembership, removeMembership, writeMembership } from './membership.ts'
import { sendOutbox } from './outbox.ts'
import { readRing, removeRing } from './own.ts'
import { sharedNote, sharedObservation, sharedSummary } from './shareable.ts'
import { answerOf, TeamProblem } from './team-problem.ts'

export { ExchangeEnded, type TeamContext } from './context.ts'
export { type ExchangeResult, exchange } from './exchange.ts'
export { type Membership, readMembership } from './membership.ts'
export { itemId, type KeyRing, needsPhrase, type OwnParcel, openOwn, pullOwn, pushOwn, readRing, removeRing, rotatePhrase } from './own.ts'
export { resolveConflict } from './resolve.ts'
export { TeamProblem } from './team-problem.ts'

/** Joins a team with a code that works once. */
export async function joinTeam(
  home: Home,
  store: Store,
  request: { url: string; code: string; device: string },
  signal: AbortSignal,
  now: number,
): Promise<Membership> {
  const known = readMembership(home)
  if (known)
    throw new TeamProblem(
      `this machine is already in a team, as ${known.member.name} at ${known.url}; leave it first: recollect team leave`,
    )
  const reason = whyUrlUnusable(request.url)
  if (reason) throw new TeamProblem(reason)
  const url = normalizedUrl(request.url)
  const joined = answerOf(
    await callHub({ url, token: null }, 'POST /v1/enrol', { code: request.code.trim(), device: request.device }, signal),
    url,
  )
  const membership: Membership = { url, hub: joined.hub, token: joined.token, member: joined.member, device: joined.device, joinedAt: now }
  writeMembership(home, membership)
  const team = await store.team()
  await store.transaction(async () => {
    // A restored backup may know another hub.
    if ((await store.audit.mark(HUB_MARK)) !== joined.hub) await team.clear()
    await store.audit.setMark(HUB_MARK, joined.hub)
    await store.audit.add({ at: now, action: 'team-join', subject: url, details: { device: joined.device.id } })
  })
  return membership
}

const HUB_MARK = 'team hub'

/** Leaves the team: copies and the token are removed here, and the hub no longer accepts this device. With `deletes`, what was shared goes first. */
export async function leaveTeam(
  context: TeamContext,
  home: Home,
  membership: Membership,
  deletes: boolean,
): Promise<{ deleted: number; isRevoked: boolean }> {
  const { store } = context.book
  const team = await store.team()
  let deleted = 0
  if (deletes) {
    deleted = (await Promise.all((await team.projects()).map(async ({ key }) => (await team.sharedIn(key)).length))).reduce(
      (a, b) => a + b,
      0,
    )
    for (const { key } of await team.projects()) await withdrawProject(context, key)
    const left = (await Promise.all((await team.projects()).map(async ({ key }) => (await team.sharedIn(key)).length))).reduce(
      (a, b) => a + b,
      0,
    )
    if (left > 0)
      throw new TeamProblem(
        `${left} shared memories could not be deleted on the hub, so you are still in the team; see recollect team status`,
      )
  }
  const revoked = await callHub(context.hub, 'POST /v1/devices/:id/revoke', { id: membership.device.id }, context.signal)
  await dropCopies(context)
  removeRing(home)
  removeMembership(home)
  await store.transaction(async () => {
    await team.clear()
    await (await store.ownMachines()).switchOff()
    await store.audit.add({ at: context.now(), action: 'team-leave', subject: membership.url, details: { deleted } })
  })
  return { deleted, isRevoked: revoked.kind === 'answered' }
}

/** What sharing a project would send now: titles, newest first, at most `limit`, and the number of all. */
export type SharePreview = { project: ProjectKey; notes: number; distilled: number; titles: string[] }

export async function previewShare(context: TeamContext, project: ProjectKey, policy: TeamPolicy, limit: number): Promise<SharePreview> {
  const { store } = context.book
  const preview: SharePreview = { project, notes: 0, distilled: 0, titles: [] }
  const notes = [...store.notes.each(project)].reverse()
  for (const note of notes) {
    const body = sharedNote(note, context.member.id, false, context.now())
    if (!body) continue
    preview.notes++
    if (preview.titles.length < limit) preview.titles.push(body.title)
  }
  if (policy !== 'notes+distilled') return preview
  const promptOf = async (memory: { sessionId: number; promptNumber: number }) =>
    (await store.prompts.byNumber(memory.sessionId, memory.promptNumber))?.text ?? ''
  const distilled = [
    ...(await Promise.all([...store.observations.each(project)].map(async (o) => sharedObservation(o, await promptOf(o))))),
    ...(await Promise.all([...store.summaries.each(project)].map(async (s) => sharedSummary(s, await promptOf(s))))),
  ].filter((body) => body !== null)
  preview.distilled = distilled.length
  preview.titles.push(...distilled.slice(-Math.max(0, limit - preview.titles.length)).map(({ title }) => title))
  return preview
}

/** Shares a project from now on, with what it has already. Creates it on the hub if it is not there yet. */
export async function shareProject(
  context: TeamContext,
  project: ProjectKey,
  policy: Exclude<TeamPolicy, 'off'>,
  title: string,
): Promise<string> {
  const key = await hubProjectFor(context, project, title)
  const { store } = context.book
  const team = await store.team()
  await store.transaction(async () => {
    const known = await team.project(key)
    if (!known) return
    // Read again from the start: another device of the person may have shared some of it before.
    await team.putProject({ ...fromStart(known), policy })
    await team.queueProject(project, policy)
    // A narrower policy takes back what the wider one shared.
    if (known.policy === 'notes+distilled' && policy === 'notes') await team.queueShared(key)
    await store.audit.add({ at: context.now(), action: 'team-share', subject: project, details: { policy } })
  })
  return key
}

/** Shares one note with a project's team, also a global one or one that the policy leaves out. */
export async function shareNote(context: TeamContext, note: Note, project: ProjectKey, title: string): Promise<string> {
  if (!sharedNote(note, context.member.id, true, context.now())) throw new TeamProblem(whyNotShareable(note))
  const key = await hubProjectFor(context, project, title)
  await chooseNote(context, note.id, key, true)
  return key
}

function whyNotShareable(note: Note): string {
  if (note.author !== null) return "it is a copy of another person's note"
  if (note.type === 'episodic') return 'it is the note of a session, which contains what you typed; those are not shared'
  if (note.scope === 'local') return 'it is only for this machine'
  if (note.state !== 'accepted') return 'it is not accepted yet: recollect rules accept, or recollect edit'
  return 'it is deleted, expired, or has a conflict'
}

async function chooseNote({ book, now }: TeamContext, note: NoteId, key: string, isShared: boolean): Promise<void> {
  const team = await book.store.team()
  await book.store.transaction(async () => {
    await team.choose(note, key, isShared)
    await team.queue('note', note)
    await book.store.audit.add({
      at: now(),
      action: isShared ? 'team-share' : 'team-withdraw',
      subject: `N${note}`,
      details: { project: key },
    })
  })
}

/** The hub's project for a project of this home; created if it is not there. */
async function hubProjectFor(context: TeamContext, project: ProjectKey, title: string): Promise<string> {
  if (project === GLOBAL_PROJECT)
    throw new TeamProblem('global notes belong to no project; share one with a project: recollect team share <project> --note <id>')
  if (context.isExcluded(project))
    throw new TeamProblem(`${project} is excluded from memory (privacy.exclude_projects), so nothing of it is shared`)
  const team = await context.book.store.team()
  const known = (await team.projects()).find((one) => one.project === project && one.may !== null)
  if (known?.may === 'read') throw new TeamProblem(`you may read ${known.key} on the hub but not write to it; ask a curator of the project`)
  const {
    key,
    title: stored,
    may,
    review,
    head,
  } = known
    ? { ...known, key: known.key }
    : answerOf(await callHub(context.hub, 'POST /v1/projects', { key: project, title, review: false }, context.signal), context.hub.url)
  if (may === 'read') throw new TeamProblem(`you may read ${key} on the hub but not write to it; ask a curator of the project`)
  await context.book.store.transaction(async () => {
    const row = await team.project(key)
    await team.putProject({ policy: 'off', pulled: 0, reading: 1, finished: 0, ...row, key, project, title: stored, may, review, head })
  })
  return key
}

/** Stops sharing a project and deletes there what this home has shared. */
export async function withdrawProject(context: TeamContext, key: string): Promise<void> {
  const { store } = context.book
  const team = await store.team()
  await store.transaction(async () => {
    const known = await team.project(key)
    if (known) await team.putProject({ ...known, policy: 'off' })
    await team.dropChosen(key)
    await team.queueShared(key)
    await store.audit.add({ at: context.now(), action: 'team-withdraw', subject: key, details: {} })
  })
  await sendOutbox(context)
}

/** Takes one note back from every project, or from one. It is not shared again by itself. */
export async function withdrawNote(context: TeamContext, note: NoteId): Promise<number> {
  const team = await context.book.store.team()
  const rows = (await team.sharedOf('note', note)).filter(({ versionOf }) => versionOf === null)
  for (const { key } of rows) await chooseNote(context, note, key, false)
  return rows.length
}

/** Makes another member the author of what this person has shared. */
export async function handOver(context: TeamContext, to: string, project: string | undefined, dryRun: boolean): Promise<number> {
  const request = { to, dryRun, ...(project ? { project } : {}) }
  return answerOf(await callHub(context.hub, 'POST /v1/handover', request, context.signal), context.hub.url).memories
}

/** Gives a member a right in a project, or takes it. */
export async function grant(context: TeamContext, project: string, member: string, may: TeamRight | null): Promise<void> {
  const request = { project, member, may }
  answerOf(await callHub(context.hub, 'PUT /v1/grants', request, context.signal), context.hub.url)
}

/** A code that works once: for a new member, or without a name for another device of this person. */
export async function invite(context: TeamContext, name: string | null): Promise<{ code: string; expiresAt: number }> {
  return answerOf(await callHub(context.hub, 'POST /v1/invites', name === null ? {} : { name }, context.signal), context.hub.url)
}

export const listMembers = async (context: TeamContext): Promise<HubMember[]> =>
  answerOf(await callHub(context.hub, 'GET /v1/members', {}, context.signal), context.hub.url).members

export const listDevices = async (context: TeamContext): Promise<HubDevice[]> =>
  answerOf(await callHub(context.hub, 'GET /v1/devices', {}, context.signal), context.hub.url).devices

export const revokeDevice = async (context: TeamContext, id: string): Promise<HubDevice> =>
  answerOf(await callHub(context.hub, 'POST /v1/devices/:id/revoke', { id }, context.signal), context.hub.url)

/** The memories that wait for this person as a curator. */
export async function reviewQueue(store: Store): Promise<ReceivedVersion[]> {
  return (await (await store.team()).toReview()).map(versionOf)
}

/** Accepts or rejects a proposed memory, in the version that was read. */
export async function review(
  context: TeamContext,
  request: { key: string; id: string; hash: string; verdict: 'accepted' | 'rejected' },
): Promise<void> {
  const { key, ...fields } = request
  answerOf(await callHub(context.hub, 'POST /v1/review', { project: key, ...fields }, context.signal), context.hub.url)
  await pullProject(context, key)
}

/** Decides whether what members share in a project waits for a curator. */
export async function requireReview(context: TeamContext, key: string, isRequired: boolean): Promise<void> {
  answerOf(await callHub(context.hub, 'PATCH /v1/projects', { key, review: isRequired }, context.signal), context.hub.url)
  const team = await context.book.store.team()
  await context.book.store.transaction(async () => {
    const known = await team.project(key)
    if (known) await team.putProject({ ...known, review: isRequired })
  })
}

/** Two versions of a memory, where two people or devices changed it. */
export async function conflicts(store: Store): Promise<TeamConflict[]> {
  const team = await store.team()
  const found = new Map<string, TeamConflict>()
  for (const memory of await team.versions()) {
    const id = memory.versionOf ?? memory.id
    const shared = await team.shared(memory.key, id)
    const isCurrent = memory.id === id
    const version = versionOf(memory)
    const conflict = found.get(`${memory.key} ${id}`) ?? {
      key: memory.key,
      id,
      title: version.title,
      current: null,
      kept: [],
      isOwn: shared !== null,
    }
    if (isCurrent) conflict.current = version
    else conflict.kept.push(version)
    found.set(`${memory.key} ${id}`, conflict)
  }
  return [...found.values()]
}

/** The stored JSON is what was parsed when it came. */
function versionOf({ key, id, hash, author, changedAt, body }: ReceivedMemory): ReceivedVersion {
  const parsed = SharedBody.safeParse(body === null ? null : JSON.parse(body))
  return { key, id, hash, author, changedAt, title: parsed.data?.title ?? '', text: parsed.data?.text ?? '' }
}

const CONTACT_MARK = 'team contact'
type Contact = { at: number | null; problem: string | null }

/** Remembers the end of an exchange, for `status` and `doctor`. */
export async function rememberContact(store: Store, problem: string | null, now: number): Promise<void> {
  const last = await store.audit.jsonMark<Contact>(CONTACT_MARK)
  const contact: Contact = { at: problem === null ? now : (last?.at ?? null), problem }
  await store.transaction(() => store.audit.setMark(CONTACT_MARK, JSON.stringify(contact)))
}

const MAX_PROBLEMS = 20

/** The state of the team, without using the network. */
export async function teamState(home: Home, store: Store, url: string): Promise<TeamState> {
  const membership = readMembership(home)
  if (!membership) return { kind: 'none', url }
  const team = await store.team()
  const counts = await team.counts()
  const contact = await store.audit.jsonMark<Contact>(CONTACT_MARK)
  const unsettled = await team.unsettled()
  const problems: SharedProblem[] = []
  for (const { key, id, kind, ref, problem } of unsettled.filter((one) => one.problem !== null).slice(0, MAX_PROBLEMS)) {
    const note = kind === 'note' ? await store.notes.get(asNoteId(ref)) : null
    problems.push({ key, id, title: note?.title ?? kind, problem: problem ?? '' })
  }
  return {
    kind: 'joined',
    url: membership.url,
    member: membership.member.name,
    device: membership.device.name,
    projects: await Promise.all(
      (await team.projects()).map(async ({ key, project, title, policy, may, review }) => ({
        key,
        project,
        title,
        policy,
        may,
        review,
        ...(counts.get(key) ?? { shared: 0, received: 0 }),
        authors: await team.authors(key),
      })),
    ),
    waiting: await team.outboxSize(),
    toReview: (await team.toReview()).length,
    proposed: unsettled.filter(({ state }) => state === 'proposed').length,
    rejected: unsettled.filter(({ state }) => state === 'rejected').length,
    conflicts: (await conflicts(store)).length,
    problems,
    own: await ownState(home, store),
    lastContact: contact?.at ?? null,
    problem: contact?.problem ?? null,
  }
}

/** The result of the last exchange of own memory. */
export type OwnRemark = { needsPhrase: boolean; tooLarge: string[] }
export const OWN_REMARK = 'own machines, state'

async function ownState(home: Home, store: Store): Promise<OwnMachinesState> {
  if (!readRing(home)) return { kind: 'off' }
  const own = await store.ownMachines()
  const remark = await store.audit.jsonMark<OwnRemark>(OWN_REMARK)
  const items = (await own.items()).filter(({ sent }) => sent !== null).length
  return {
    kind: remark?.needsPhrase ? 'needs phrase' : 'on',
    waiting: await own.outboxSize(),
    items,
    tooLarge: remark?.tooLarge.length ?? 0,
  }
}

/** The hub's project that a name means: its key, or a project of this home. */
export async function findTeamProject(store: Store, project: ProjectKey | null, name: string): Promise<string> {
  const projects = await (await store.team()).projects()
  const found =
    projects.find(({ key }) => key === name) ??
    projects.find((one) => one.project === project) ??
    projects.find((one) => one.project === asProjectKey(name))
  if (!found) throw new TeamProblem(`${name} is not shared with the team`)
  return found.key
}
