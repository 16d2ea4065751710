/** Memories taken back from a team can be shared again, on a hub that remembers every deletion. */
import { afterAll, expect } from 'bun:test'
import { asProjectKey } from '../../src/core/ids.ts'
import { changeNote, forgetNote, restoreNote, saveNote } from '../../src/notes/notes.ts'
import { conflicts, handOver, review, reviewQueue, shareNote, shareProject, withdrawNote, withdrawProject } from '../../src/team/team.ts'
import { aLaptop } from '../support/laptop.ts'
import { type Postgres, postgresOrSkip, startPostgres } from '../support/postgres.ts'
import { postgresLogins, startTestHub } from '../support/team.ts'
import { filesWith } from '../support/team-flow.ts'

const it = postgresOrSkip()
let postgres: Postgres | undefined
afterAll(() => postgres?.remove())

const shop = asProjectKey('shop')

/** Ada curates a project in which Ben and Cora write. */
async function aTeam() {
  postgres ??= await startPostgres()
  const logins = await postgresLogins(postgres)
  const hub = await startTestHub(logins)
  const laptop = async (name: string) => {
    const { code } = await hub.operator.invite({ name, role: 'member', grants: [], hours: 1, deviceOf: null })
    const at = await aLaptop({ url: hub.base }, code, `${name}-laptop`)
    const titles = async () => (await at.copies('shop')).map(({ title }) => title)
    const note = async (body: string) => {
      const { receipt } = await saveNote(at.book, { body, project: shop, source: 'human', apart: true }, Date.now())
      if (receipt.kind === 'refused') throw new Error(receipt.reason)
      return receipt.note
    }
    return { ...at, titles, note }
  }
  const [ada, ben, cora] = [await laptop('ada'), await laptop('ben'), await laptop('cora')]
  await shareProject(ada.context, shop, 'notes', 'Shop')
  for (const name of ['ben', 'cora']) await hub.operator.changeGrant('shop', name, 'write')
  return {
    hub,
    ada,
    ben,
    cora,
    [Symbol.asyncDispose]: async () => {
      for (const one of [ada, ben, cora]) one[Symbol.dispose]()
      await hub.stop()
      await logins.close()
    },
  }
}

it('a project that was withdrawn is shared again with all its notes', async () => {
  await using t = await aTeam()
  await t.ada.note('Prices are kept in cents')
  for (const one of [t.ada, t.ben]) await one.exchange()
  await withdrawProject(t.ada.context, 'shop')
  await t.ben.exchange()
  expect(await t.ben.titles()).toEqual([])
  await shareProject(t.ada.context, shop, 'notes', 'Shop')
  for (const one of [t.ada, t.ben]) await one.exchange()
  expect(await t.ben.titles()).toEqual(['Prices are kept in cents'])
  expect(await (await t.ada.store.team()).outboxSize()).toBe(0)
}, 300_000)

it('a note that was withdrawn by itself stays withdrawn when its project is shared again', async () => {
  await using t = await aTeam()
  const note = await t.ada.note('Prices are kept in cents')
  await t.ada.note('Deploys need two approvals')
  for (const one of [t.ada, t.ben]) await one.exchange()
  await withdrawNote(t.ada.context, note.id)
  await withdrawProject(t.ada.context, 'shop')
  await shareProject(t.ada.context, shop, 'notes', 'Shop')
  for (const one of [t.ada, t.ben]) await one.exchange()
  expect(await t.ben.titles()).toEqual(['Deploys need two approvals'])
}, 300_000)

