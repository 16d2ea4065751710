import { expect, test } from 'bun:test'
import { openSession, temporaryStore } from '../../../test/support/builders.ts'
import { findUnansweredPrompts } from '../answer.ts'
import { search } from '../search.ts'

const NOW = Date.UTC(2026, 10, 15, 12)

test('a turn is found by the question after it, but not while that question is the one being asked', async () => {
  using t = await temporaryStore()
  const session = await openSession(t.store, 'live', NOW - 5)
  const ask = (key: string, text: string, at: number) =>
    t.store.prompts.add(session, { key, promptId: null, uuid: null, origin: 'person', text, at })
  const earlier = await ask('k1', 'clean the cage', NOW - 4)
  if (earlier) await t.store.prompts.setAnswer(earlier, 'It is clean.', NOW - 3)
  const asked = await ask('k2', 'where does the ostrich sleep', NOW - 2)
  const found = async () =>
    (await search(t.store, 'ostrich', { unansweredPrompts: await findUnansweredPrompts(t.store, NOW) })).map(({ title }) => title)
  expect(await found()).toEqual([])
  if (asked) await t.store.prompts.setAnswer(asked, 'On its feet.', NOW - 1)
  expect(await found()).toEqual(['where does the ostrich sleep', 'clean the cage'])
})
