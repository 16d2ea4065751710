import { afterAll, expect } from 'bun:test'
import { take } from '../../src/capture/capture.ts'
import { asContentSessionId, asProjectKey } from '../../src/core/ids.ts'
import { memoryId } from '../../src/core/memory-kinds.ts'
import { defaultAgent } from '../../src/integrations/agent.ts'
import { forgetNote, purgeNote, saveNote } from '../../src/notes/notes.ts'
import {
  exchange,
  joinTeam,
  openOwn,
  readRing,
  revokeDevice,
  rotatePhrase,
  shareProject,
  type TeamContext,
  teamState,
} from '../../src/team/team.ts'
import { sessionUnit } from '../../src/worker/deleted-statements.ts'
import { exchangeOwn } from '../../src/worker/own-machines.ts'
import { deleteNow } from '../../src/worker/routes/forget.ts'
import { event, nowhere, prompt } from '../support/builders.ts'
import { type Postgres, postgresOrSkip, startPostgres } from '../support/postgres.ts'
import { someServices } from '../support/services.ts'
import { hubClient, postgresLogins, startTestHub, type TestHub } from '../support/team.ts'
import { filesWith } from '../support/team-flow.ts'

const it = postgresOrSkip()
let postgres: Postgres | undefined
afterAll(() => postgres?.remove())

/** A hub, and a way to add machines of one person to it. */
async function aHub() {
  postgres ??= await startPostgres()
  const logins = await postgresLogins(postgres)
  const hub = await startTestHub(logins)
  const { member } = await hub.operator.invite({ name: 'ada', role: 'member', grants: [], hours: 1, deviceOf: null })
  return {
    hub,
    logins,
    machine: (name: string) => aMachine(hub, member, name),
    [Symbol.asyncDispose]: async () => {
      await hub.stop()
      await logins.close()
    },
  }
}

async function aMachine(hub: TestHub, member: string, name: string) {
  const at = await someServices()
  const { code } = await hub.operator.invite({ name: null, role: 'member', grants: [], hours: 1, deviceOf: member })
  const signal = new AbortController().signal
  const membership = await joinTeam(at.desk.home, at.store, { url: hub.base, code, device: name }, signal, Date.now())
  const context: TeamContext = {
    book: at.desk.notebook,
    hub: { url: membership.url, token: membership.token, id: membership.hub },
    member: membership.member,
    signal,
    isExcluded: () => false,
    now: Date.now,
    announce: () => {},
  }
  return {
    ...at,
    context,
    membership,
    /** Switches own memory on. Returns the phrase of a first machine. */
    on: async (phrase: string | null = null) => {
      const opened = await openOwn(context, at.desk.home, phrase)
      await at.store.transaction(async () => (await at.store.ownMachines()).switchOn())
      return opened.phrase ?? ''
    },
    exchange: () => exchangeOwn(at.desk, context),
    own: async () => {
      const state = await teamState(at.desk.home, at.store, '')
      return state.kind === 'joined' ? state.own : null
    },
    /** Records a session with one turn. */
    session: async (id: string, text: string, answer: string) => {
      const rules = at.desk.rules(defaultAgent)
      const capture = (given: Parameters<typeof event>[0], when: number) =>
        at.store.transaction(() =>
          take(at.store, event(given, { session: asContentSessionId(id), at: when }), { ...nowhere, project: asProjectKey('shop') }, rules),
        )
      await capture(prompt(text, 'p1'), 1000)
      await capture({ kind: 'turn-ended', promptId: 'p1', answer }, 2000)
      await capture({ kind: 'session-ended', reason: 'other' }, 3000)
      await at.desk.queue.drained()
    },
    note: async (body: string) => {
      const { receipt } = await saveNote(at.desk.notebook, { body, project: asProjectKey('shop'), source: 'human' }, Date.now())
      if (receipt.kind === 'refused') throw new Error(receipt.reason)
      return receipt.note.id
    },
    prompts: () => [...at.store.prompts.each(null)].map(({ text, answer }) => `${text} ${answer ?? ''}`).sort(),
    notes: () =>
      [...at.store.notes.each(null)]
        .filter(({ deletedAt, type }) => deletedAt === null && type !== 'episodic')
        .map(({ body }) => body)
        .sort(),
  }
}

