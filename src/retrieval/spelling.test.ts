import { expect, test } from 'bun:test'
import { addObservations, observation, openSession, temporaryStore } from '../../test/support/builders.ts'
import type { Store } from '../store/store.ts'
import { answerQuery } from './answer.ts'

test('misspelled words are replaced by known words, and the answer says so', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'A session crossing midnight' }), observation({ title: 'Closing the ledger' })])
  expect(await found(t.store, 'kind:observation sesion crosing midnigt')).toEqual({
    titles: ['A session crossing midnight'],
    read: [
      ['sesion', 17, 'no memory contains it; searched for session instead'],
      ['crosing', 24, 'no memory contains it; searched for crossing instead'],
      ['midnigt', 32, 'no memory contains it; searched for midnight instead'],
    ],
  })
  for (const typed of ['Ledgr', 'legder', 'leddger', 'ledgers', 'LEDGER'])
    expect((await found(t.store, typed)).titles).toEqual(['Closing the ledger'])
})

test('a single word that may mean another is a guess and never close; a doubled or swapped letter is a typo', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'Plan the launch' })])
  const isClose = async (typed: string) => (await answerQuery(t.store, typed, { project: null, limit: 5, offset: 0 }, 5000)).isClose
  expect(await found(t.store, 'lunch')).toMatchObject({ titles: ['Plan the launch'], read: [['lunch', 0, expect.any(String)]] })
  expect([await isClose('lunch'), await isClose('luanch'), await isClose('plan lunch')]).toEqual([false, true, true])
  await addObservations(t.store, [observation({ title: 'Send no telemetry', at: 9 })], 'two')
  expect(await isClose('telemtry')).toBe(true)
  expect((await found(t.store, 'alunch')).read).toEqual([])
})

test('a letter typed twice is a likelier typo than a letter too many, however common the other word is', async () => {
  using t = await temporaryStore()
  const titles = ['The filter', 'A filler', 'Another filler', 'The last filler']
  await addObservations(
    t.store,
    titles.map((title) => observation({ title })),
  )
  expect((await found(t.store, 'fillter')).read).toEqual([['fillter', 0, 'no memory contains it; searched for filter instead']])
})

test('a name without separators is read as the known name', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [
    observation({ title: 'git-cloner.ts: edited' }),
    observation({ title: 'Removed manual_commit_git' }),
    observation({ title: 'A parser and a cloner' }),
  ])
  const read = async (typed: string) => (await found(t.store, typed)).read.map(([, , message]) => message)
  expect(await read('where is gitcloner.ts')).toEqual(['no memory contains it; searched for git-cloner instead'])
  expect((await found(t.store, 'gitcloner.ts')).titles[0]).toBe('git-cloner.ts: edited')
  expect(await read('manualcommitgit')).toEqual(['no memory contains it; searched for manual-commit-git instead'])
  // Both are known, but never as neighbours.
  expect(await read('parsercloner')).toEqual([])
})

test('a short word, a wrong first letter and two typos are not corrected', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'The heron and the teal ledger' })])
  for (const typed of ['teel', 'meron', 'haron', 'lodgar']) expect(await found(t.store, typed)).toEqual({ titles: [], read: [] })
})

test('an unknown word is not replaced if most of the query is known', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'The pelican feeds at noon' }), observation({ title: 'A kitted workshop' })])
  expect(await found(t.store, 'pelican kittedd noon')).toEqual({ titles: ['The pelican feeds at noon'], read: [] })
  expect((await found(t.store, 'pelican kittedd')).read).toEqual([['kittedd', 8, 'no memory contains it; searched for kitted instead']])
})

test('a word is not replaced by one that is known only by its stem', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'Adds the numbers' })])
  expect(await found(t.store, 'address')).toEqual({ titles: [], read: [] })
})

test('identifiers are not corrected: neither in activity, nor parts of names, nor what looks like code', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'The cloner and the parser', filesModified: ['src/pelicans.ts'] })])
  const session = await openSession(t.store)
  const written = await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'go on', at: 1 })
  if (written) await t.store.prompts.setActivity(written, 'parsers.ts const clonner = 1')
  expect(await found(t.store, 'clonner')).toEqual({ titles: ['go on'], read: [] })
  for (const typed of ['elica', 'clonr.ts', 'parsr_x']) expect((await found(t.store, typed)).read).toEqual([])
  expect((await found(t.store, 'parrser')).read).toEqual([['parrser', 0, 'no memory contains it; searched for parser instead']])
})

test('a query in another language is not corrected', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'The fehler in the parser' })])
  expect((await found(t.store, 'warum ist der fehlerr im parserr')).read).toEqual([])
})

async function found(store: Store, question: string) {
  const { hits, problems } = await answerQuery(store, question, { project: null, limit: 10, offset: 0 }, 1e12)
  return { titles: hits.map((hit) => hit.title), read: problems.map(({ word, at, message }) => [word, at, message]) }
}
