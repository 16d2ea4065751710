import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openSession, temporaryStore } from '../../test/support/builders.ts'
import { until } from '../../test/support/until.ts'
import { asProjectKey } from '../core/ids.ts'
import { openLog } from '../platform/log.ts'
import type { EmbedderSettings } from '../providers/embedder.ts'
import type { Store } from '../store/store.ts'
import { openEmbedding } from './embedding.ts'
import { openQueue } from './queue.ts'
import { openSemanticSearch } from './semantic-search.ts'

test('texts get vectors in background batches and are then found by meaning', async () => {
  using endpoint = letters()
  await using at = await working({ provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' })
  await say(at.store, ...Array.from({ length: 50 }, (_, n) => `prompt ${'x'.repeat(n)}`))
  await at.embedding.queue()
  await at.queue.drained()
  expect(await at.store.vectors.counts()).toEqual({ vectors: 50, waiting: 0 })
  const state = await at.embedding.state()
  if (state.kind === 'absent') throw new Error(state.reason)
  const [nearest] = await state.index.nearest('prompt xxx', { project: asProjectKey('app'), limit: 1 })
  expect(nearest).toMatchObject({ kind: 'prompt', ref: '4' })
})

test('a new text gets its vector at once, without the queue, and no text is embedded twice', async () => {
  using endpoint = letters()
  let requests = 0
  endpoint.onRequest = async () => {
    requests++
    await Bun.sleep(50)
  }
  await using at = await working({ provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' })
  await at.embedding.state()
  requests = 0
  await say(at.store, 'hello')
  for (let n = 0; n < 3; n++) at.embedding.embedSoon(at.queue.kick)
  await at.embedding.queue()
  await Bun.sleep(60)
  // The job comes while the first batch is being made.
  await at.queue.drained()
  await until(async () => (await at.store.vectors.counts()).vectors > 0)
  expect(await at.store.vectors.counts()).toEqual({ vectors: 1, waiting: 0 })
  expect(requests).toBe(1)
})

test('more new texts than one batch holds get their vectors at once too', async () => {
  using endpoint = letters()
  await using at = await working({ provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' })
  await say(at.store, ...Array.from({ length: 300 }, (_, n) => `prompt ${'x'.repeat(n)}`))
  at.embedding.embedSoon(at.queue.kick)
  await until(async () => (await at.store.vectors.counts()).waiting === 0)
  expect(await at.store.vectors.counts()).toEqual({ vectors: 300, waiting: 0 })
})

test('a search before the vectors are read uses words, the next one meaning too', async () => {
  using endpoint = letters()
  await using at = await working({ provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' })
  await say(at.store, ...Array.from({ length: 5 }, (_, n) => `prompt ${'x'.repeat(n)}`))
  await at.embedding.queue()
  await at.queue.drained()
  const restarted = openEmbedding(at.store, () => ({ provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' }), at.models, at.log)
  const meaning = openSemanticSearch(restarted)
  expect(await meaning('prompt xxx', asProjectKey('app'), 3)).toEqual([])
  await restarted.warm()
  expect(await meaning('prompt xxx', asProjectKey('app'), 3)).toHaveLength(3)
})

test('without an embedder the job ends at once, and the texts stay queued', async () => {
  await using at = await working({ provider: 'none', name: '', base_url: '', api_key: '' })
  await say(at.store, 'hello')
  expect(await at.embedding.queueIfWaiting()).toBe(true)
  await at.queue.drained()
  expect(await at.store.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0 })
  expect(await at.store.vectors.counts()).toEqual({ vectors: 0, waiting: 1 })
  expect((await at.embedding.state()).kind).toBe('absent')
})

test('a failing endpoint leaves no dead job, and the vectors are made when it works again', async () => {
  using endpoint = letters()
  await using at = await working({ provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' })
  await at.embedding.state()
  await say(at.store, 'hello')
  endpoint.status = 503
  await at.embedding.queue()
  await at.queue.drained()
  expect(await at.store.jobs.counts()).toEqual({ waiting: 0, running: 0, dead: 0 })
  endpoint.status = 200
  expect(await at.embedding.queueIfWaiting()).toBe(true)
  await at.queue.drained()
  expect(await at.store.vectors.counts()).toEqual({ vectors: 1, waiting: 0 })
  expect(await at.embedding.queueIfWaiting()).toBe(false)
})

test('an absent embedder is opened again after a while, not at every search', async () => {
  using endpoint = letters()
  await using at = await working({ provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' })
  endpoint.status = 503
  expect((await at.embedding.state(0)).kind).toBe('absent')
  endpoint.status = 200
  expect((await at.embedding.state(1000)).kind).toBe('absent')
  expect((await at.embedding.state(61_000)).kind).toBe('ready')
})

test('callers at the same time share one embedder, also when an absent one is opened again', async () => {
  using endpoint = letters()
  await using at = await working({ provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' })
  endpoint.status = 503
  await at.embedding.state(0)
  endpoint.status = 200
  const [one, other] = await Promise.all([at.embedding.state(61_000), at.embedding.state(61_000)])
  expect(one.kind).toBe('ready')
  expect(other).toBe(one)
  await at.embedding.reload()
  const [third, fourth] = await Promise.all([at.embedding.state(61_000), at.embedding.state(61_000)])
  expect(fourth).toBe(third)
  expect(third).not.toBe(one)
})

test('after a change of embedder and back, the first search uses meaning again', async () => {
  const settings: EmbedderSettings = { provider: 'static', name: '', base_url: '', api_key: '' }
  await using at = await working(settings)
  await say(at.store, 'fix the parser', 'bake a cake')
  await at.embedding.queue()
  await at.queue.drained()
  settings.provider = 'none'
  await at.embedding.reload()
  await at.queue.drained()
  settings.provider = 'static'
  await at.embedding.reload()
  await at.queue.drained()
  const state = await at.embedding.state()
  while (state.kind === 'ready' && !state.index.isWarm()) await Bun.sleep(1)
  expect(await openSemanticSearch(at.embedding)('the parser is broken', asProjectKey('app'), 2)).not.toEqual([])
})

test('another embedder makes all vectors again, and until then searches use the old ones too', async () => {
  using endpoint = letters()
  const settings: EmbedderSettings = { provider: 'static', name: '', base_url: '', api_key: '' }
  await using at = await working(settings)
  await say(at.store, 'fix the parser', 'bake a cake')
  await at.embedding.queue()
  await at.queue.drained()
  const meaning = openSemanticSearch(at.embedding)
  const best = async () => {
    for (const index of await at.embedding.indexes()) await index.warm()
    return (await meaning('repair the parser', asProjectKey('app'), 10)).map(({ documentId }) => documentId)
  }
  expect(await best()).toEqual([1, 2])

  endpoint.status = 503
  Object.assign(settings, { provider: 'http', name: 'm', base_url: endpoint.url })
  await at.embedding.reload()
  await at.queue.drained()
  expect(await at.embedding.report()).toMatchObject({ provider: 'http', name: null, embedded: 0, waiting: 2 })
  expect(await at.embedding.problem()).toContain('503')
  expect(await best()).toEqual([1, 2])

  endpoint.status = 200
  await at.embedding.reload()
  await at.queue.drained()
  expect(await at.embedding.report()).toMatchObject({ provider: 'http', dimensions: 2, embedded: 2, waiting: 0, problem: null })
  await best()
  expect((await at.embedding.indexes()).map((index) => index.size())).toEqual([2])
})

test('a worker that starts with another embedder makes all vectors again', async () => {
  using endpoint = letters()
  const settings: EmbedderSettings = { provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' }
  await using at = await working(settings)
  await say(at.store, 'hello')
  await at.embedding.queue()
  await at.queue.drained()
  expect(await at.embedding.queueIfWaiting()).toBe(false)
  const later = openEmbedding(at.store, () => ({ ...settings, provider: 'static' }), at.models, at.log)
  expect(await later.queueIfWaiting()).toBe(true)
  await later.doJob(0)
  expect(await later.report()).toMatchObject({ provider: 'static', embedded: 1, waiting: 0 })
  expect(await later.queueIfWaiting()).toBe(false)
  await later.stop()
})

test('vectors made while the settings change are not attributed to the new embedder', async () => {
  using endpoint = letters()
  const settings: EmbedderSettings = { provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' }
  await using at = await working(settings)
  await at.embedding.state()
  await say(at.store, 'hello')
  endpoint.onRequest = () => void Object.assign(settings, { provider: 'static' })
  await at.embedding.queue()
  await at.queue.drained()
  expect(settings.provider).toBe('static')
  expect(await at.embedding.queueIfWaiting()).toBe(true)
  await at.queue.drained()
  expect(await at.embedding.report()).toMatchObject({ provider: 'static', embedded: 1, waiting: 0 })
  expect(await at.embedding.queueIfWaiting()).toBe(false)
})

test('errors of a replaced embedder are ignored', async () => {
  using endpoint = letters()
  const settings: EmbedderSettings = { provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' }
  await using at = await working(settings)
  await say(at.store, 'hello', 'good morning')
  await at.embedding.queue()
  await at.queue.drained()
  for (const index of await at.embedding.indexes()) await index.warm()
  await say(at.store, 'good night')
  const chooseAnotherMeanwhile = () => {
    endpoint.status = 500
    endpoint.onRequest = async () => {
      endpoint.onRequest = () => {}
      Object.assign(settings, { provider: 'static' })
      await at.embedding.reload()
      await at.embedding.state()
    }
  }
  chooseAnotherMeanwhile()
  expect(await openSemanticSearch(at.embedding)('hello', asProjectKey('app'), 10)).toEqual([])
  expect(await at.embedding.report()).toMatchObject({ provider: 'static', problem: null })

  Object.assign(settings, { provider: 'http' })
  endpoint.status = 200
  await at.embedding.reload()
  await at.embedding.state()
  chooseAnotherMeanwhile()
  await at.queue.drained()
  expect(await at.embedding.report()).toMatchObject({ provider: 'static', problem: null })
})

test('missing weights are reported and do not stop searches', async () => {
  await using at = await working({ provider: 'minilm', name: '', base_url: '', api_key: '' })
  await say(at.store, 'hello')
  await at.embedding.queue()
  await at.queue.drained()
  expect(await openSemanticSearch(at.embedding)('hello', asProjectKey('app'), 10)).toEqual([])
  expect(await at.embedding.problem()).toContain('recollect embedder use minilm')
  expect(await at.embedding.report()).toMatchObject({ provider: 'minilm', name: null, waiting: 1 })
})

test('when the endpoint fails during a search, words answer, and the problem is reported until it works again', async () => {
  using endpoint = letters()
  await using at = await working({ provider: 'http', name: 'm', base_url: endpoint.url, api_key: '' })
  await say(at.store, 'hello', 'good morning')
  await at.embedding.queue()
  await at.queue.drained()
  for (const index of await at.embedding.indexes()) await index.warm()
  const ask = () => openSemanticSearch(at.embedding)('hello', asProjectKey('app'), 10)
  expect(await ask()).toHaveLength(2)
  endpoint.status = 500
  expect(await ask()).toEqual([])
  expect(await at.embedding.problem()).toContain('500')
  endpoint.status = 200
  expect(await ask()).toHaveLength(2)
  expect(await at.embedding.problem()).toBeNull()
})

/** An endpoint whose vectors encode the length of a text. */
function letters() {
  const answers = { status: 200, onRequest: (): void | Promise<void> => {} }
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: async (request) => {
      await answers.onRequest()
      const { input } = (await request.json()) as { input: string[] }
      const data = input.map((text, index) => ({ index, embedding: [Math.cos(text.length / 10), Math.sin(text.length / 10)] }))
      return Response.json({ data }, { status: answers.status })
    },
  })
  return Object.assign(answers, { url: `${server.url}v1`, [Symbol.dispose]: () => void server.stop(true) })
}

async function working(settings: EmbedderSettings) {
  const t = await temporaryStore()
  const log = openLog(join(t.path, '..', 'logs'), 'worker')
  const models = join(t.path, '..', 'models')
  const embedding = openEmbedding(t.store, () => settings, models, log)
  const queue = openQueue(t.store, (job) => embedding.doJob(job.id), log)
  return {
    store: t.store,
    embedding,
    models,
    log,
    queue,
    [Symbol.asyncDispose]: async () => {
      await embedding.stop()
      await queue.stop()
      t[Symbol.dispose]()
    },
  }
}

/** Each in a session of its own, so it has no context. */
async function say(store: Store, ...texts: string[]): Promise<void> {
  for (const text of texts) {
    const session = await openSession(store, text)
    await store.prompts.add(session, { key: text, promptId: null, uuid: null, origin: 'person', text, at: 1 })
  }
}
