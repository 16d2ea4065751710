import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { addObservations, observation, temporaryStore } from '../../test/support/builders.ts'
import { MEMORY_KINDS } from '../core/memory-kinds.ts'
import type { SearchScope } from '../store/store.ts'
import { chooseSearchWords, personNamesIn, totalWeight, unknownWordShare, weighWords } from './word-weights.ts'

const EVERYTHING: SearchScope = { project: null, kinds: [...MEMORY_KINDS], since: 0, before: Number.MAX_SAFE_INTEGER, limit: 10 }

async function storeWith(...titles: string[]) {
  const t = await temporaryStore()
  await addObservations(
    t.store,
    titles.map((title) => observation({ title })),
  )
  const search = async (query: string) => chooseSearchWords(t.store, await weighWords(t.store, query), query, EVERYTHING)
  return { ...t, search, [Symbol.dispose]: () => t[Symbol.dispose]() }
}

const HARBOUR = ['Paint the harbour', 'Close the harbour', 'Number the invoices of the harbour']

test('rare words weigh more than common ones, and unknown words most', async () => {
  using t = await storeWith(...HARBOUR)
  const words = await weighWords(t.store, 'harbour invoices pelican')
  expect(words.map(({ word, documents }) => [word, documents])).toEqual([
    ['pelican', 0],
    ['invoices', 1],
    ['harbour', 3],
  ])
  expect(words.every(({ weight }, n) => weight > 0 && weight < (words[n - 1]?.weight ?? Number.POSITIVE_INFINITY))).toBe(true)
  expect(unknownWordShare(words)).toBeCloseTo((words[0]?.weight ?? 0) / totalWeight(words))
})

test('the parts of a name are words too, but not a short number, nor the extension of an unknown file', async () => {
  using t = await storeWith('Renamed harbourClock in clock.ts', 'Paint the heron')
  const texts = async (query: string) => (await weighWords(t.store, query)).map(({ word }) => word).sort()
  expect(await texts('harbourClock')).toEqual(['clock', 'harbour', 'harbourclock'])
  expect(await texts('part_01')).toEqual(['part', 'part_01'])
  expect(await texts('gitcloner.ts')).toEqual(['gitcloner'])
  expect(await texts('clock.ts')).toEqual(['clock', 'ts'])
})

test('a query in another language keeps only the words that some memory has', async () => {
  using t = await storeWith(...HARBOUR)
  expect((await weighWords(t.store, 'Warum ist die Farbe von dem harbour nicht da?')).map(({ word }) => word)).toEqual(['harbour'])
})

test('in a small store every known word is searched, and neighbouring words count together', async () => {
  using t = await storeWith(...HARBOUR)
  const { words, phrases, scan } = await t.search('number the invoices of the pelican')
  expect(words.toSorted()).toEqual(['invoices', 'number'])
  expect(phrases).toEqual(['number the', 'the invoices', 'invoices of'])
  expect(scan).toBeNull()
})

test('a person’s name that is everywhere is not searched, if other words remain', async () => {
  using t = await storeWith(...Array.from({ length: 6 }, (_, n) => `Ana closed harbour ${n}`), 'Ana numbered the invoices of the pelican')
  expect((await t.search('how did Ana number pelican invoices')).words).not.toContain('ana')
  expect((await t.search('invoices by Ana')).words).toContain('ana')
})

describe('in a large store', () => {
  const IMPORTED = 10_200
  const LAST = IMPORTED + 1
  let t: Awaited<ReturnType<typeof temporaryStore>>
  // The newest memory, and after it the import of much older work.
  beforeAll(async () => {
    t = await temporaryStore()
    const imported = Array.from({ length: IMPORTED }, (_, n) => observation({ title: `Imported pelican ${n}`, at: 1000 + n }))
    await t.store.transaction(async () => {
      await addObservations(t.store, [observation({ title: 'A pelican and an ostrich', at: 1e12 })], 'live')
      await addObservations(t.store, imported, 'imported')
    })
  })
  afterAll(() => t[Symbol.dispose]())

  const search = async (query: string, scope: Partial<SearchScope> = {}) =>
    chooseSearchWords(t.store, await weighWords(t.store, query), query, { ...EVERYTHING, ...scope })

  test('a rare word is searched everywhere', async () => {
    const { words, scan } = await search('ostrich')
    expect(words).toEqual(['ostrich'])
    expect(scan).toMatchObject({ ranges: [{ after: 0, upTo: LAST }], commonWordRanges: null })
  })

  test('a word that occurs everywhere is searched in what was stored last, and in what is newest', async () => {
    const { words, scan } = await search('pelican')
    const isSearched = (id: number) => scan?.commonWordRanges?.some(({ after, upTo }) => id > after && id <= upTo)
    expect(words).toEqual(['pelican'])
    expect([LAST, 1, 100].map(isSearched)).toEqual([true, true, false])
  })

  test('what filters leave is searched without the gap that an import makes', async () => {
    const { words, scan } = await search('pelican', { candidates: { ids: [LAST, LAST - 1, 1], completeFrom: 0 } })
    const ranges = [
      { after: 0, upTo: 1 },
      { after: LAST - 2, upTo: LAST },
    ]
    expect(words).toEqual(['pelican'])
    expect(scan).toMatchObject({ ranges, commonWordRanges: ranges })
    expect(scan?.newestIds[0]).toBe(1)
    const apart = await search('pelican', { candidates: { ids: [LAST, 1], completeFrom: 0 } })
    expect(apart.scan?.newestIds[0]).toBe(1)
  })
})

test('a name of a person is a capitalised whole word that does not begin the query', () => {
  expect([...personNamesIn('Where did Ana and Ben-Zvi see getUser, HTTP or Zoë?')]).toEqual(['ana', 'ben', 'zvi', 'zoë'])
})
