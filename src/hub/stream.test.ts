import { expect, test } from 'bun:test'
import { fakeDatabase, postgresError } from '../../test/support/fake-database.ts'
import { newToken } from './caller.ts'
import { openHeadStream } from './stream.ts'

const identity = { hub: 'h', member: 'm', member_name: 'Ada', member_role: 'member', device: 'd', device_name: 'laptop' }

/** A stream over heads that the test changes. */
function aStream() {
  const heads = new Map([
    ['project 1', 5],
    ['project 2', 6],
    ['own m', 7],
    ['own other', 8],
  ])
  const warnings: string[] = []
  const state = {
    isDown: false,
    isRevoked: false,
    projects: [{ id: '1', key: 'shop' }],
    delayed: null as Promise<void> | null,
    refusal: '',
  }
  const database = fakeDatabase({
    identify: () => {
      if (state.refusal) throw postgresError(state.refusal)
      return state.isRevoked ? [] : [identity]
    },
    'FROM recollect.projects': async () => {
      await state.delayed
      return state.projects
    },
    'recollect.heads()': async () => {
      await state.delayed
      if (state.isDown) throw postgresError('57P01')
      return [...heads].map(([feed, head]) => ({ feed, head }))
    },
  })
  const stream = openHeadStream(database, { info: () => {}, warn: (fact) => void warnings.push(fact) }, { pollMs: 20, recheckMs: 30 })
  return { heads, state, stream, database, warnings, [Symbol.dispose]: () => stream.close() }
}

async function readEvents(reader: { read(): Promise<{ value?: string | undefined; done: boolean }> }, count: number): Promise<unknown[]> {
  const events: unknown[] = []
  while (events.length < count) {
    const { value, done } = await reader.read()
    if (done || value === undefined) break
    for (const [, data = ''] of value.matchAll(/^data: (.*)$/gm)) events.push(JSON.parse(data))
  }
  return events
}

test('a listener gets the heads that concern it, then each that grows', async () => {
  using at = aStream()
  const reader = (await at.stream.listen(newToken())).getReader()
  expect(await readEvents(reader, 2)).toEqual([{ project: 'shop', head: 5 }, { own: 7 }])
  for (const [feed, head] of [...at.heads]) at.heads.set(feed, head + 10)
  at.heads.delete('own m')
  expect(await readEvents(reader, 1)).toEqual([{ project: 'shop', head: 15 }])
  at.heads.set('project 1', 16)
  expect(await readEvents(reader, 1)).toEqual([{ project: 'shop', head: 16 }])
})

test('a member of thousands of projects stays connected', async () => {
  using at = aStream()
  at.state.projects = Array.from({ length: 3000 }, (_, id) => ({ id: String(id), key: `project-${id}` }))
  for (const { id } of at.state.projects) at.heads.set(`project ${id}`, 1)
  const reader = (await at.stream.listen(newToken())).getReader()
  await Bun.sleep(100)
  expect(at.stream.listeners()).toBe(1)
  expect(await readEvents(reader, 3001)).toHaveLength(3001)
})

test('a database that does not answer for a while is reported, and the stream goes on', async () => {
  using at = aStream()
  const reader = (await at.stream.listen(newToken())).getReader()
  await readEvents(reader, 2)
  at.state.isDown = true
  while (at.warnings.length === 0) await Bun.sleep(20)
  at.state.isDown = false
  at.heads.set('own m', 9)
  expect(await readEvents(reader, 1)).toEqual([{ own: 9 }])
  expect(at.warnings[0]).toBe('polling the heads failed')
})

test('a device has at most four streams: the oldest ends', async () => {
  using at = aStream()
  const readers = []
  for (let n = 0; n < 5; n++) readers.push((await at.stream.listen(newToken())).getReader())
  expect(at.stream.listeners()).toBe(4)
  expect(await readEvents(readers[0] as (typeof readers)[0], 3)).toHaveLength(2)
})

test('a listener that leaves is forgotten, and closing ends the others', async () => {
  using at = aStream()
  const [one, two] = [(await at.stream.listen(newToken())).getReader(), (await at.stream.listen(newToken())).getReader()]
  await one.cancel()
  expect(at.stream.listeners()).toBe(1)
  at.stream.close()
  expect(await readEvents(two, 3)).toHaveLength(2)
  expect(at.stream.listeners()).toBe(0)
})

test('a listener follows its rights: a new project is announced at once, and a lost one no more', async () => {
  using at = aStream()
  const reader = (await at.stream.listen(newToken())).getReader()
  await readEvents(reader, 2)
  at.state.projects = [{ id: '2', key: 'vault' }]
  expect(await readEvents(reader, 1)).toEqual([{ project: 'vault', head: 6 }])
  at.heads.set('project 1', 20)
  at.heads.set('project 2', 21)
  expect(await readEvents(reader, 1)).toEqual([{ project: 'vault', head: 21 }])
  at.state.projects = [{ id: '1', key: 'shop' }]
  expect(await readEvents(reader, 1)).toEqual([{ project: 'shop', head: 20 }])
})

test('the stream of a revoked device ends', async () => {
  using at = aStream()
  const reader = (await at.stream.listen(newToken())).getReader()
  at.state.isRevoked = true
  expect(await readEvents(reader, 3)).toHaveLength(2)
  expect(at.stream.listeners()).toBe(0)
})

test('a stream ends when the database no longer knows the device, and not when it cannot say', async () => {
  using at = aStream()
  const reader = (await at.stream.listen(newToken())).getReader()
  await readEvents(reader, 2)
  at.state.refusal = '57P01'
  while (!at.warnings.includes('checking a listener failed')) await Bun.sleep(10)
  expect(at.stream.listeners()).toBe(1)
  at.state.refusal = 'RC401'
  expect(await readEvents(reader, 1)).toEqual([])
  expect(at.stream.listeners()).toBe(0)
})

test('a stream tells its client when to connect again', async () => {
  using at = aStream()
  expect((await (await at.stream.listen(newToken())).getReader().read()).value).toStartWith('retry: 3000\n\n')
})

test('without listeners, the heads are not read', async () => {
  using at = aStream()
  await Bun.sleep(60)
  expect(at.database.asked).toEqual([])
})

test('a database that is slow is not asked again before it has answered', async () => {
  using at = aStream()
  const reader = (await at.stream.listen(newToken())).getReader()
  await readEvents(reader, 2)
  const { promise, resolve } = Promise.withResolvers<void>()
  at.state.delayed = promise
  at.database.asked.length = 0
  await Bun.sleep(150)
  const count = (part: string) => at.database.asked.filter((text) => text.includes(part)).length
  expect([count('recollect.heads()'), count('FROM recollect.projects')]).toEqual([1, 1])
  at.heads.set('own m', 9)
  at.state.delayed = null
  resolve()
  expect(await readEvents(reader, 1)).toEqual([{ own: 9 }])
})

test('a listener that does not read its events is dropped, and the others stay', async () => {
  using at = aStream()
  at.state.projects = Array.from({ length: 600 }, (_, n) => ({ id: String(n), key: `p${n}` }))
  const idle = await at.stream.listen(newToken())
  const reader = (await at.stream.listen(newToken())).getReader()
  await readEvents(reader, 3)
  for (const head of [10, 11, 12]) {
    for (const { id } of at.state.projects) at.heads.set(`project ${id}`, head)
    await readEvents(reader, 600)
  }
  expect(at.stream.listeners()).toBe(1)
  at.heads.set('own m', 9)
  expect(await readEvents(reader, 1)).toEqual([{ own: 9 }])
  await idle.cancel()
})
