import { expect, test } from 'bun:test'
import { addObservations, observation, temporaryStore } from '../../test/support/builders.ts'
import { asProjectKey } from '../core/ids.ts'
import { timeline } from './timeline.ts'

const PROJECT = asProjectKey('app')

/** Eight observations, one a second; every second one is a bugfix. */
async function eightObservations() {
  const at = await temporaryStore()
  await at.store.transaction(async () => {
    await addObservations(
      at.store,
      Array.from({ length: 8 }, (_, n) =>
        observation({
          id: n + 1,
          title: `Title ${n}`,
          type: n % 2 === 0 ? 'bugfix' : 'change',
          at: 1000 * (n + 1),
          project: PROJECT,
        }),
      ),
    )
  })
  return at
}

type Only = NonNullable<Parameters<typeof timeline>[2]['only']>
const anyKind: Only = { kinds: undefined, types: [], tags: [] }
const titles = (hits: { title: string }[]) => hits.map(({ title }) => title.replace('Title ', '')).join(' ')

test('a timeline shows so many memories before and after a time, oldest first', async () => {
  using at = await eightObservations()
  const around = { project: PROJECT, at: 4500 }
  expect(titles(await timeline(at.store, around, { before: 2, after: 3 }))).toBe('2 3 4 5 6')
  expect(titles(await timeline(at.store, around, { before: 0, after: 2 }))).toBe('4 5')
  expect(titles(await timeline(at.store, around, { before: 2, after: 0 }))).toBe('2 3')
})

test('with a filter, the memories that are left are counted', async () => {
  using at = await eightObservations()
  const around = { project: PROJECT, at: 4500 }
  expect(titles(await timeline(at.store, around, { before: 1, after: 2, only: { ...anyKind, types: ['bugfix'] } }))).toBe('2 4 6')
  expect(titles(await timeline(at.store, around, { before: 0, after: 1, only: { ...anyKind, types: ['change'] } }))).toBe('5')
  expect(titles(await timeline(at.store, around, { before: 2, after: 2, only: { ...anyKind, kinds: ['note'] } }))).toBe('')
})

test('memories of the anchor’s own second stay on their side of it', async () => {
  using at = await temporaryStore()
  await addObservations(
    at.store,
    ['a', 'b', 'c', 'd'].map((title) => observation({ title, type: 'bugfix', at: 1000, project: PROJECT })),
  )
  const anchor = await at.store.documents.locationOf('observation', '2')
  if (!anchor) throw new Error('the observation is not indexed')
  const only = { ...anyKind, types: ['bugfix'] }
  expect(titles(await timeline(at.store, anchor, { before: 1, after: 1, only }))).toBe('a b c')
  expect(titles(await timeline(at.store, anchor, { before: 5, after: 0, only }))).toBe('a b')
})

test('a filter by kind or tag alone is a filter too, and the anchor is always shown', async () => {
  using at = await temporaryStore()
  await addObservations(at.store, [
    observation({ title: 'a', at: 1000, project: PROJECT, tags: ['tide'] }),
    observation({ title: 'b', at: 2000, project: PROJECT }),
    observation({ title: 'c', at: 3000, project: PROJECT, tags: ['tide', 'heron'] }),
  ])
  const anchor = await at.store.documents.locationOf('observation', '2')
  if (!anchor) throw new Error('the observation is not indexed')
  const around = async (only: Partial<Only>) =>
    titles(await timeline(at.store, anchor, { before: 2, after: 2, only: { ...anyKind, ...only } }))
  expect(await around({ tags: ['tide'] })).toBe('a b c')
  expect(await around({ tags: ['heron'] })).toBe('b c')
  expect(await around({ tags: ['tide', 'heron'] })).toBe('b c')
  expect(await around({ kinds: ['observation'] })).toBe('a b c')
  expect(await around({ kinds: ['note'] })).toBe('b')
})

test('a filter by tag and by type together keeps what has both', async () => {
  using at = await eightObservations()
  expect(
    titles(
      await timeline(
        at.store,
        { project: PROJECT, at: 4500 },
        { before: 3, after: 3, only: { ...anyKind, types: ['bugfix'], tags: ['none'] } },
      ),
    ),
  ).toBe('')
})
