import { closestName } from '../../core/closest-name.ts'
import { asProjectKey, type ProjectKey } from '../../core/ids.ts'
import { asNoteId } from '../../core/note.ts'
import { projectName } from '../../core/project.ts'
import type { TeamState } from '../../core/team.ts'
import { machineName } from '../../platform/machine.ts'
import { loadSettings } from '../../platform/settings.ts'
import {
  conflicts,
  ExchangeEnded,
  findTeamProject,
  grant,
  handOver,
  invite,
  joinTeam,
  leaveTeam,
  listDevices,
  listMembers,
  type Membership,
  openOwn,
  previewShare,
  removeRing,
  requireReview,
  resolveConflict,
  review,
  reviewQueue,
  revokeDevice,
  rotatePhrase,
  shareNote,
  shareProject,
  type TeamContext,
  TeamProblem,
  teamState,
  withdrawNote,
  withdrawProject,
} from '../../team/team.ts'
import type { ParsedRequest } from '../../wire/contract/route.ts'
import type { ShareReport, team } from '../../wire/contract/team.ts'
import { resolveNoteId } from '../memory-ids.ts'
import { noSuchMemory } from '../missing-memory.ts'
import { resolveProject } from '../request-params.ts'
import type { Handlers } from '../router.ts'
import { BadRequest } from '../server.ts'
import type { Services } from '../services.ts'

const MAX_TITLES = 50

export const handlers = {
  'GET /api/team': (services) => stateOf(services),
  'POST /api/team/join': join,
  'POST /api/team/leave': leave,
  'POST /api/team/share': share,
  'POST /api/team/withdraw': withdraw,
  'POST /api/team/handover': async (services, { to, project, dryRun }) => {
    const key = project ? await findTeamProject(services.store, await resolveProject(services, project), project) : undefined
    return { memories: await withTeam(services, (context) => handOver(context, to, key, dryRun)), dryRun }
  },
  'GET /api/team/review': async ({ store }) => ({ memories: await reviewQueue(store) }),
  'POST /api/team/review': async (services, request) => {
    await withTeam(services, (context) => review(context, request))
    return { verdict: request.verdict }
  },
  'PUT /api/team/review': async (services, { project, isRequired }) => {
    const key = await withTeam(services, async (context) => {
      const found = await findTeamProject(services.store, await resolveProject(services, project), project)
      await requireReview(context, found, isRequired)
      return found
    })
    return { project: key, isRequired }
  },
  'GET /api/team/conflicts': async ({ store }) => ({ conflicts: await conflicts(store) }),
  'POST /api/team/resolve': async (services, { key, id, choice }) => {
    if (!(await withTeam(services, (context) => resolveConflict(context, key, id, choice))))
      throw new BadRequest(`${id} has no conflict that this machine can resolve`)
    return { choice }
  },
  'GET /api/team/members': async (services) => ({ members: await withTeam(services, listMembers) }),
  'POST /api/team/grant': async (services, { project, member, may }) => {
    const key = await withTeam(services, async (context) => {
      const found = await findTeamProject(services.store, await resolveProject(services, project), project)
      await grant(context, found, member, may)
      return found
    })
    return { project: key, member, may }
  },
  'POST /api/team/invite': (services, { name }) =>
    withTeam(services, async (context, { url }) => ({ url, ...(await invite(context, name ?? null)) })),
  'GET /api/team/devices': (services) =>
    withTeam(services, async (context, { device }) => ({ devices: await listDevices(context), current: device.id })),
  'POST /api/team/devices/revoke': (services, { id }) =>
    withTeam(services, async (context) => ({ ...(await revokeDevice(context, id)), phrase: await rotatePhrase(context, services.home) })),
  'POST /api/team/own': async (services, { phrase }) => {
    const opened = await withTeam(services, (context) => openOwn(context, services.home, phrase ?? null))
    await services.store.transaction(async () => (await services.store.ownMachines()).switchOn())
    await (await services.team()).now()
    return { ...opened, state: await stateOf(services) }
  },
  'POST /api/team/own/phrase': async (services) => {
    const phrase = await withTeam(services, (context) => rotatePhrase(context, services.home))
    if (phrase === null) throw new BadRequest('own memory is off on this machine; make the phrase on one where it is on')
    return { phrase }
  },
  'POST /api/team/own/off': async (services, { dryRun }) => {
    const own = await services.store.ownMachines()
    const items = (await own.items()).length
    if (!dryRun)
      await withTeam(services, async () => {
        removeRing(services.home)
        await services.store.transaction(() => own.switchOff())
      })
    return { items, dryRun }
  },
  'POST /api/team/exchange': async (services) => {
    if ((await (await services.team()).now()) === null) throw new BadRequest(NO_TEAM)
    return stateOf(services)
  },
} satisfies Handlers<typeof team>

const NO_TEAM = 'this machine has not joined a team; join one with a code from its hub: recollect team join <url> <code>'

const teamSettings = ({ environment }: Services) => loadSettings(environment).settings.team

