import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { addObservations, observation } from '../../test/support/builders.ts'
import { servicesWithMcp } from '../../test/support/mcp-client.ts'
import { asProjectKey } from '../core/ids.ts'

const at = await servicesWithMcp()
const { client } = at
afterAll(() => at[Symbol.asyncDispose]())

beforeAll(async () => {
  await addObservations(
    at.store,
    Array.from({ length: 25 }, (_, n) => observation({ title: `Painted buoy ${n}` })),
  )
})

const save = async (text: string, more: object = {}): Promise<string> =>
  /Saved as (N\w+)/.exec((await client.call('memory_capture', { text, ...more })).text)?.[1] ?? ''

describe('memory_forget', () => {
  test('deletes by ids so that it can be restored', async () => {
    expect((await client.call('memory_forget', { ids: ['#1', '#2'] })).text).toMatch(/^Deleted: #1, #2\..*restore: true/)
    expect((await client.call('memory_get', { ids: ['#1'] })).isError).toBe(true)
    expect((await client.call('memory_forget', { ids: ['#1', '#3'], restore: true })).text).toBe(
      'Restored: #1. Not deleted, so not changed: #3.',
    )
    expect((await client.call('memory_get', { ids: ['#1'] })).text).toContain('Painted buoy 0')
  })

  test('with dry_run says what it would delete, and deletes nothing', async () => {
    const { text } = await client.call('memory_forget', { ids: ['#5'], dry_run: true })
    expect(text).toMatch(/#5 \| observation \| chosen \| Painted buoy 4\n[\s\S]*This would delete 1\./)
    expect((await client.call('memory_get', { ids: ['#5'] })).isError).toBe(false)
  })

  test.each([
    ['for good', { ids: ['#6'], hard: true }],
    ['by a filter', { filter: { project: 'app' } }],
    ['many at once', { ids: Array.from({ length: 21 }, (_, n) => `#${n + 3}`) }],
  ])('leaves deleting %s to the person, and deletes nothing', async (_, args) => {
    const { text, isError } = await client.call('memory_forget', args)
    expect([isError, text]).toEqual([true, expect.stringContaining('only possible for the person')])
    expect((await client.call('memory_get', { ids: ['#6'] })).isError).toBe(false)
  })

  test.each([[{}], [{ ids: ['buoy'] }], [{ ids: ['#7', 'all'] }]])('with %j deletes nothing', async (args) => {
    expect((await client.call('memory_forget', args)).isError).toBe(true)
    expect((await client.call('memory_get', { ids: ['#7'] })).isError).toBe(false)
  })
})

describe('memory_capture', () => {
  test('saves for the project of the client, for another one, or for all', async () => {
    const scopes = await Promise.all([
      client.call('memory_capture', { text: 'Buoys are red.' }),
      client.call('memory_capture', { text: 'Anchors are black.', project: 'harbour' }),
      client.call('memory_capture', { text: 'Ropes are white.', scope: 'global' }),
    ])
    expect(scopes.map(({ text }) => /\((.*)\)/.exec(text)?.[1])).toEqual(['context, project', 'context, project', 'context, global'])
    const bodies = async (project: string) =>
      (await at.store.notes.list({ project: asProjectKey(project), now: Date.now(), limit: 50 })).map(({ body }) => body)
    expect(await bodies('harbour')).toContain('Anchors are black.')
    expect(await bodies('harbour')).not.toContain('Buoys are red.')
    expect(await bodies('app')).toContain('Buoys are red.')
  })

  test('of a note that supersedes another says so, and the older one says by what', async () => {
    const older = await save('Moor on the left side.')
    const newer = await client.call('memory_capture', { text: 'Moor on the right side.', supersedes: [older] })
    const [, id = ''] = /Saved as (N\w+)/.exec(newer.text) ?? []
    expect((await client.call('memory_get', { ids: [older] })).text).toContain(`superseded by ${id}`)
  })

  test('with a lifetime says when it expires; never means that it does not', async () => {
    const id = await save('The crane is closed.', { ttl: '2030-01-31' })
    expect((await client.call('memory_get', { ids: [id] })).text).toContain('expires 2030-01-31')
    await client.call('memory_update', { id, ttl: 'never' })
    expect((await client.call('memory_get', { ids: [id] })).text).not.toContain('expires')
  })
})

describe('memory_update', () => {
  test('needs the id of a note and something to change', async () => {
    const id = await save('Tides turn twice a day.')
    expect((await client.call('memory_update', { id })).text).toContain('Nothing to change')
    expect((await client.call('memory_update', { id: '#3', text: 'x' })).text).toContain('is not a note id')
    expect((await client.call('memory_update', { id, pin: true, tags: ['tide'] })).text).toBe(`Changed ${id}.`)
    expect((await client.call('memory_get', { ids: [id] })).text).toMatch(/#tide.*pinned/)
  })
})

describe('memory_verify', () => {
  test('confirms a memory, hides a wrong one, or replaces it', async () => {
    const [right, wrong, old] = [await save('Gulls are white.'), await save('Gulls are green.'), await save('Gulls eat stones.')]
    expect((await client.call('memory_verify', { id: right, verdict: 'ok' })).text).toBe(`${right} is confirmed.`)
    expect((await client.call('memory_get', { ids: [right] })).text).toContain('confirmed')
    expect((await client.call('memory_verify', { id: wrong, verdict: 'wrong' })).text).toContain(`${wrong} is hidden`)
    expect((await client.call('memory_recall', { query: 'gulls green' })).text).not.toContain(wrong)
    const corrected = await client.call('memory_verify', { id: old, verdict: 'correct', text: 'Gulls eat fish.' })
    expect(corrected.text).toMatch(new RegExp(`^${old} is replaced by N\\w+\\.$`))
  })
})
