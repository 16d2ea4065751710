import { afterAll, beforeAll, expect, test } from 'bun:test'
import { pgliteLogins } from '../../../test/support/pglite.ts'
import { aMemory, expectOk, type HubLogins, type Member, startTestHub, type TestHub } from '../../../test/support/team.ts'
import { planSearch, rankCandidates, type SearchPlan, type WordStatistics } from './search.ts'

const statistics: WordStatistics = {
  memories: 1_000_000,
  usualLength: 40,
  rows: new Map([
    ['the', 900_000],
    ['cach', 300_000],
    ['deploy', 50_000],
    ['token', 5000],
  ]),
}
const chosen = ({ words }: SearchPlan) => words.filter(({ isChosen }) => isChosen).map(({ text }) => text)

test('the rarest words choose the candidates', () => {
  const plan = planSearch(['cach', 'zebra', 'token', 'deploy', 'zebra'], statistics)
  expect(plan.words.map(({ text }) => text)).toEqual(['zebra', 'token', 'deploy', 'cach'])
  expect(chosen(plan)).toEqual(['zebra', 'token'])
  expect(plan.mustHaveAll).toBe(false)
})

test('if even the rarest word is common, all words must occur', () => {
  const plan = planSearch(['the', 'cach', 'deploy'], statistics)
  expect([chosen(plan), plan.mustHaveAll]).toEqual([['deploy'], true])
})

test('a memory with more and rarer words comes first, then the shorter one', () => {
  const plan = planSearch(['zebra', 'token', 'the'], statistics)
  const candidate = (id: string, words: number, length = 40) => ({ project: 1, id, words, length })
  const zebra = 0b001
  const token = 0b010
  const the = 0b100
  const many = Array.from({ length: 1000 }, (_, i) => candidate(`filler ${i}`, token, 400))
  const ranked = rankCandidates(
    [candidate('common', token | the), candidate('long', zebra, 80), candidate('both', zebra | token), candidate('rare', zebra), ...many],
    plan,
    statistics,
  )
  expect(ranked.slice(0, 4).map(({ id }) => id)).toEqual(['both', 'rare', 'long', 'common'])
})

const START_TIMEOUT_MS = 300_000
let logins: HubLogins
let hub: TestHub
let ada: Member

// A hub from before PostgreSQL has looked at its tables: it has no statistics of words yet.
beforeAll(async () => {
  logins = await pgliteLogins()
  hub = await startTestHub(logins)
  ada = await hub.join('Ada')
  await expectOk(ada.call('POST /v1/projects', { key: 'zoo', title: 'Zoo' }))
  const memories = [
    aMemory('zebra', { title: 'Zebra', text: 'Stripes.' }),
    aMemory('lama', { title: 'Lama', text: `Wool, a long story: ${WORDS}` }),
    aMemory('both', { title: 'The quagga was a zebra', text: WORDS }),
    aMemory('quagga', { title: 'Quagga', text: `Extinct. ${WORDS}` }),
  ]
  await expectOk(ada.call('POST /v1/push', { project: 'zoo', memories }))
}, START_TIMEOUT_MS)
afterAll(async () => {
  await hub?.stop()
  await logins?.close()
})

const WORDS = 'alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa'
const find = async (query: string, limit = 20) => (await expectOk(ada.call('POST /v1/search', { query, limit }))).hits

test('one of the words is enough for a hit, and a memory with all of them comes first, though it is longer', async () => {
  const hits = await find('quagga zebras')
  expect(hits.map(({ memory }) => memory.id)).toEqual(['both', 'zebra', 'quagga'])
  expect(hits[0]).toMatchObject({ project: 'zoo', memory: { author: { name: 'Ada' }, body: { title: 'The quagga was a zebra' } } })
  expect(hits.map(({ score }) => score > 0)).toEqual([true, true, true])
})

test('the best hits are kept if there are more than were asked for', async () => {
  expect((await find('quagga zebras', 2)).map(({ memory }) => memory.id)).toEqual(['both', 'zebra'])
})

test('a query without a word that can be searched finds nothing', async () => {
  expect(await find('the of and')).toEqual([])
})
