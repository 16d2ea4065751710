import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { asProjectKey } from '../src/core/ids.ts'
import type { Session } from '../src/core/memory.ts'
import { briefFor, recallFor } from '../src/inject/brief.ts'
import { fileBriefFor } from '../src/inject/file-brief.ts'
import { answerQuery } from '../src/retrieval/answer.ts'
import { search } from '../src/retrieval/search.ts'
import { timeline } from '../src/retrieval/timeline.ts'
import { addObservations, observation, temporaryStore } from './support/builders.ts'

const [sea, pond] = [asProjectKey('sea'), asProjectKey('pond')]
const OLD = 'f00dfeed-0000-4000-8000-000000000000'
const SPECIAL = new Map([
  [101, { title: 'An old whale swam by', narrative: 'tide and harbour' }],
  [8601, { title: 'Tide and harbour', narrative: 'tables' }],
  [8603, { title: 'A long story', narrative: `tide and harbour ${'and much else '.repeat(200)}` }],
])

/** A store in which search cannot rank every match: nearly nine thousand observations, almost all of which contain tide and harbour. */
describe('in a large store', () => {
  let t: Awaited<ReturnType<typeof temporaryStore>>
  let session: Session
  const ran = new Set<string>()
  const prepare = Database.prototype.prepare
  const spy = spyOn(Database.prototype, 'prepare')

  const recording = function (this: Database, sql: string) {
    const statement = prepare.call(this, sql)
    for (const method of ['get', 'all', 'values', 'run'] as const) {
      const run = statement[method].bind(statement) as (...given: unknown[]) => unknown
      const recorded = (...given: unknown[]) => {
        ran.add(sql)
        return run(...given)
      }
      Object.assign(statement, { [method]: recorded })
    }
    return statement
  } as typeof prepare

  beforeAll(async () => {
    spy.mockImplementation(recording)
    t = await temporaryStore()
    const plain = (n: number) => ({
      title: `Watched the water, day ${n}`,
      narrative: 'tide and harbour',
      project: n % 40 === 0 ? pond : sea,
    })
    const all = Array.from({ length: 8700 }, (_, n) =>
      observation({ at: n * 1000, filesModified: ['src/tide.ts'], ...plain(n), ...SPECIAL.get(n) }),
    )
    const old = { at: 500, project: sea, narrative: 'tide and harbour' }
    session = await t.store.transaction(async () => {
      await addObservations(t.store, [observation({ ...old, title: 'Painted the boat', filesModified: ['src/Boat.ts'] })], OLD)
      await addObservations(t.store, [observation({ ...old, title: 'Chose the colour', type: 'decision' })], 'another')
      await addObservations(t.store, [observation({ ...old, title: 'Wrote a poem', model: 'elder', filesRead: ['ui/x.ts'] })], 'third')
      return addObservations(t.store, all)
    })
  }, 300_000)

  afterAll(() => {
    spy.mockRestore()
    t[Symbol.dispose]()
  })

  const titles = async (question: string, filters = {}) => (await search(t.store, question, filters)).map((hit) => hit.title)

  test('a rare word is found however old its memory is, also together with common words', async () => {
    expect((await titles('whale'))[0]).toBe('An old whale swam by')
    expect((await titles('tide harbour whale'))[0]).toBe('An old whale swam by')
    expect((await titles('whale', { project: sea }))[0]).toBe('An old whale swam by')
    expect(await titles('whale', { project: pond })).toEqual([])
  })

  test('for common words a matching title ranks first, and a long text does not win by its length', async () => {
    const found = await titles('tide harbour', { limit: 200 })
    expect(found[0]).toBe('Tide and harbour')
    expect(found.length).toBeGreaterThan(100)
    expect(found.slice(0, 100)).not.toContain('A long story')
  })

  test('a search in a small project finds only its memories', async () => {
    const hits = await search(t.store, 'tide harbour', { project: pond, limit: 50 })
    expect(hits).toHaveLength(50)
    expect(new Set(hits.map((hit) => hit.project))).toEqual(new Set([pond]))
  })

  test('common words are found in the requested time range, not only in recent memories', async () => {
    const hits = await search(t.store, 'tide harbour', { since: 1_000_000, before: 1_100_000, limit: 50 })
    expect(hits).toHaveLength(50)
    expect(hits.every((hit) => hit.at >= 1_000_000 && hit.at < 1_100_000)).toBe(true)
  })

  test('a filter finds the only matching memory among thousands of newer ones, with and without common words', async () => {
    const found = async (question: string, project = sea) => {
      const { hits } = await answerQuery(t.store, question, { project, limit: 5, offset: 0 }, 9_000_000)
      return hits.map((hit) => hit.title)
    }
    for (const words of ['', 'tide ', 'tide harbour ']) {
      expect(await found(`${words}session:${OLD}`)).toEqual(['Painted the boat'])
      expect(await found(`${words}session:${OLD.slice(0, 8)}`)).toEqual(['Painted the boat'])
      expect(await found(`${words}path:src/boat.ts`)).toEqual(['Painted the boat'])
      expect(await found(`${words}type:decision`)).toEqual(['Chose the colour'])
      expect(await found(`${words}source:Elder`)).toEqual(['Wrote a poem'])
      expect(await found(`${words}path:ui`)).toEqual(['Wrote a poem'])
      expect(await found(`${words}type:decision path:boat`)).toEqual([])
      expect(await found(`${words}session:${OLD}`, pond)).toEqual([])
    }
    expect(await found(`whale session:${OLD}`)).toEqual([])
  })

  test('no query that a person or a hook waits for scans a whole table', async () => {
    ran.clear()
    for (const project of [sea, pond, null]) {
      for (const question of ['whale', 'tide harbour', 'tide harbour whale', 'notInAnyMemory'])
        for (const since of [0, 8_000_000]) await search(t.store, question, { project, since, files: ['src/tide.ts'] })
      await timeline(t.store, { project, at: 2_000_000 }, { before: 5, after: 5 })
      await t.store.documents.newest({ project, kinds: ['observation'], since: 0, before: 9_000_000, limit: 5 })
    }
    for (const filter of ['path:src/boat', 'path:ui', 'source:elder', 'type:decision'])
      for (const words of ['', 'tide harbour '])
        await answerQuery(t.store, words + filter, { project: sea, limit: 5, offset: 0 }, 9_000_000)
    await briefFor(t.store, { project: sea, now: 9_000_000 })
    await recallFor(t.store, { ...session, id: 99 }, 'tide harbour whale', 9_000_000, 500)
    await fileBriefFor(t.store, { ...session, id: 99, project: sea }, 'src/tide.ts', 9_000_000)
    const db = new Database(t.path, { readonly: true })
    const scanning = [...ran].filter((sql) => !sql.includes('temp.') && scannedTables(db, sql).length > 0)
    db.close()
    expect(ran.size).toBeGreaterThan(20)
    expect(scanning).toEqual([])
  })
})

/** The tables that a statement would scan. Full-text tables use their index, and parts of the statement itself are not tables. */
function scannedTables(db: Database, sql: string): string[] {
  const plan = (db.query(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map((step) => step.detail)
  const parts = new Set(plan.flatMap((step) => /^(?:CO-ROUTINE|MATERIALIZE) (\S+)/.exec(step)?.[1] ?? []))
  return plan.flatMap((step) => /^SCAN (?!.* VIRTUAL TABLE)(\S+)/.exec(step)?.[1] ?? []).filter((table) => !parts.has(table))
}
