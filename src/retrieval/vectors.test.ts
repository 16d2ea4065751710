import { expect, test } from 'bun:test'
import { observation, openSession, summary, temporaryStore } from '../../test/support/builders.ts'
import { asMemorySessionId, asProjectKey, type ProjectKey } from '../core/ids.ts'
import type { Session } from '../core/memory.ts'
import { toUnitLength } from '../core/unit-vector.ts'
import type { Embedder } from '../providers/embedder.ts'
import type { Store } from '../store/store.ts'
import { gistOfObservation, gistOfPrompt, gistOfSummary } from './embed.ts'
import { embedBatch, openVectorIndex } from './vectors.ts'

const never = new AbortController().signal
const app = asProjectKey('app')

test('a memory is found by meaning once it is embedded', async () => {
  using t = await temporaryStore()
  await remember(t.store, 'The cat sat', 'Rain all day', 'A cat and a dog')
  const animals = topics('animals')
  await embedAll(t.store, animals)
  const near = await openVectorIndex(t.store, animals).nearest('cat', { project: app, limit: 2 })
  expect(await titles(t.store, near)).toEqual(['The cat sat', 'A cat and a dog'])
  expect(near[0]?.cosine).toBeCloseTo(1, 1)
})

test('the nearest memories are found even among more than a query reads', async () => {
  using t = await temporaryStore()
  await remember(t.store, ...Array.from({ length: 400 }, (_, n) => `memory ${n}`))
  const scattered = scatter(64)
  await embedAll(t.store, scattered)
  const cosine = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, d) => sum + value * (b[d] ?? 0), 0)
  const asked = scattered.embedNow('question')
  const near = await openVectorIndex(t.store, scattered).nearest(asked, { project: app, limit: 10 })
  const byCosine = (a: string, b: string) => cosine(asked, scattered.embedNow(b)) - cosine(asked, scattered.embedNow(a))
  const truth = Array.from({ length: 400 }, (_, n) => `memory ${n}`).sort(byCosine)
  const found = await titles(t.store, near)
  expect(found.filter((title) => truth.slice(0, 10).includes(title)).length).toBeGreaterThanOrEqual(9)
})

test('without vectors nothing is found, and nothing breaks', async () => {
  using t = await temporaryStore()
  await remember(t.store, 'The cat sat')
  expect(await openVectorIndex(t.store, topics('animals')).nearest('cat', { project: null, limit: 5 })).toEqual([])
})

test('an open index finds later additions and changes, and no removed memories', async () => {
  using t = await temporaryStore()
  const animals = topics('animals')
  const session = await remember(t.store, 'The cat sat', 'Rain all day')
  await embedAll(t.store, animals)
  const index = openVectorIndex(t.store, animals)
  expect(await titles(t.store, await index.nearest('cat', { project: app, limit: 1 }))).toEqual(['The cat sat'])
  await write(t.store, session, ['Rain all day', 'Another cat'])
  await embedAll(t.store, animals)
  expect(await titles(t.store, await index.nearest('cat', { project: app, limit: 1 }))).toEqual(['Another cat'])
  expect(index.size()).toBe(2)
})

test('a query in one project finds nothing of another', async () => {
  using t = await temporaryStore()
  const animals = topics('animals')
  await remember(t.store, 'The cat sat')
  await embedAll(t.store, animals)
  const index = openVectorIndex(t.store, animals)
  const found = (project: ProjectKey | null) => index.nearest('cat', { project, limit: 5 })
  expect([await found(asProjectKey('other')), await found(app), await found(null)].map((near) => near.length)).toEqual([0, 1, 1])
})

test('another embedder replaces every vector batch by batch, and the old vectors serve until then', async () => {
  using t = await temporaryStore()
  const [first, second] = [topics('first'), topics('second')]
  await remember(t.store, ...Array.from({ length: 40 }, (_, n) => `cat ${n}`))
  await embedAll(t.store, first)
  expect(await embedBatch(t.store, second, never)).toBe(true)
  const found = async (embedder: Embedder) => (await openVectorIndex(t.store, embedder).nearest('cat', { project: app, limit: 99 })).length
  expect([await found(first), await found(second)]).toEqual([8, 32])
  expect(await embedBatch(t.store, second, never)).toBe(false)
  expect([await found(first), await found(second)]).toEqual([0, 40])
})

test('a document rewritten with the same text is not embedded again', async () => {
  using t = await temporaryStore()
  const animals = topics('animals')
  const session = await remember(t.store, 'The cat sat', 'Rain all day')
  await embedAll(t.store, animals)
  const before = animals.asked.length
  await write(t.store, session, ['The cat sat', 'Rain all day'])
  await embedAll(t.store, animals)
  expect(animals.asked).toHaveLength(before)
  expect(await t.store.vectors.counts()).toEqual({ vectors: 2, waiting: 0 })
})

test('a document that changes during its embedding stays queued', async () => {
  using t = await temporaryStore()
  const session = await remember(t.store)
  const add = { key: 'k', promptId: null, uuid: null, origin: 'person' as const, text: 'a cat?', at: 1 }
  const prompt = await t.store.prompts.add(session, add)
  const slow = topics('slow', async () => void (prompt && (await t.store.prompts.setAnswer(prompt, 'rather a dog', 2))))
  await embedBatch(t.store, slow, never)
  expect(await t.store.vectors.counts()).toEqual({ vectors: 1, waiting: 1 })
  await embedAll(t.store, slow)
  expect(slow.asked).toEqual(['a cat?', 'a cat?\nrather a dog'])
})

