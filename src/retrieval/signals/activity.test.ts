import { expect, test } from 'bun:test'
import { addObservations, observation, openSession, temporaryStore } from '../../../test/support/builders.ts'
import { search } from '../search.ts'
import { WEIGHTS } from '../weights.ts'

test('a word that occurs only in what tools did counts more than one that texts contain too', async () => {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'The heron of the pier' })])
  const session = await openSession(t.store, 's2')
  const prompt = await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text: 'go on', at: 1 })
  if (prompt) await t.store.prompts.setActivity(prompt, 'heron ostrich')
  const given = async (query: string) => (await search(t.store, query)).find(({ title }) => title === 'go on')?.signals.activity ?? 0
  expect(await given('heron')).toBe(WEIGHTS.activity)
  expect(await given('ostrich')).toBeGreaterThan(WEIGHTS.activity)
  const both = await given('heron ostrich')
  expect(both).toBeGreaterThan(WEIGHTS.activity)
  expect(both).toBeLessThan(await given('ostrich'))
})
