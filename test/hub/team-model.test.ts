/**
 * Five people with six machines and real workers, one hub and one PostgreSQL, with random steps from a seed. Notes are written, edited, forgotten, restored and
 * deleted for good; notes and whole projects are withdrawn and shared again; rights come and go; one project requires review; memories are handed over; a member
 * is erased; one of a person's two machines is revoked and joins again. Meanwhile the hub goes away, and laptops, hub and PostgreSQL are killed. After
 * every step one machine, and in the end all of them, must agree with the model, and no machine has a byte of what its person may not see, or of what was taken
 * back. `RECOLLECT_TEAM_SEED=7` runs another seed, `RECOLLECT_TEAM_STEPS` more steps.
 */
import { expect } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { homePaths } from '../../src/platform/paths.ts'
import { openCaller, type ThrowingCaller, throwing } from '../../src/wire/call.ts'
import { socketTransport } from '../../src/wire/socket.ts'
import { environment } from '../support/builders.ts'
import type { Person } from '../support/person.ts'
import { postgresOrSkip } from '../support/postgres.ts'
import { aMember, killWorker, type RunningHub, runningHub } from '../support/team-flow.ts'

const test = postgresOrSkip()
const seed = Number(process.env.RECOLLECT_TEAM_SEED ?? 24)
const STEPS = Number(process.env.RECOLLECT_TEAM_STEPS ?? 120)

/**
 * Who may read and write which project. Ada shared them first, so she curates both. Eve is in the team and writes nothing; her right to read one project comes
 * and goes. Dan may be erased.
 */
const RIGHTS: Record<string, string[]> = { ada: ['shop', 'vault'], ben: ['shop'], cora: ['shop', 'vault'], dan: ['vault'], eve: [] }
/** The members who could ever read a project. */
const EVER: Record<string, string[]> = { ...RIGHTS, eve: ['shop'] }
const PROJECTS = ['shop', 'vault']
/** What members other than curators share here waits for a curator. */
const REVIEWED = 'vault'
const CURATOR = 'ada'

type Note = {
  id: string
  /** Who wrote it, and keeps it as a note of their own. */
  author: string
  project: string
  text: string
  state: 'there' | 'forgotten' | 'deleted'
  isWithheld: boolean
  /** Since then the memory on the hub is somebody else's, with the text that it had. */
  handedOver: { to: string; text: string } | null
  /** A curator rejected a version, so the author must change it before it can be accepted. */
  isRejected: boolean
}
/** `owner` is the member; Ada has two machines. */
type Laptop = { name: string; owner: string; person: Person; call: ThrowingCaller['call']; access: 'member' | 'revoked' | 'erased' }
type World = Awaited<ReturnType<typeof aWorld>>

test(`five people agree after everything was killed and cut off, seed ${seed}`, async () => {
  console.log(`seed ${seed}, ${STEPS} steps`)
  await using hub = await runningHub()
  const world = await aWorld(hub)
  try {
    for (let step = 0; step < STEPS; step++) {
      await randomStep(world)
      await glance(world, pick(world, world.laptops))
    }
    await reconnect(world)
    await conclude(world)
    await check(world)
  } catch (cause) {
    throw new Error(`seed ${seed}: ${(cause as Error).message}\n${world.log.slice(-40).join('\n')}`, { cause })
  } finally {
    for (const { person } of world.laptops) await person[Symbol.asyncDispose]()
  }
}, 1_200_000)