it('sessions and notes of one machine are on the other once, however often they are exchanged, and the hub cannot read them', async () => {
  await using t = await aHub()
  await using a = await t.machine('laptop')
  await using b = await t.machine('desk')
  await a.session('s-1', 'Where are the zanzibarian favourites kept?', 'In favourites.db, because a file lost changes.')
  await a.note('The zanzibarian port is closed on Mondays.')
  const phrase = await a.on()
  expect(phrase.split(' ')).toHaveLength(17)
  await a.exchange()
  await expect(b.on('acorn')).rejects.toThrow('has 17 words')
  await expect(b.on()).rejects.toThrow('another machine of yours has made the recovery phrase')
  await b.on(phrase)
  await b.exchange()
  expect(b.prompts()).toEqual(a.prompts())
  expect(b.notes()).toEqual(a.notes())
  for (const one of [a, b, a, b]) await one.exchange()
  expect([a.prompts(), b.prompts()]).toEqual([b.prompts(), b.prompts()])
  expect(b.prompts()).toHaveLength(1)
  expect(await b.own()).toMatchObject({ kind: 'on', waiting: 0 })
  // Nothing of it can be read in the database, nor in any file of PostgreSQL.
  const rows = await t.logins.operator.query<{ sealed: string }>("SELECT encode(sealed, 'escape') AS sealed FROM recollect.sealed")
  expect(rows.length).toBeGreaterThan(1)
  expect(JSON.stringify(rows)).not.toContain('zanzibarian')
}, 300_000)

it('memories deleted on one machine are deleted on the other, and do not come back', async () => {
  await using t = await aHub()
  await using a = await t.machine('laptop')
  await using b = await t.machine('desk')
  await a.session('s-1', 'Keep this turn please', 'Kept it as you asked.')
  await a.session('s-2', 'Delete this session', 'It is recorded for now.')
  const [soft, hard] = [await a.note('To be forgotten soon'), await a.note('To be deleted for good')]
  const phrase = await a.on()
  await a.exchange()
  await b.on(phrase)
  await b.exchange()
  expect([b.prompts().length, b.notes().length]).toEqual([2, 2])
  // Deleted where it was not recorded.
  const session = [...b.store.sessions.each()].find(({ contentSessionId }) => contentSessionId === 's-2')
  if (!session) throw new Error('the session did not come')
  await b.store.transaction(async () => (await b.store.deletions()).hideSession(session.id, sessionUnit(session.id), Date.now()))
  await forgetNote(a.desk.notebook, soft, Date.now())
  await purgeNote(a.desk.notebook, hard, Date.now())
  for (const one of [b, a, b, a, b]) await one.exchange()
  expect([a.prompts(), b.prompts()]).toEqual([
    ['Keep this turn please Kept it as you asked.'],
    ['Keep this turn please Kept it as you asked.'],
  ])
  expect([a.notes(), b.notes()]).toEqual([[], []])
}, 300_000)

