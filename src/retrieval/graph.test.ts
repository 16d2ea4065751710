import { expect, test } from 'bun:test'
import { addObservations, observation, openSession, summary, temporaryStore } from '../../test/support/builders.ts'
import { processorTime } from '../../test/support/growth.ts'
import type { Entity } from '../core/entities.ts'
import { asMemorySessionId, asProjectKey } from '../core/ids.ts'
import type { DocumentRef, Link, LinkRelation, Store } from '../store/store.ts'
import { causesOf, effectsOf, findMemoryNode, neighboursOf, pathBetween } from './graph.ts'
import { search } from './search.ts'
import { clusterObservations, findTopics } from './topics.ts'

const app = asProjectKey('app')

test('neighbours come with their relation, its reason and their side in time', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['Broke it', 'Fixed it', 'Changed it again'])
  await t.store.links.add([link(1, 2, 'failed-then-fixed', 'npm test'), link(2, 3, 'co-changed', 'src/a.ts')])
  expect(await neighboursOf(t.store, o(2), 10)).toEqual([
    {
      ...o(1),
      type: 'change',
      title: 'Broke it',
      project: app,
      sessionId: 1,
      at: 1000,
      relation: 'failed-then-fixed',
      origin: 'npm test',
      side: 'before',
    },
    {
      ...o(3),
      type: 'change',
      title: 'Changed it again',
      project: app,
      sessionId: 1,
      at: 3000,
      relation: 'co-changed',
      origin: 'src/a.ts',
      side: 'after',
    },
  ])
})

test('a neighbour with several edges is shown once, by the strongest', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['One', 'Two'])
  await t.store.links.add([link(1, 2, 'same-file', 'src/a.ts'), link(1, 2, 'mentions', 'commit c0a210c')])
  expect((await neighboursOf(t.store, o(1), 10)).map((n) => n.relation)).toEqual(['mentions'])
})

test('observations of the same turn are neighbours too', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['Built it', 'Decided why'])
  const session = await openSession(t.store)
  const asked = await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'Build it', at: 500 })
  const from: DocumentRef = { kind: 'prompt', ref: String(asked?.id) }
  await t.store.links.add([1, 2].map((id) => ({ ...link(id, id, 'asked', 'turn 1'), from })))
  const near = await neighboursOf(t.store, o(1), 10)
  expect(near.map((n) => [n.title, n.relation, n.origin])).toEqual([
    ['Build it', 'asked', 'turn 1'],
    ['Decided why', 'same-turn', 'turn 1'],
  ])
})

test('observations of a turn are in the order in which they were numbered, and its summary comes after them', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['Built it', 'Decided why', 'Tested it'])
  const session = await openSession(t.store)
  const asked = await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'Build it', at: 500 })
  await t.store.summaries.put('k', summary({ sessionId: session.id, request: 'Build it', promptNumber: 1 }))
  const from: DocumentRef = { kind: 'prompt', ref: String(asked?.id) }
  const to: DocumentRef = { kind: 'summary', ref: '1' }
  await t.store.links.add([...[1, 2, 3].map((id) => o(id)), to].map((result) => ({ ...link(1, 1, 'asked', 'turn 1'), from, to: result })))
  const sides = async (ref: DocumentRef) =>
    (await neighboursOf(t.store, ref, 10)).filter(({ relation }) => relation === 'same-turn').map(({ title, side }) => [title, side])
  expect((await sides(o(2))).toSorted()).toEqual([
    ['Built it', 'before'],
    ['Tested it', 'after'],
  ])
  expect((await sides(to)).map(([, side]) => side)).toEqual(['before', 'before', 'before'])
})

