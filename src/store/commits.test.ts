import { expect, test } from 'bun:test'
import { temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import type { NewCommit, Store } from './store.ts'

const [app, web] = [asProjectKey('app'), asProjectKey('web')]
const hash = (letter: string) => letter.repeat(40)
const commit = (letter: string, given: Partial<NewCommit> = {}): NewCommit => ({
  hash: hash(letter),
  subject: `Change ${letter}`,
  body: '',
  files: ['src/tide.ts'],
  fileCount: 1,
  author: 'dev',
  at: letter.charCodeAt(0),
  type: 'change',
  reverts: null,
  ...given,
})
const add = (store: Store, ...commits: NewCommit[]) => store.transaction(() => store.commits.add(app, commits))
const undoneBy = async (store: Store, letter: string) => (await store.commits.find(hash(letter)))?.undoneBy ?? null

test('a commit is stored once, and a forgotten one does not come back', async () => {
  using t = await temporaryStore()
  expect([await add(t.store, commit('a'), commit('b')), await add(t.store, commit('a'))]).toEqual([2, 0])
  const { id = 0 } = (await t.store.commits.find(hash('a'))) ?? {}
  expect(await t.store.transaction(() => t.store.commits.forget(id))).toBe(true)
  expect(await add(t.store, commit('a'))).toBe(0)
  expect(await t.store.commits.find(hash('a'))).toBeNull()
  expect([...t.store.commits.each(app)].map(({ subject }) => subject)).toEqual(['Change b'])
})

test('a revert marks the commit that it took back, and a revert of the revert unmarks it', async () => {
  using t = await temporaryStore()
  await add(t.store, commit('a'), commit('b', { reverts: { hash: hash('a') } }))
  await t.store.transaction(() => t.store.commits.settleReverts(app))
  expect(await undoneBy(t.store, 'a')).toBe(hash('b'))
  await add(t.store, commit('c', { reverts: { hash: hash('b') } }))
  await t.store.transaction(() => t.store.commits.settleReverts(app))
  expect([await undoneBy(t.store, 'a'), await undoneBy(t.store, 'b')]).toEqual([null, hash('c')])
})

test('moving a project merges commits that both have, and forgets what was forgotten in either', async () => {
  using t = await temporaryStore()
  await add(t.store, commit('a'), commit('b'))
  await t.store.transaction(() => t.store.commits.add(web, [commit('a'), commit('c')]))
  const { id = 0 } = [...t.store.commits.each(app)].find((one) => one.hash === hash('a')) ?? {}
  await t.store.transaction(() => t.store.commits.forget(id))
  while (await t.store.transaction(() => t.store.commits.move(app, web, 1)));
  expect([...t.store.commits.each(null)].map((one) => `${one.project} ${one.subject}`)).toEqual(['web Change b', 'web Change c'])
})

test('commits that left every branch are marked until they are seen again', async () => {
  using t = await temporaryStore()
  await add(t.store, commit('a'))
  await t.store.transaction(() => t.store.commits.abandon(app, [hash('a')]))
  expect((await t.store.commits.find(hash('a')))?.abandoned).toBe(true)
  expect([...(await t.store.transaction(() => t.store.commits.recognize(app, [hash('a'), hash('z')])))]).toEqual([hash('a')])
  expect((await t.store.commits.find(hash('a')))?.abandoned).toBe(false)
})
