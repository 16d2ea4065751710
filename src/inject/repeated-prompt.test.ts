import { expect, test } from 'bun:test'
import { openSession, summary, temporaryStore } from '../../test/support/builders.ts'
import type { Hit } from '../core/hit.ts'
import type { Prompt } from '../core/memory.ts'
import { whyRepeated } from './repeated-prompt.ts'

const ASKED = 'go through the pelican ledger once more'
const UNHELPFUL = 'the same prompt, with an answer that does not help'

/** Why a turn with this prompt and answer says nothing about the prompt that was sent now. */
async function why(text: string, answer: string, given: Partial<Hit> = {}): Promise<string | null> {
  using t = await temporaryStore()
  const session = await openSession(t.store)
  const prompt = (await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text, at: 5 })) as Prompt
  await t.store.prompts.setAnswer(prompt, answer, 6)
  await t.store.summaries.put('turn:1', summary({ sessionId: session.id, request: text, completed: '', learned: answer }))
  return whyRepeated(t.store, { kind: 'prompt', id: '1', title: text, ...given } as Hit, ASKED, 2)
}

test('the same prompt with an answer that has few of its words does not help, as a prompt or as a summary', async () => {
  expect(await why(ASKED, 'Nothing new.')).toBe(UNHELPFUL)
  expect(await why(ASKED, 'The ledger is empty.')).toBe(UNHELPFUL)
  expect(await why(`${ASKED}!`, 'Nothing new.', { kind: 'summary' })).toBe(UNHELPFUL)
})

test('an answer with half of its words helps, in any of their forms', async () => {
  expect(await why(ASKED, 'Through all pelicans: the ledgers have no gap.')).toBeNull()
  expect(await why(ASKED, 'Through all pelicans: the ledgers have no gap.', { kind: 'summary' })).toBeNull()
})

test('another prompt, also one that begins alike, is not a repetition', async () => {
  expect(await why('go through the pelican ledger once more and close it', 'Nothing new.')).toBeNull()
  expect(await why('close the pelican ledger', 'Nothing new.')).toBeNull()
  expect(await why(ASKED, 'Nothing new.', { kind: 'note', id: 'n1' })).toBeNull()
})