test('titles are the same as in search: a bare reply is titled by its outcome', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['Removed the old provider'])
  const session = await openSession(t.store)
  const prompt = await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: '7', at: 500 })
  if (prompt) await t.store.prompts.setAnswer(prompt, 'Removed the old provider.\nAll tests pass.', 600)
  const ref: DocumentRef = { kind: 'prompt', ref: String(prompt?.id) }
  const [hit] = await search(t.store, 'removed the old provider', { kinds: ['prompt'] })
  expect(hit?.title).toBe('7 — Removed the old provider.')
  expect(await findMemoryNode(t.store, ref)).toMatchObject({ ...ref, title: hit?.title ?? '', project: app, at: 500 })
})

test('only a rarely touched file makes a cause, and neighbours by rarer files come first', async () => {
  using t = await temporaryStore()
  const touching = (title: string, ...filesModified: string[]) => observation({ title, filesModified })
  for (let n = 1; n <= 6; n++) await addObservations(t.store, [touching(`Session ${n}`, 'STATE.md')], `s${n}`)
  await addObservations(t.store, [touching('Session 7', 'STATE.md', 'src/a.ts')], 's7')
  await addObservations(t.store, [touching('Session 8', 'STATE.md', 'src/a.ts')], 's8')
  await t.store.links.add([link(6, 8, 'co-changed', 'STATE.md'), link(7, 8, 'co-changed', 'STATE.md, src/a.ts')])
  expect((await causesOf(t.store, o(8))).map((step) => step.title)).toEqual(['Session 7'])
  expect((await effectsOf(t.store, o(6))).map((step) => step.title)).toEqual([])
  expect((await neighboursOf(t.store, o(8), 10)).map((near) => near.title)).toEqual(['Session 7', 'Session 6'])
})

test('so it is for work that only read the same file', async () => {
  using t = await temporaryStore()
  const reading = (title: string, ...filesRead: string[]) => observation({ title, filesRead })
  for (let n = 1; n <= 6; n++) await addObservations(t.store, [reading(`Session ${n}`, 'STATE.md')], `s${n}`)
  await addObservations(t.store, [reading('Session 7', 'STATE.md', 'src/a.ts')], 's7')
  await addObservations(t.store, [reading('Session 8', 'STATE.md', 'src/a.ts')], 's8')
  await t.store.links.add([link(6, 8, 'same-file', 'STATE.md'), link(7, 8, 'same-file', 'STATE.md, src/a.ts')])
  expect((await causesOf(t.store, o(8))).map((step) => step.title)).toEqual(['Session 7'])
})

test('redacted file names connect nothing, even through older links', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['One', 'Two', 'Three'])
  await t.store.links.add([link(1, 2, 'co-changed', 'docs/REDACTED.md'), link(2, 3, 'co-changed', 'src/a.ts, REDACTED.md')])
  expect((await causesOf(t.store, o(3))).map((step) => step.title)).toEqual(['Two'])
  expect(await pathBetween(t.store, o(1), o(3))).toBeNull()
})

test('memories without a link are neighbours if they share rare names', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['One', 'Two', ...Array.from({ length: 30 }, (_, n) => `Other ${n}`)])
  await name(t.store, 1, symbol('isValid'), symbol('everywhere'))
  await name(t.store, 2, symbol('isValid'))
  for (let n = 3; n <= 32; n++) await name(t.store, n, symbol('everywhere'))
  const near = (await neighboursOf(t.store, o(1), 10)).filter((n) => n.relation !== 'same-session')
  expect(near.map((n) => [n.title, n.relation, n.origin])).toEqual([['Two', 'shares', 'isValid']])
})

test('a command that both ran does not make two memories neighbours', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['One', 'Two'])
  for (const id of [1, 2]) await name(t.store, id, { kind: 'command', name: 'npm test' })
  expect((await neighboursOf(t.store, o(1), 10)).map((n) => n.relation)).toEqual(['same-session'])
})

test('other work of the session comes last, nearest in time first', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['One', 'Two', 'Three', 'Four'])
  await t.store.links.add([link(1, 2, 'follows', 'turn 2 after turn 1')])
  await t.store.sessions.setTitle(1, 'The pelican')
  const near = await neighboursOf(t.store, o(2), 10)
  expect(near.map((n) => [n.title, n.relation, n.side])).toEqual([
    ['One', 'follows', 'before'],
    ['Three', 'same-session', 'after'],
    ['Four', 'same-session', 'after'],
  ])
  expect(near[1]?.origin).toBe('session “The pelican”')
})