const stateOf = (services: Services): Promise<TeamState> => teamState(services.home, services.store, teamSettings(services).url)

/** Runs work between two exchanges. A problem that the person can do something about becomes the answer. */
async function withTeam<T>(services: Services, work: (context: TeamContext, membership: Membership) => Promise<T>): Promise<T> {
  try {
    // In a box, because the work may return nothing.
    const done = await (await services.team()).alone(async (context, membership) => ({ value: await work(context, membership) }))
    if (done === null) throw new BadRequest(NO_TEAM)
    return done.value
  } catch (cause) {
    throw cause instanceof TeamProblem || cause instanceof ExchangeEnded ? new BadRequest(cause.message) : cause
  }
}

async function join(services: Services, { url, code, device }: ParsedRequest<typeof team, 'POST /api/team/join'>): Promise<TeamState> {
  const address = url ?? teamSettings(services).url
  if (!address) throw new BadRequest('which hub? recollect team join <url> <code>, or set team.url')
  try {
    const name = device ?? machineName(services.home.folder)
    await joinTeam(services.home, services.store, { url: address, code, device: name }, services.stopSignal, Date.now())
  } catch (cause) {
    throw cause instanceof TeamProblem ? new BadRequest(cause.message) : cause
  }
  const background = await services.team()
  background.listen()
  await background.now()
  return stateOf(services)
}

async function leave(services: Services, { deletes, dryRun }: ParsedRequest<typeof team, 'POST /api/team/leave'>) {
  const state = await stateOf(services)
  if (state.kind === 'none') throw new BadRequest(NO_TEAM)
  const shared = state.projects.reduce((sum, project) => sum + project.shared, 0)
  const received = state.projects.reduce((sum, project) => sum + project.received, 0)
  if (dryRun) return { shared, received, deleted: deletes ? shared : 0, isRevoked: false, dryRun }
  const left = await withTeam(services, (context, membership) => leaveTeam(context, services.home, membership, deletes))
  return { shared, received, ...left, dryRun }
}

async function share(services: Services, request: ParsedRequest<typeof team, 'POST /api/team/share'>): Promise<ShareReport> {
  const project = await resolveProject(services, request.project)
  if (!project) throw new BadRequest(`there is no project ${request.project}`)
  if (!request.create) await requireKnownProject(services, project, request.project)
  const { dryRun, note: noteId } = request
  const policy = request.policy ?? teamSettings(services).share
  const title = projectName(project)
  const report = await withTeam(services, async (context): Promise<ShareReport> => {
    if (noteId !== undefined) {
      const note = await services.store.notes.get(await resolveNoteId(services.store, noteId))
      if (!note) throw noSuchMemory('note', noteId)
      const key = dryRun ? project : await shareNote(context, note, project, title)
      return { key, project, policy: 'one note', notes: 1, distilled: 0, titles: [note.title], dryRun }
    }
    const preview = await previewShare(context, project, policy, MAX_TITLES)
    const key = dryRun ? project : await shareProject(context, project, policy, title)
    return { ...preview, key, policy, dryRun }
  })
  if (!dryRun) await (await services.team()).now()
  return report
}

/** A name that is not known was probably misspelt, and sharing it would make an empty project on the hub. */
async function requireKnownProject(services: Services, project: ProjectKey, name: string): Promise<void> {
  const { store } = services
  const team = await store.team()
  const known = async () => [
    ...(await store.projects.totals()).map((totals) => totals.project),
    ...(await team.projects()).flatMap((one) => (one.may === null ? [] : [one.project, asProjectKey(one.key)])),
  ]
  if (name.startsWith('/') || (await known()).includes(project)) return
  // A right that was given a moment ago.
  if ((await (await services.team()).now()) === null) throw new BadRequest(NO_TEAM)
  const projects = await known()
  if (projects.includes(project)) return
  const close = closestName(name, [...new Set(projects.flatMap((key) => [projectName(key), key]))])
  const hint = close ? `did you mean ${close}?` : `'recollect status' lists the projects.`
  throw new BadRequest(`there is no project ${name}; ${hint} To create it on the hub all the same: recollect team share ${name} --create`)
}

async function withdraw(services: Services, { project, note, dryRun }: ParsedRequest<typeof team, 'POST /api/team/withdraw'>) {
  if ((project === undefined) === (note === undefined)) throw new BadRequest('name a project or a note')
  const team = await services.store.team()
  const memories = await withTeam(services, async (context): Promise<number> => {
    if (note !== undefined) {
      const id = asNoteId(await resolveNoteId(services.store, note))
      if (dryRun) return (await team.sharedOf('note', id)).filter(({ versionOf }) => versionOf === null).length
      return withdrawNote(context, id)
    }
    const key = await findTeamProject(services.store, await resolveProject(services, project), project ?? '')
    const count = (await team.sharedIn(key)).length
    if (!dryRun) await withdrawProject(context, key)
    return count
  })
  if (!dryRun) await (await services.team()).now()
  return { memories, waiting: await team.outboxSize(), dryRun }
}