async function aWorld(hub: RunningHub) {
  const laptops: Laptop[] = []
  const add = async (name: string, owner: string, code: string) => {
    const person = await aMember(hub, name, code)
    laptops.push({ name, owner, person, call: callerOf(person), access: 'member' })
  }
  for (const name of Object.keys(RIGHTS)) await add(name, name, await hub.invite(name))
  await add('ada-desk', 'ada', await hub.inviteDevice('ada'))
  const ada = laptopOf({ laptops }, 'ada')
  for (const project of PROJECTS) {
    await ada.call('POST /api/team/share', { project, create: true, dryRun: false })
    for (const [name, projects] of Object.entries(RIGHTS))
      if (name !== 'ada' && projects.includes(project))
        await ada.call('POST /api/team/grant', { project, member: name, may: project === REVIEWED ? 'write' : 'curate' })
  }
  await ada.call('PUT /api/team/review', { project: REVIEWED, isRequired: true })
  for (const { name, owner, call } of laptops) {
    await call('POST /api/team/exchange', {})
    if (owner !== 'ada') for (const project of RIGHTS[name] ?? []) await call('POST /api/team/share', { project, dryRun: false })
  }
  const { phrase } = await ada.call('POST /api/team/own', {})
  await laptopOf({ laptops }, 'ada-desk').call('POST /api/team/own', { phrase: phrase ?? '' })
  return {
    hub,
    laptops,
    phrase: phrase ?? '',
    random: seededRandom(seed),
    notes: [] as Note[],
    /** Every text that was ever written, with its project and its author. */
    texts: new Map<string, { project: string; author: string }>(),
    /** The versions that a curator may have accepted. */
    accepted: new Set<string>(),
    /** Members who do not share a project for now, as `ben shop`. */
    unshared: new Set<string>(),
    /** Texts that Ada wrote while her second machine was revoked. */
    afterRevocation: new Set<string>(),
    isHubUp: true,
    isPostgresUp: true,
    log: [] as string[],
    eveReads: false,
    kills: { laptop: 0, hub: 0, postgres: 0 },
    done: {} as Record<string, number>,
  }
}

function callerOf(person: Person): ThrowingCaller['call'] {
  const home = homePaths(environment(person.home))
  const caller = throwing(openCaller(socketTransport(home)), (failure) => new Error(JSON.stringify(failure)))
  // A killed worker is started by whoever needs it next, as a hook would.
  return async (route, ...args) => {
    try {
      return await caller.call(route, ...args)
    } catch (cause) {
      if (!String(cause).includes('unreachable')) throw cause
      await person.recollect('start')
      return caller.call(route, ...args)
    }
  }
}

function laptopOf({ laptops }: { laptops: Laptop[] }, name: string): Laptop {
  const found = laptops.find((one) => one.name === name)
  if (!found) throw new Error(`there is no ${name}`)
  return found
}

/** One of the machines on which a member can change their notes. */
function machineOf(world: World, owner: string): Laptop {
  return pick(
    world,
    world.laptops.filter((one) => one.owner === owner && one.access !== 'revoked'),
  )
}