test.each<LinkRelation>(['asked', 'follows', 'same-file', 'co-changed', 'failed-then-fixed', 'mentions', 'supersedes'])(
  'a link of kind %s leads both ways and says where it came from',
  async (relation) => {
    using t = await temporaryStore()
    await observations(t.store, ['One', 'Two'])
    await t.store.links.add([link(1, 2, relation, 'because')])
    const [back] = await neighboursOf(t.store, o(2), 1)
    const [on] = await neighboursOf(t.store, o(1), 1)
    expect([back, on]).toMatchObject([
      { title: 'One', relation, side: 'before', origin: 'because' },
      { title: 'Two', relation, side: 'after', origin: 'because' },
    ])
  },
)

test('causes go back step by step, effects go forward', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['Asked around', 'Broke it', 'Fixed it', 'Used it'])
  await t.store.links.add([
    link(1, 2, 'mentions', 'issue #7'),
    link(2, 3, 'failed-then-fixed', 'npm test'),
    link(3, 4, 'co-changed', 'src/a.ts'),
  ])
  const causes = await causesOf(t.store, o(3))
  expect(causes.map((step) => [step.title, step.relation, step.distance, step.via.ref])).toEqual([
    ['Broke it', 'failed-then-fixed', 1, '3'],
    ['Asked around', 'mentions', 2, '2'],
  ])
  expect((await effectsOf(t.store, o(2))).map((step) => step.title)).toEqual(['Fixed it', 'Used it'])
  expect(await effectsOf(t.store, o(4))).toEqual([])
})

test('each memory is reached by its strongest path', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['First', 'Second', 'Third'])
  await t.store.links.add([
    link(1, 3, 'follows', 'turn 3'),
    link(1, 2, 'failed-then-fixed', 'npm test'),
    link(2, 3, 'mentions', 'issue #7'),
  ])
  const [second, first] = await causesOf(t.store, o(3))
  expect([second?.title, first?.title, first?.relation, first?.distance]).toEqual(['Second', 'First', 'failed-then-fixed', 2])
})

test('the path between two memories is the shortest, and each step has its relation', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['A', 'B', 'C', 'D', 'E'])
  await t.store.links.add([
    link(1, 2, 'asked', 'turn 1'),
    link(2, 3, 'follows', 'turn 2'),
    link(3, 4, 'follows', 'turn 3'),
    link(2, 4, 'co-changed', 'src/a.ts'),
  ])
  const there = await pathBetween(t.store, o(1), o(4))
  expect(there?.map((step) => [step.title, ...('relation' in step ? [step.relation, step.side] : [])])).toEqual([
    ['A'],
    ['B', 'asked', 'after'],
    ['D', 'co-changed', 'after'],
  ])
  const back = await pathBetween(t.store, o(4), o(1))
  expect(back?.map((step) => [step.title, ...('relation' in step ? [step.relation, step.side] : [])])).toEqual([
    ['D'],
    ['B', 'co-changed', 'before'],
    ['A', 'asked', 'before'],
  ])
  expect(await pathBetween(t.store, o(1), o(5))).toBeNull()
  expect(await pathBetween(t.store, o(1), o(3), 1)).toBeNull()
  expect((await pathBetween(t.store, o(1), o(1)))?.map((step) => step.title)).toEqual(['A'])
})

test('shared names can connect two memories that no link connects', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['A', 'B'])
  await name(t.store, 1, symbol('isValid'))
  await name(t.store, 2, symbol('isValid'))
  expect((await pathBetween(t.store, o(1), o(2)))?.at(-1)).toMatchObject({ title: 'B', relation: 'shares', origin: 'isValid' })
})

