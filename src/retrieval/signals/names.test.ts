import { expect, test } from 'bun:test'
import { addObservations, observation, temporaryStore } from '../../../test/support/builders.ts'
import { search } from '../search.ts'

/** What the signal gives to the memory with the name, for a query with a part of it. */
async function given(query: string): Promise<number | undefined> {
  using t = await temporaryStore()
  await addObservations(t.store, [observation({ title: 'Renamed isControlRune' }), observation({ title: 'Fed the pelican' })])
  return (await search(t.store, query)).find(({ title }) => title.includes('isControlRune'))?.signals.names
}

test('part of a name is found among other words, wherever it is in the query: the longest words are tried', async () => {
  for (const query of ['ntrolrun', 'ntrolrun owl eel', 'owl eel hen yak emu ntrolrun']) expect(await given(query)).toBeGreaterThan(0)
})

test('a word too long for a name, such as a key, takes no place among those that are tried', async () => {
  const keys = ['abcd', 'efgh', 'ijkl'].map((letters) => letters.repeat(20))
  expect(await given(`${keys.join(' ')} ntrolrun`)).toBeGreaterThan(0)
})
