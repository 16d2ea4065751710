import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { addObservations, observation, openSession } from '../../test/support/builders.ts'
import { servicesWithMcp } from '../../test/support/mcp-client.ts'
import { asProjectKey } from '../core/ids.ts'
import type { DocumentRef } from '../store/store.ts'

const DAY = 86_400_000
const START = Date.now() - 3 * DAY

const at = await servicesWithMcp()
const { client } = at
afterAll(() => at[Symbol.asyncDispose]())

const o = (id: number): DocumentRef => ({ kind: 'observation', ref: String(id) })

/** Three memories of one project, of which the first led to the second, and one of another project. */
beforeAll(async () => {
  const work = ['The lighthouse test fails', 'Fixed the lamp of the lighthouse', 'Painted the jetty']
  await addObservations(
    at.store,
    work.map((title, n) => observation({ title, at: START + n * DAY })),
  )
  const other = await openSession(at.store, 's2', START, asProjectKey('other'))
  await at.store.prompts.add(other, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'Count the pelicans', at: START })
  await at.store.sessions.complete(other.id, START)
  await at.store.links.add([{ from: o(1), to: o(2), relation: 'failed-then-fixed', origin: 'npm test', at: START }])
})

const text = async (name: string, args: object) => (await client.call(name, args)).text

describe('memory_recall', () => {
  test('lists ids, titles and costs, and says where the next page starts', async () => {
    const first = await text('memory_recall', { query: 'lighthouse', limit: 1 })
    expect(first).toMatch(/\nid \| type \| title \| cost\n/)
    expect(first).toEndWith('More hits: offset 1.')
    const second = await text('memory_recall', { query: 'lighthouse', limit: 1, offset: 1 })
    const ids = [first, second].map((page) => /^#\d/m.exec(page)?.[0])
    expect(ids.toSorted()).toEqual(['#1', '#2'])
    expect(await text('memory_recall', { query: 'lighthouse', offset: 9 })).toContain('No more hits from offset 9.')
  })

  test('looks in other projects if nothing here is close, unless the call names the project', async () => {
    expect(await text('memory_recall', { query: 'pelicans' })).toContain('Count the pelicans')
    expect(await text('memory_recall', { query: 'pelicans', project: 'app' })).toContain('No memories found')
    expect(await text('memory_recall', { query: 'pelicans', project: 'all' })).toMatch(
      /project \| cost\n[\s\S]*Count the pelicans \| other/,
    )
  })

  test('says what it did not understand', async () => {
    expect(await text('memory_recall', { query: 'lighthouse type:bugfx' })).toContain('did you mean bugfix?')
    expect(await client.call('memory_recall', { query: '  ' })).toEqual({ isError: true, text: expect.stringContaining('query is empty') })
  })
})

describe('memory_timeline', () => {
  test('shows what happened before and after a memory, which is marked', async () => {
    const around = await text('memory_timeline', { anchor: '#2', depth_before: 1, depth_after: 1 })
    expect(around.match(/^(?:> )?#\d/gm)).toEqual(['#1', '> #2', '#3'])
    expect(around).toContain('\nin app\n')
    // Each is of another day, and each day is a heading once.
    expect(around.match(/^\d{4}-\d\d-\d\d$/gm)).toHaveLength(3)
    expect((await text('memory_timeline', { anchor: '#2', depth_before: 0, depth_after: 1 })).match(/#\d/g)).toEqual(['#2', '#3'])
  })

  test('finds its middle by a query or a time', async () => {
    expect(await text('memory_timeline', { query: 'jetty', depth_before: 0 })).toContain('> #3')
    expect(await text('memory_timeline', { at: new Date(START + DAY).toISOString(), depth_after: 1 })).toMatch(/#1 \|[\s\S]*#2 \|/)
    expect(await client.call('memory_timeline', {})).toMatchObject({ isError: true, text: expect.stringContaining('Pass anchor') })
  })
})

describe('memory_get', () => {
  test('gives the full text of several memories, and says which do not exist', async () => {
    const got = await text('memory_get', { ids: ['#3', '#99'] })
    expect(got).toContain('Painted the jetty')
    expect(got).toContain('#99 does not exist.')
    expect(got).toMatch(/~\d+ tokens$/)
  })

  test('refuses if none of them exists', async () => {
    expect(await client.call('memory_get', { ids: ['#98', '#99'] })).toEqual({
      isError: true,
      text: 'No memory has the id #98 or #99. Use ids from memory_recall.',
    })
  })
})

describe('memory_graph', () => {
  test('says what led to a memory and what it led to', async () => {
    expect(await text('memory_graph', { ask: 'causes', id: '#2' })).toContain('<- failed-then-fixed (npm test) | The lighthouse test fails')
    expect(await text('memory_graph', { ask: 'effects', id: '#1' })).toContain('-> failed-then-fixed (npm test) | Fixed the lamp')
    expect(await text('memory_graph', { ask: 'causes', id: '#3' })).toBe('No links yet.')
  })

  test('finds the path between two memories, also if only the second id says so', async () => {
    for (const args of [
      { ask: 'path', id: '#1', to: '#2' },
      { id: '#1', to: '#2' },
    ])
      expect(await text('memory_graph', args)).toMatch(/#1 \|[\s\S]*#2 \|.*-> failed-then-fixed/)
    expect(await text('memory_graph', { id: '#1', to: '#1' })).toBe('Both ids are the same memory.')
    expect(await text('memory_graph', { id: '#1', to: '#3' })).toBe('No path connects the two memories.')
  })

  test('lists the sessions of the project, or of all', async () => {
    expect((await text('memory_graph', { ask: 'sessions' })).match(/session \d/g)).toEqual(['session 1'])
    expect((await text('memory_graph', { ask: 'sessions', project: 'all' })).match(/session \d/g)?.toSorted()).toEqual([
      'session 1',
      'session 2',
    ])
  })

  test.each([
    [{}, 'Pass the id of a memory'],
    [{ ask: 'path', id: '#1' }, 'A path needs two memories'],
    [{ id: 'lighthouse' }, 'is not a memory id'],
    [{ ask: 'topics', project: 'all' }, 'Topics belong to one project'],
  ])('refuses %j with the reason', async (args, reason) => {
    expect(await client.call('memory_graph', args)).toEqual({ isError: true, text: expect.stringContaining(reason) })
  })
})