test('a missing memory has no neighbours, causes or path', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['A'])
  expect(await neighboursOf(t.store, o(9), 5)).toEqual([])
  expect(await causesOf(t.store, o(9))).toEqual([])
  expect(await pathBetween(t.store, o(1), o(9))).toBeNull()
})

test('a hub with thousands of links is answered as quickly as any other', async () => {
  using t = await temporaryStore()
  await observations(
    t.store,
    Array.from({ length: 400 }, (_, n) => `Number ${n}`),
  )
  const pairs = Array.from({ length: 400 }, (_, n) => n + 1)
  await t.store.transaction(() =>
    t.store.links.add(pairs.flatMap((a) => pairs.filter((b) => b > a && (b - a < 9 || a === 1)).map((b) => link(a, b, 'co-changed', 'x')))),
  )
  const used = processorTime()
  expect(await neighboursOf(t.store, o(1), 10)).toHaveLength(10)
  expect(await effectsOf(t.store, o(1), 10)).toHaveLength(10)
  expect(await pathBetween(t.store, o(2), o(400))).not.toBeNull()
  expect(used()).toBeLessThan(2000)
})

test('topics are groups of observations, named after what is distinctive for them', async () => {
  using t = await temporaryStore()
  await observations(t.store, ['Login', 'Logout', 'Tokens', 'Chart', 'Axis', 'Alone'])
  for (const id of [1, 2, 3]) await name(t.store, id, file('src/auth/token.ts'), symbol('isValid'), symbol('shared'))
  for (const id of [4, 5]) await name(t.store, id, file('src/charts/index.ts'), symbol('shared'))
  await name(t.store, 6, symbol('shared'))
  const found = await findTopics(t.store, app, 5)
  expect(found.map((topic) => [topic.name, topic.observations, topic.newest.map((memory) => memory.title)])).toEqual([
    ['token.ts, isValid', 3, ['Tokens', 'Logout', 'Login']],
    ['charts/index.ts', 2, ['Axis', 'Chart']],
  ])
  expect(found[0]).toMatchObject({ since: 1000, until: 3000 })
  expect(await findTopics(t.store, asProjectKey('other'), 5)).toEqual([])
})

test('topics do not depend on the order of the input', () => {
  const named = Array.from({ length: 60 }, (_, n) => [
    { observation: n, entity: symbol(`topic${n % 7}`) },
    { observation: n, entity: file(`src/part${n % 7}/file.ts`) },
  ]).flat()
  const shuffled = named.toSorted((a, b) => ((a.observation * 37) % 61) - ((b.observation * 37) % 61))
  const shape = (found: ReturnType<typeof clusterObservations>) => found.map((c) => [c.name, c.observations.toSorted((a, b) => a - b)])
  expect(shape(clusterObservations(named))).toHaveLength(7)
  expect(shape(clusterObservations(shuffled))).toEqual(shape(clusterObservations(named)))
})

/** Observations 1, 2, …, each in its own turn, one second apart. */
async function observations(store: Store, titles: string[]): Promise<void> {
  const session = await openSession(store)
  const memorySessionId = asMemorySessionId('m1')
  await store.sessions.setMemorySessionId(session.id, memorySessionId)
  for (const [n, title] of titles.entries()) {
    const given = observation({ title, at: 1000 * (n + 1), promptNumber: n + 1 })
    await store.observations.replaceTurn({ sessionId: session.id, memorySessionId, number: n + 1 }, [{ ...given, key: String(n) }], '')
  }
}

const name = (store: Store, id: number, ...entities: Entity[]) =>
  store.links.setMentions({ ...o(id), project: app, at: 1000 * id }, entities)

const o = (id: number): DocumentRef => ({ kind: 'observation', ref: String(id) })
const link = (from: number, to: number, relation: LinkRelation, origin: string): Link => ({
  from: o(from),
  to: o(to),
  relation,
  origin,
  at: 1000 * to,
})
const symbol = (name: string): Entity => ({ kind: 'symbol', name })
const file = (name: string): Entity => ({ kind: 'file', name })