it('a hard deletion leaves no byte on the other machines either, whether they had hidden it before or not', async () => {
  await using t = await aHub()
  await using a = await t.machine('laptop')
  await using b = await t.machine('desk')
  await a.session('s-1', 'The zanzibarian turn stays', 'It stays indeed.')
  await a.session('s-1', 'The quixotical turn goes', 'Quixotical answer of mine.')
  await a.session('s-2', 'The vermilion session goes', 'Vermilion answer of mine.')
  await a.session('s-3', 'The cerulean session goes later', 'Cerulean answer of mine.')
  const note = await a.note('The ochre note goes')
  const phrase = await a.on()
  await a.exchange()
  await b.on(phrase)
  await b.exchange()
  // Before the deletion, the other machine shows one of these sessions to a model.
  const received = (id: string) => [...b.store.sessions.each()].find(({ contentSessionId }) => contentSessionId === id)
  const [session, other] = [received('s-2'), received('s-1')]
  const [shown] = session ? await b.store.prompts.ofSession(session.id) : []
  if (!other || !shown) throw new Error('the sessions did not come')
  await b.store.transaction(() =>
    b.store.injections.add({
      sessionId: other.id,
      project: asProjectKey('shop'),
      event: 'UserPromptSubmit',
      text: 'Vermilion answer of mine',
      tokens: 5,
      items: [{ kind: 'prompt', id: shown.id, tokens: 5, why: 'words' }],
      at: Date.now(),
    }),
  )
  const forget = async (hard: boolean, ids: string[]) => {
    await deleteNow(a.desk, { ids, hard })
    for (const one of [a, b, a, b]) await one.exchange()
    await b.desk.queue.drained()
  }
  const bytes = (machine: typeof a, ...words: string[]) => words.filter((word) => filesWith(machine.folder, word).length > 0)
  const [turn] = [...a.store.prompts.each(null)].filter(({ text }) => text.includes('quixotical'))
  await forget(true, [memoryId('prompt', turn?.id ?? 0), 's-2', memoryId('note', note)])
  await forget(false, ['s-3'])
  expect(b.prompts()).toEqual(['The zanzibarian turn stays It stays indeed.'])
  expect(bytes(b, 'uixotical', 'ermilion', 'ochre')).toEqual([])
  // Hidden on both, and can be restored on the first one.
  expect(bytes(b, 'erulean')).toEqual(['erulean'])
  await forget(true, ['s-3'])
  for (const one of [a, b]) expect(bytes(one, 'uixotical', 'ermilion', 'ochre', 'erulean')).toEqual([])
  expect([a.prompts(), (await a.own())?.kind]).toEqual([b.prompts(), 'on'])
  for (const one of [a, b, a, b]) await one.exchange()
  expect(await b.own()).toMatchObject({ waiting: 0 })
}, 300_000)

it('memories deleted while a machine has own memory off are deleted there once it is on again', async () => {
  await using t = await aHub()
  await using a = await t.machine('laptop')
  await using b = await t.machine('desk')
  await a.session('s-1', 'Delete this session', 'It is recorded for now.')
  const gone = await a.note('To be deleted for good')
  await a.note('A note that stays')
  const phrase = await a.on()
  await a.exchange()
  await b.on(phrase)
  await b.exchange()
  await b.store.transaction(async () => (await b.store.ownMachines()).switchOff())
  const [session] = [...a.store.sessions.each()]
  if (!session) throw new Error('there is no session')
  await a.store.transaction(async () => (await a.store.deletions()).hideSession(session.id, sessionUnit(session.id), Date.now()))
  await purgeNote(a.desk.notebook, gone, Date.now())
  await a.exchange()
  await b.on(phrase)
  for (const one of [b, a, b]) await one.exchange()
  expect([a.prompts(), b.prompts()]).toEqual([[], []])
  expect([a.notes(), b.notes()]).toEqual([['A note that stays'], ['A note that stays']])
}, 300_000)

it('a hub that drops or mixes up items deletes nothing', async () => {
  await using t = await aHub()
  await using a = await t.machine('laptop')
  await using b = await t.machine('desk')
  await a.note('First note of mine')
  await a.note('Second note of mine')
  const phrase = await a.on()
  await a.exchange()
  await b.on(phrase)
  await b.exchange()
  // Each item gets the text of another one, and then none: what a hostile hub could do.
  const call = hubClient(t.hub.base, a.membership.token)
  const { items } = (await call('GET /v1/own/pull', { after: 0, limit: 100 })).value
  const swapped = items.map(({ id, keyId }, n) => ({ id, keyId, sealed: items[(n + 1) % items.length]?.sealed ?? null }))
  expect((await call('POST /v1/own/push', { items: swapped })).status).toBe(200)
  for (const one of [a, b]) await one.exchange()
  expect((await call('POST /v1/own/push', { items: swapped.map((item) => ({ ...item, sealed: null })) })).status).toBe(200)
  for (const one of [a, b]) await one.exchange()
  expect([a.notes(), b.notes()]).toEqual([
    ['First note of mine', 'Second note of mine'],
    ['First note of mine', 'Second note of mine'],
  ])
}, 300_000)

it('a shared note is on another machine of its author once, not also as a copy', async () => {
  await using t = await aHub()
  await using a = await t.machine('laptop')
  await using b = await t.machine('desk')
  await a.note('Prices are kept in cents')
  await shareProject(a.context, asProjectKey('shop'), 'notes', 'Shop')
  for (const one of [a, b]) await exchange(one.context)
  const authors = () => [...b.store.notes.each(null)].map(({ author, body }) => [author, body])
  expect(authors()).toEqual([['ada', 'Prices are kept in cents']])
  const phrase = await a.on()
  await a.exchange()
  await b.on(phrase)
  await b.exchange()
  await exchange(b.context)
  expect(authors()).toEqual([[null, 'Prices are kept in cents']])
}, 300_000)

