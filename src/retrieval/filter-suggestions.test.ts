import { expect, test } from 'bun:test'
import { addObservations, note, observation, temporaryStore } from '../../test/support/builders.ts'
import { asNoteId } from '../core/note.ts'
import { misnamedFilters, unknownFilterValues } from './filter-suggestions.ts'
import type { QueryFilterValue } from './query-parser.ts'

async function storeWithNamespaces(...namespaces: string[]) {
  const t = await temporaryStore()
  for (const [n, namespace] of namespaces.entries()) {
    const id = `01ARZ3NDEKTSV4RRFFQ69G5F${String(n).padStart(2, '0')}`
    await t.store.notes.put(note({ id: asNoteId(id), path: `${id}.md`, namespace }), id)
  }
  return t
}

const value = (filter: QueryFilterValue['filter'], word: string) => ({ filter, word, at: 3 })

test('a value that no memory has comes with a suggestion', async () => {
  using t = await storeWithNamespaces('decisions', 'context')
  const messages = async (filter: QueryFilterValue['filter'], word: string) =>
    (await unknownFilterValues(t.store, [value(filter, word)])).map(({ message }) => message)
  expect(await messages('ns', 'desicions')).toEqual(['unknown namespace “desicions”; did you mean decisions?'])
  expect(await messages('ns', 'weather')).toEqual(['unknown namespace “weather”; use one of: context, decisions'])
  expect(await messages('source', 'xxxxxxxx')).toEqual([expect.stringMatching(/^unknown source “xxxxxxxx”; use one of: /)])
  expect(await messages('branch', 'login')).toEqual(['unknown branch “login”; no memory has one yet'])
  expect(await messages('session', 'abcd')).toEqual([
    'unknown session “abcd”; use its number, or at least the first four characters of its id',
  ])
})

test('a value that some memory has is no problem, in any case, and neither is a project', async () => {
  using t = await storeWithNamespaces('decisions')
  expect(await unknownFilterValues(t.store, [value('ns', 'Decisions'), value('project', 'nowhere')])).toEqual([])
})

test('of many possible values the first few are named', async () => {
  using t = await storeWithNamespaces(...'abcdefghij'.split('').map((letter) => letter.repeat(9)))
  const [problem] = await unknownFilterValues(t.store, [value('ns', 'weather')])
  expect(problem?.message.match(/(\w)\1{8}/g)).toHaveLength(8)
  expect(problem?.message).toEndWith(', …')
})

test('a misspelled filter is named if it accepts the value, and no memory has the word', async () => {
  using t = await storeWithNamespaces('decisions')
  const messages = async (key: string, of: string) =>
    (await misnamedFilters(t.store, [{ key, value: of, at: 0 }], 1000)).map(({ message }) => message)
  expect(await messages('knd', 'note')).toEqual(['unknown filter knd:; did you mean kind:?'])
  expect(await messages('knd', 'weather')).toEqual([])
  expect(await messages('zzzz', 'note')).toEqual([])
  await addObservations(t.store, [observation({ title: 'The knd of the harbour' })])
  expect(await messages('knd', 'note')).toEqual([])
})

test('of a pasted list only the first words are looked at', async () => {
  using t = await storeWithNamespaces('decisions')
  const tokens = Array.from({ length: 20 }, (_, at) => ({ key: 'knd', value: 'note', at }))
  expect(await misnamedFilters(t.store, tokens, 1000)).toHaveLength(8)
})