it('after a handover each copy names its new author, and the giver does not share the note again', async () => {
  await using t = await aTeam()
  const note = await t.ada.note('Prices are kept in cents')
  for (const one of [t.ada, t.cora]) await one.exchange()
  await expect(handOver(t.ada.context, 'ben', 'shop', false)).rejects.toThrow('the other member has shared nothing')
  await shareProject(t.ben.context, shop, 'notes', 'Shop')
  await t.ben.note('Ben takes part')
  await t.ben.exchange()
  await handOver(t.ada.context, 'ben', 'shop', false)
  const authors = async (one: typeof t.ada) =>
    (await one.copies('shop')).map(({ author, title }) => `${author}: ${title}`).filter((text) => !text.includes('takes part'))
  for (const one of [t.ada, t.ben, t.cora]) await one.exchange()
  expect([await authors(t.ben), await authors(t.cora)]).toEqual([['ben: Prices are kept in cents'], ['ben: Prices are kept in cents']])
  // Not even with its project.
  await withdrawProject(t.ada.context, 'shop')
  await changeNote(t.ada.book, note.id, { title: 'Prices are kept in euros' }, Date.now())
  await shareProject(t.ada.context, shop, 'notes', 'Shop')
  for (const one of [t.ada, t.cora]) await one.exchange()
  expect(await authors(t.cora)).toEqual(['ben: Prices are kept in cents'])
  // She has the note itself, so she gets no copy beside it.
  expect(await authors(t.ada)).toEqual([])
}, 300_000)

it('of a copy only the current version stays on a laptop', async () => {
  await using t = await aTeam()
  const note = await t.ada.note('The zanzibarian password is swordfish')
  for (const one of [t.ada, t.ben]) await one.exchange()
  await changeNote(t.ada.book, note.id, { title: 'The password is in the vault', body: 'The password is in the vault' }, Date.now())
  for (const one of [t.ada, t.ben]) await one.exchange()
  expect(await t.ben.titles()).toEqual(['The password is in the vault'])
  expect(filesWith(t.ben.folder, 'zanzibarian password')).toEqual([])
}, 300_000)

it('a note that was withdrawn or forgotten is shared again, without a conflict', async () => {
  await using t = await aTeam()
  const note = await t.ada.note('Prices are kept in cents')
  for (const one of [t.ada, t.ben]) await one.exchange()
  await withdrawNote(t.ada.context, note.id)
  for (const one of [t.ada, t.ben]) await one.exchange()
  expect(await t.ben.titles()).toEqual([])
  await shareNote(t.ada.context, note, shop, 'Shop')
  for (const one of [t.ada, t.ben]) await one.exchange()
  expect(await t.ben.titles()).toEqual(['Prices are kept in cents'])
  await forgetNote(t.ada.book, note.id, Date.now())
  for (const one of [t.ada, t.ben]) await one.exchange()
  await restoreNote(t.ada.book, note.id, Date.now())
  for (const one of [t.ada, t.ben, t.cora]) await one.exchange()
  for (const one of [t.ben, t.cora]) expect([await one.titles(), await conflicts(one.store)]).toEqual([['Prices are kept in cents'], []])
}, 300_000)

it('a restored note waits for review again, and its deletion still reaches everybody', async () => {
  await using t = await aTeam()
  await shareProject(t.ben.context, shop, 'notes', 'Shop')
  const note = await t.ben.note('Prices are kept in cents')
  for (const one of [t.ben, t.cora]) await one.exchange()
  expect(await t.cora.titles()).toEqual(['Prices are kept in cents'])
  await t.hub.operator.changeProject('shop', { review: true })
  await forgetNote(t.ben.book, note.id, Date.now())
  await t.ben.exchange()
  await restoreNote(t.ben.book, note.id, Date.now())
  for (const one of [t.ben, t.cora, t.ada]) await one.exchange()
  expect(await t.cora.titles()).toEqual([])
  const [waiting] = await reviewQueue(t.ada.store)
  if (!waiting) throw new Error('nothing waits for review')
  await review(t.ada.context, { key: 'shop', id: waiting.id, hash: waiting.hash, verdict: 'accepted' })
  for (const one of [t.ben, t.cora, t.ada]) await one.exchange()
  for (const one of [t.ada, t.cora]) expect([await one.titles(), await conflicts(one.store)]).toEqual([['Prices are kept in cents'], []])
}, 300_000)