test('a text without any known word has no vector', async () => {
  using t = await temporaryStore()
  await remember(t.store, 'Quite unknown')
  await embedAll(t.store, topics('animals'))
  expect(await t.store.vectors.counts()).toEqual({ vectors: 0, waiting: 0 })
})

test('a failing embedder leaves the queue unchanged', async () => {
  using t = await temporaryStore()
  await remember(t.store, 'The cat sat')
  const failing = topics('failing', () => Promise.reject(new Error('away')))
  await expect(embedBatch(t.store, failing, never)).rejects.toThrow('away')
  expect(await t.store.vectors.counts()).toEqual({ vectors: 0, waiting: 1 })
})

test('an observation or a summary is embedded by its own text', () => {
  const seen = observation({ title: 'Title', subtitle: '', narrative: 'Story', facts: ['one', 'two'], filesRead: ['src/a.ts'] })
  expect(gistOfObservation(seen)).toBe('Title\nStory\none\ntwo')
  expect(gistOfSummary(summary({ request: 'Do it', completed: 'Done' }))).toBe('Do it\nDone')
})

test('a prompt is embedded by the person’s words and the start of the answer', () => {
  const prompt = { id: 1, sessionId: 1, number: 1, text: 'Why?', answer: 'because '.repeat(1000), at: 1, answeredAt: 2 }
  expect(gistOfPrompt({ ...prompt, origin: 'person' })).toStartWith('Why?\nbecause')
  expect(gistOfPrompt({ ...prompt, origin: 'machine' })).toStartWith('because')
  expect(gistOfPrompt({ ...prompt, origin: 'person', text: 'long '.repeat(9000) }).length).toBeLessThanOrEqual(2000)
})

test('a short prompt is embedded with its context, a long one without', () => {
  const prompt = { id: 1, sessionId: 1, number: 2, origin: 'person' as const, answer: null, at: 1, answeredAt: null }
  expect(gistOfPrompt({ ...prompt, text: 'And then?' }, 'The cat\nIt sat')).toBe('And then?\nThe cat\nIt sat')
  expect(gistOfPrompt({ ...prompt, text: 'long '.repeat(400) }, 'The cat')).not.toContain('cat')
  expect(gistOfPrompt({ ...prompt, text: 'notice', origin: 'machine' }, 'The cat')).toBe('')
})

test('a new prompt causes the previous one to be embedded again', async () => {
  using t = await temporaryStore()
  const session = await remember(t.store)
  const say = (text: string, at: number) =>
    t.store.prompts.add(session, { key: text, promptId: null, uuid: null, origin: 'person', text, at })
  const animals = topics('animals')
  await say('a cat?', 1)
  await embedAll(t.store, animals)
  await say('or a dog?', 2)
  await embedAll(t.store, animals)
  expect(animals.asked).toEqual(['a cat?', 'or a dog?\na cat?', 'a cat?\nor a dog?'])
})

/** An embedder that counts three words, records its inputs, and can run something during a call. */
function topics(name: string, meanwhile: () => Promise<void> = async () => {}): Embedder & { asked: string[] } {
  const asked: string[] = []
  const count = (text: string) => {
    const counts = ['cat', 'dog', 'rain'].map((word) => text.toLowerCase().split(word).length - 1)
    const length = Math.hypot(...counts) || 1
    return Float32Array.from(counts, (value) => value / length)
  }
  return {
    name,
    dimensions: 3,
    asked,
    embed: async (texts) => {
      asked.push(...texts)
      if (texts.length > 0) await meanwhile()
      return texts.map(count)
    },
    embedNow: count,
  }
}

/** An embedder for which no two texts are similar. */
function scatter(dimensions: number) {
  const embedNow = (text: string) => {
    const vector = Float32Array.from({ length: dimensions }, (_, d) => Number(BigInt(Bun.hash(`${d} ${text}`)) & 0xffffn) / 65_536 - 0.5)
    return toUnitLength(vector)
  }
  return { name: 'scatter', dimensions, embedNow, embed: async (texts: string[]) => texts.map(embedNow) }
}

async function embedAll(store: Store, embedder: Embedder): Promise<void> {
  while (await embedBatch(store, embedder, never));
}

async function remember(store: Store, ...titles: string[]): Promise<Session> {
  const session = await openSession(store)
  await store.sessions.setMemorySessionId(session.id, asMemorySessionId('m1'))
  await write(store, session, titles)
  return session
}

/** Stores these as the observations of the session's only turn. */
async function write(store: Store, session: Session, titles: string[]): Promise<void> {
  const turn = { sessionId: session.id, memorySessionId: asMemorySessionId('m1'), number: 1 }
  const drafts = titles.map((title) => ({ ...observation({ sessionId: session.id, title }), key: title }))
  await store.observations.replaceTurn(turn, drafts)
}

async function titles(store: Store, near: { ref: string }[]): Promise<string[]> {
  return (await store.observations.get(near.map(({ ref }) => Number(ref)))).map(({ title }) => title)
}