it('a hub that serves an older version of an item changes nothing, deletes nothing and brings nothing back', async () => {
  await using t = await aHub()
  await using a = await t.machine('laptop')
  await using b = await t.machine('desk')
  const call = hubClient(t.hub.base, a.membership.token)
  const served = async () => (await call('GET /v1/own/pull', { after: 0, limit: 100 })).value.items
  await a.session('s-1', 'The first turn', 'It was answered.')
  const gone = await a.note('To be deleted for good')
  const phrase = await a.on()
  await a.exchange()
  await b.on(phrase)
  await b.exchange()
  const old = await served()
  // The session goes on, and the note is deleted.
  await a.session('s-1', 'The second turn', 'It was answered too.')
  await purgeNote(a.desk.notebook, gone, Date.now())
  await a.exchange()
  await a.note('A note that stays')
  await a.exchange()
  await b.exchange()
  const [turns, notes] = [b.prompts(), b.notes()]
  expect([turns.length, notes]).toEqual([2, ['A note that stays']])
  expect((await call('POST /v1/own/push', { items: old.map(({ id, keyId, sealed }) => ({ id, keyId, sealed })) })).status).toBe(200)
  for (const one of [a, b, a, b]) await one.exchange()
  expect([a.prompts(), b.prompts(), a.notes(), b.notes()]).toEqual([turns, turns, notes, notes])
}, 300_000)

it('a person who lost the phrase makes a new one on a machine that has the keys', async () => {
  await using t = await aHub()
  await using a = await t.machine('laptop')
  await using b = await t.machine('desk')
  await a.note('Before')
  const first = await a.on()
  await a.exchange()
  await expect(openOwn(a.context, a.desk.home, null)).rejects.toThrow('it is on already')
  await expect(openOwn(b.context, b.desk.home, null)).rejects.toThrow('another machine of yours has made')
  expect(await rotatePhrase(b.context, b.desk.home)).toBeNull()
  const second = await rotatePhrase(a.context, a.desk.home)
  if (!second) throw new Error('no new phrase')
  await expect(openOwn(b.context, b.desk.home, first ?? '')).rejects.toThrow('not the current recovery phrase')
  await b.on(second)
  await b.exchange()
  expect(b.notes()).toEqual(['Before'])
}, 120_000)

it('after a device is revoked the others ask for the new phrase once, and old items still open', async () => {
  await using t = await aHub()
  await using a = await t.machine('laptop')
  await using b = await t.machine('desk')
  await using lost = await t.machine('lost')
  await a.note('Before the loss')
  const first = await a.on()
  await a.exchange()
  for (const one of [b, lost]) {
    await one.on(first)
    await one.exchange()
  }
  await revokeDevice(a.context, lost.membership.device.id)
  const second = await rotatePhrase(a.context, a.desk.home)
  if (!second) throw new Error('no new phrase')
  await a.note('After the loss')
  await a.exchange()
  await expect(lost.exchange()).rejects.toThrow()
  await b.exchange()
  expect(await b.own()).toMatchObject({ kind: 'needs phrase' })
  expect(b.notes()).toEqual(['Before the loss'])
  await expect(openOwn(b.context, b.desk.home, first)).rejects.toThrow('not the current recovery phrase')
  await openOwn(b.context, b.desk.home, second)
  await b.exchange()
  expect(await b.own()).toMatchObject({ kind: 'on' })
  expect(b.notes()).toEqual(['After the loss', 'Before the loss'])
  // A machine that joins only now reads both.
  await using fresh = await t.machine('fresh')
  await fresh.on(second)
  await fresh.exchange()
  expect(fresh.notes()).toEqual(['After the loss', 'Before the loss'])
  expect(readRing(fresh.desk.home)?.older).toHaveLength(1)
  expect(filesWith(fresh.folder, second.split(' ').slice(0, 3).join(' '))).toEqual([])
}, 300_000)