const pick = <T>({ random }: Pick<World, 'random'>, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T
const isUp = ({ isHubUp, isPostgresUp }: World) => isHubUp && isPostgresUp
const isErased = (world: World, owner: string) => laptopOf(world, owner).access === 'erased'

async function randomStep(world: World): Promise<void> {
  // Much of what people do needs the hub, so it does not stay away for long.
  if (!isUp(world) && world.random() < 0.2) {
    await reconnect(world)
    world.log.push('the hub is back')
  }
  const chance = world.random()
  const [what, step] = STEPS_BY_CHANCE.find(([, , upTo]) => chance < upTo) ?? STEPS_BY_CHANCE[0] ?? fail()
  const detail = await step(world)
  if (!detail) return
  world.done[what] = (world.done[what] ?? 0) + 1
  world.log.push(`${what}: ${detail}`)
}

function fail(): never {
  throw new Error('there are no steps')
}

type Step = [what: string, step: (world: World) => Promise<string | null>, upTo: number]

const STEPS_BY_CHANCE: Step[] = [
  ['write', write, 0.2],
  ['edit', edit, 0.33],
  ['forget', (world) => change(world, 'forgotten'), 0.37],
  ['restore', (world) => change(world, 'there'), 0.41],
  ['delete', (world) => change(world, 'deleted'), 0.45],
  ['withdraw', withdraw, 0.49],
  ['share again', shareAgain, 0.54],
  ['withdraw or share a project', toggleProject, 0.58],
  ['review', review, 0.67],
  ['hand over', handOver, 0.71],
  ['erase', erase, 0.72],
  ['revoke or join again', toggleDesk, 0.75],
  ['a right', giveOrTakeRight, 0.78],
  ['exchange', exchange, 0.87],
  ['kill a laptop', killLaptop, 0.915],
  ['hub down or up', toggleHub, 0.965],
  ['PostgreSQL down or up', togglePostgres, 1],
]

async function write(world: World): Promise<string> {
  const owner = pick(
    world,
    Object.keys(RIGHTS).filter((name) => (RIGHTS[name] ?? []).length > 0),
  )
  const { name, call } = machineOf(world, owner)
  const project = pick(world, RIGHTS[owner] ?? [])
  const text = newText(world, owner, project)
  const saved = await call('POST /api/notes', { body: text, project, apart: true })
  if (!('note' in saved)) throw new Error(`not saved: ${JSON.stringify(saved)}`)
  const { id } = saved.note
  world.notes.push({ id, author: owner, project, text, state: 'there', isWithheld: false, handedOver: null, isRejected: false })
  return `${name} in ${project}: ${id} ${text}`
}

/** A word that is nowhere else, so that its bytes can be searched for. */
function newText(world: World, owner: string, project: string): string {
  const word = `Fact ${project}-${owner}-${Math.floor(world.random() * 1e12).toString(36)}`
  world.texts.set(word, { project, author: owner })
  if (owner === 'ada' && laptopOf(world, 'ada-desk').access === 'revoked') world.afterRevocation.add(word)
  return `${word} about the ${project}`
}

const WORD = /Fact [a-z]+-[a-z]+-[a-z0-9]+/g
const wordOf = (text: string) => text.match(WORD)?.[0] ?? ''

/** Two machines of a person learn of each other's changes when both have met the hub, so a note is changed where it is known. */
async function knowingMachine(world: World, note: Note): Promise<Laptop | null> {
  const machine = machineOf(world, note.author)
  if (note.author !== 'ada') return machine
  const { notes } = await machine.call('GET /api/notes', { limit: 1000 })
  return notes.some(({ id, body, author }) => id === note.id && author === null && body === note.text) ? machine : null
}

async function edit(world: World, wanted?: Note): Promise<string | null> {
  const note =
    wanted ??
    pick(
      world,
      world.notes.filter(({ state }) => state === 'there'),
    )
  const machine = note && (await knowingMachine(world, note))
  if (!machine) return null
  const text = newText(world, note.author, note.project)
  await machine.call('PATCH /api/notes/:id', { id: note.id, body: text, title: text })
  note.text = text
  note.isRejected = false
  return `${machine.name}: ${note.id} ${text}`
}

async function change(world: World, to: Note['state']): Promise<string | null> {
  const from = to === 'there' ? ['forgotten'] : to === 'forgotten' ? ['there'] : ['there', 'forgotten']
  const note = pick(
    world,
    world.notes.filter(({ state }) => from.includes(state)),
  )
  if (!note) return null
  // A forgotten note is not in the list; it is restored and deleted where it was written.
  const machine = note.state === 'there' ? await knowingMachine(world, note) : laptopOf(world, note.author)
  // Ada's laptop has not heard yet that it is forgotten.
  if (!machine || (note.state === 'forgotten' && note.author === 'ada' && (await isKnownTo(machine, note)))) return null
  const { call } = machine
  try {
    if (to === 'there') await call('POST /api/notes/:id/restore', { id: note.id })
    else await call('DELETE /api/notes/:id', { id: note.id, hard: to === 'deleted' })
  } catch (cause) {
    // Ada's laptop does not know it yet.
    if (note.author === 'ada' && String(cause).includes('no note has the id')) return null
    throw cause
  }
  note.state = to
  return `${machine.name}: ${note.id}`
}

const isShared = (world: World, { author, project }: Note) => !world.unshared.has(`${author} ${project}`)

async function withdraw(world: World): Promise<string | null> {
  const note = pick(
    world,
    world.notes.filter(
      (one) => one.state === 'there' && !one.isWithheld && !one.handedOver && !isErased(world, one.author) && isShared(world, one),
    ),
  )
  if (!note || !(await isKnownTo(laptopOf(world, note.author), note))) return null
  const { memories } = await laptopOf(world, note.author).call('POST /api/team/withdraw', { note: note.id, dryRun: false })
  // One that the hub has not heard of cannot be withdrawn.
  if (memories > 0) note.isWithheld = true
  return `${note.id} (${memories})`
}

async function shareAgain(world: World): Promise<string | null> {
  const note = pick(
    world,
    world.notes.filter((one) => one.state === 'there' && one.isWithheld && !isErased(world, one.author) && isShared(world, one)),
  )
  if (!note || !(await isKnownTo(laptopOf(world, note.author), note))) return null
  await laptopOf(world, note.author).call('POST /api/team/share', { project: note.project, note: note.id, dryRun: false })
  note.isWithheld = false
  return note.id
}

const isKnownTo = async ({ call }: Laptop, note: Note) =>
  (await call('GET /api/notes', { limit: 1000 })).notes.some(({ id, author }) => id === note.id && author === null)

/** Ada goes on sharing: she curates the projects. */
async function toggleProject(world: World): Promise<string | null> {
  const owner = pick(world, ['ben', 'cora', 'dan'])
  if (isErased(world, owner)) return null
  const project = pick(world, RIGHTS[owner] ?? [])
  const { call } = laptopOf(world, owner)
  const key = `${owner} ${project}`
  if (world.unshared.has(key)) {
    await call('POST /api/team/share', { project, dryRun: false })
    world.unshared.delete(key)
    return `${key} shared`
  }
  try {
    await call('POST /api/team/withdraw', { project, dryRun: false })
  } catch (cause) {
    // The decision stands; the deletions go as soon as the hub can be reached.
    if (isUp(world)) throw cause
  }
  world.unshared.add(key)
  return `${key} withdrawn`
}

async function review(world: World): Promise<string | null> {
  const { call } = laptopOf(world, CURATOR)
  const { memories } = await call('GET /api/team/review')
  const found = pick(world, memories)
  return found ? decide(world, found, world.random() < 0.7 ? 'accepted' : 'rejected') : null
}

type Waiting = { key: string; id: string; hash: string; text: string }

async function decide(world: World, { key, id, hash, text }: Waiting, verdict: 'accepted' | 'rejected'): Promise<string | null> {
  const note = world.notes.find((one) => one.text === text)
  // Even if the call fails, others may have it from now on.
  if (verdict === 'accepted') world.accepted.add(wordOf(text))
  try {
    await laptopOf(world, CURATOR).call('POST /api/team/review', { key, id, hash, verdict })
  } catch (cause) {
    if (!isUp(world) || /another version|may not|unreachable|reached/.test(String(cause))) return `${text} ${verdict}, in vain`
    throw cause
  }
  if (note && verdict === 'rejected') note.isRejected = true
  return `${text} ${verdict}`
}

/** In the project without review, after the giver has sent everything. */
async function handOver(world: World): Promise<string | null> {
  if (!isUp(world)) return null
  const [from, to] = pick(world, [
    ['ben', 'cora'],
    ['ben', 'ada'],
    ['cora', 'ben'],
    ['cora', 'ada'],
  ]) as [string, string]
  if (world.unshared.has(`${from} shop`)) return null
  const { call } = laptopOf(world, from)
  const state = await call('POST /api/team/exchange', {})
  if (state.kind !== 'joined' || state.waiting > 0 || state.problem !== null) return null
  const given = await call('POST /api/team/handover', { to, project: 'shop', dryRun: false }).catch((cause) => String(cause))
  if (typeof given === 'string') {
    expect(given).toContain('the other member has shared nothing')
    return `${from} to ${to}, in vain`
  }
  const { memories } = given
  let moved = 0
  for (const note of world.notes) {
    if (note.project !== 'shop') continue
    // Notes that the giver had received from others move on.
    if (note.handedOver?.to === from) note.handedOver.to = to
    else if (note.author === from && note.state === 'there' && !note.isWithheld && !note.handedOver)
      note.handedOver = { to, text: note.text }
    else continue
    moved++
  }
  expect([`${from} to ${to}`, memories]).toEqual([`${from} to ${to}`, moved])
  await call('POST /api/team/exchange', {})
  return `${from} to ${to}: ${memories}`
}

async function erase(world: World): Promise<string | null> {
  const dan = laptopOf(world, 'dan')
  if (!isUp(world) || dan.access === 'erased') return null
  await world.hub.hub('erase', 'dan', '--yes')
  dan.access = 'erased'
  return 'dan'
}

/** Ada loses her second machine, or has it again. */
async function toggleDesk(world: World): Promise<string | null> {
  if (!isUp(world)) return null
  const [ada, desk] = [laptopOf(world, 'ada'), laptopOf(world, 'ada-desk')]
  if (desk.access === 'member') {
    // What only the lost machine has is lost with it, so it has sent everything.
    for (const { call } of [desk, ada]) {
      const state = await call('POST /api/team/exchange', {})
      if (state.kind !== 'joined' || state.problem !== null || (state.own.kind === 'on' && state.own.waiting > 0)) return null
    }
    const { devices } = await ada.call('GET /api/team/devices', {})
    const lost = devices.find(({ name, revokedAt }) => name === 'ada-desk-laptop' && revokedAt === null)
    const { phrase } = await ada.call('POST /api/team/devices/revoke', { id: lost?.id ?? '' })
    world.phrase = phrase ?? ''
    desk.access = 'revoked'
    world.afterRevocation.clear()
    return 'revoked'
  }
  const { code } = await ada.call('POST /api/team/invite', {})
  await desk.call('POST /api/team/leave', { dryRun: false })
  await desk.person.recollect('team', 'join', world.hub.url, code, '--device', 'ada-desk-laptop')
  await desk.call('POST /api/team/own', { phrase: world.phrase })
  desk.access = 'member'
  world.afterRevocation.clear()
  return 'joined again'
}

async function giveOrTakeRight(world: World): Promise<string | null> {
  if (!isUp(world)) return null
  const may = world.eveReads ? null : 'read'
  await laptopOf(world, 'ada').call('POST /api/team/grant', { project: 'shop', member: 'eve', may })
  world.eveReads = !world.eveReads
  return `eve: ${may}`
}

async function exchange(world: World): Promise<string> {
  const { name, call } = pick(world, world.laptops)
  await call('POST /api/team/exchange', {})
  return name
}

async function killLaptop(world: World): Promise<string> {
  const { name, person, call } = pick(world, world.laptops)
  // In the middle of an exchange, if the moment is right.
  const busy = call('POST /api/team/exchange', {}).catch(() => {})
  await Bun.sleep(world.random() * 60)
  await killWorker(person)
  await busy
  world.kills.laptop++
  return name
}

async function toggleHub(world: World): Promise<string> {
  if (world.isHubUp) {
    await world.hub.kill()
    world.kills.hub++
  } else if (world.isPostgresUp) await world.hub.start()
  else return 'stays down without PostgreSQL'
  world.isHubUp = !world.isHubUp
  return world.isHubUp ? 'up' : 'down'
}

async function togglePostgres(world: World): Promise<string> {
  if (world.isPostgresUp) {
    await world.hub.postgres.kill()
    world.kills.postgres++
  } else await world.hub.postgres.start()
  world.isPostgresUp = !world.isPostgresUp
  return world.isPostgresUp ? 'up' : 'down'
}

async function reconnect(world: World): Promise<void> {
  if (!world.isPostgresUp) await togglePostgres(world)
  if (!world.isHubUp) await toggleHub(world)
}

/** After a step, one machine shows nothing that its person may never have seen. */
async function glance(world: World, { name, owner, call }: Laptop): Promise<void> {
  const { notes } = await call('GET /api/notes', { limit: 1000 })
  const copies = notes.filter(({ author }) => author !== null).map(({ body }) => wordOf(body))
  expect([name, copies.filter((word) => !maySee(world, owner, word))]).toEqual([name, []])
}

/** Whether a member may have a text, or had a right to it once. */
function maySee({ texts, accepted }: World, owner: string, word: string): boolean {
  const text = texts.get(word)
  if (!text || text.author === owner) return text !== undefined
  if (!(EVER[owner] ?? []).includes(text.project)) return false
  return text.project !== REVIEWED || text.author === CURATOR || owner === CURATOR || accepted.has(word)
}

/** Authors change what was rejected, curators accept what waits, and everybody exchanges until nothing is left to do. */
async function conclude(world: World): Promise<void> {
  for (let round = 0; ; round++) {
    if (round > 12) throw new Error('reviews and conflicts have no end')
    await settle(world)
    let isDone = true
    for (const note of world.notes.filter((one) => one.isRejected && one.state === 'there')) if (await edit(world, note)) isDone = false
    if (!isDone) continue
    for (const { call, access } of world.laptops.filter((one) => one.access === 'member')) {
      const { conflicts } = await call('GET /api/team/conflicts')
      for (const { key, id, isOwn, current } of conflicts.filter((one) => one.isOwn && one.current)) {
        world.log.push(`conflict of ${id}: ${access} ${isOwn} ${current?.text}`)
        await call('POST /api/team/resolve', { key, id, choice: 'mine' })
        isDone = false
      }
    }
    const { memories } = await laptopOf(world, CURATOR).call('GET /api/team/review')
    for (const waiting of memories) world.log.push(`in the end: ${await decide(world, waiting, 'accepted')}`)
    if (isDone && memories.length === 0) return
  }
}

/** Exchanges until no laptop has anything to send; then each receives once more. */
async function settle(world: World): Promise<void> {
  for (let round = 0; ; round++) {
    const states = await Promise.all(world.laptops.map(({ call }) => call('POST /api/team/exchange', {})))
    const isQuiet = states.every(
      (state, at) =>
        world.laptops[at]?.access !== 'member' ||
        (state.kind === 'joined' && state.waiting === 0 && state.problem === null && (state.own.kind !== 'on' || state.own.waiting === 0)),
    )
    if (isQuiet && round > 0) break
    if (round > 20) throw new Error(`not settled: ${JSON.stringify(states)}`)
    await Bun.sleep(500)
  }
  for (const { call } of world.laptops) await call('POST /api/team/exchange', {})
}

async function check(world: World): Promise<void> {
  const { notes, laptops, kills, done } = world
  console.log(JSON.stringify({ notes: notes.length, kills, done }))
  const isGone = (owner: string) => isErased(world, owner)
  /** The memories on the hub: who is their author there, who wrote them, and their text. */
  const shared = notes.flatMap((note) => {
    if (note.handedOver)
      return isGone(note.handedOver.to) ? [] : [{ ...note, author: note.handedOver.to, writer: note.author, text: note.handedOver.text }]
    const isThere = note.state === 'there' && !note.isWithheld && isShared(world, note) && !isGone(note.author)
    return isThere ? [{ ...note, writer: note.author }] : []
  })
  for (const { name, owner, person, call, access } of laptops) {
    const readable = access !== 'member' ? [] : owner === 'eve' && world.eveReads ? ['shop'] : (RIGHTS[owner] ?? [])
    const { notes: found } = await call('GET /api/notes', { limit: 1000 })
    // Whoever handed a memory over has the note itself. After deleting that, they may have a copy like everybody else.
    const optional = new Set(shared.filter((one) => one.writer === owner && one.state === 'deleted').map(({ text }) => text))
    const copies = found.flatMap(({ author, body }) => (author === null || optional.has(body) ? [] : [`${author}: ${body}`]))
    const own = found.filter(({ author }) => author === null).map(({ body }) => body)
    const wanted = shared.filter(({ writer, project }) => writer !== owner && readable.includes(project))
    expect([name, copies.sort()]).toEqual([name, wanted.map(({ author, text }) => `${author}: ${text}`).sort()])
    // Nothing of the person's own was lost or changed. A revoked machine stays as it was.
    const mine = notes.filter(({ author, state }) => author === owner && state === 'there').map(({ text }) => text)
    if (access !== 'revoked') expect([name, own.sort()]).toEqual([name, mine.sort()])
    const state = await call('GET /api/team')
    if (access === 'member') expect([name, state]).toMatchObject([name, { kind: 'joined', conflicts: 0, problems: [] }])
    // Of others' texts there are the bytes of these copies and no others: none of a project that they may not read, none that its author took back or replaced.
    const allowed = new Set(wanted.map(({ text }) => wordOf(text)))
    const isForeign = (word: string) => world.texts.get(word)?.author !== owner && !allowed.has(word)
    const words = await wordsIn(join(person.home, '.recollect'), isForeign)
    const foreign = [...words].filter(([word]) => isForeign(word))
    expect([name, foreign]).toEqual([name, []])
    // Nor has a lost machine a byte of what was written afterwards.
    if (access === 'revoked') expect([name, [...words].filter(([word]) => world.afterRevocation.has(word))]).toEqual([name, []])
  }
}

/**
 * The words of all texts in the files of a folder, whatever the files are, and in which file each is. A worker that was killed while it wrote a note leaves
 * a temporary file, which the next one removes within two minutes.
 */
async function wordsIn(folder: string, isForeign: (word: string) => boolean): Promise<Map<string, string>> {
  for (let tries = 0; ; tries++) {
    const words = new Map<string, string>()
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const path = join(folder, name)
      if (statSync(path, { throwIfNoEntry: false })?.isFile())
        for (const [word] of readFileSync(path).toString('latin1').matchAll(WORD)) words.set(word, name)
    }
    if (tries >= 150 || ![...words].some(([word, file]) => file.endsWith('.tmp') && isForeign(word))) return words
    await Bun.sleep(1000)
  }
}

/** Mulberry32. */
function seededRandom(start: number): () => number {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
