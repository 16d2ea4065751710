import { describe, expect, test } from 'bun:test'
import { note, temporaryStore } from '../../../test/support/builders.ts'
import { storeWithChats } from '../../../test/support/chats.ts'
import { asProjectKey } from '../../core/ids.ts'
import { asNoteId } from '../../core/note.ts'
import { search } from '../search.ts'

type Chat = [text: string, answer: string][]

const RULE: Chat = [['How do we mask secrets in the log pipeline?', 'Settled: mask secrets in the log pipeline by their suffix.']]
/** The same subject, without a word of the question. */
const OTHER_WORDS: Chat = [['Passwords are readable again', 'From today every key that contains a password becomes three stars.']]
const SAME_WORDS: Chat = [['Mask secrets in the log pipeline', 'Mask secrets in the log pipeline anywhere.']]
const QUESTION = 'mask secrets in the log pipeline'

/** The sessions that a question finds, best first, each with what the signal gave it; the last chat replaces the first. */
async function found(chats: Chat[], options: Parameters<typeof search>[2] = {}) {
  using t = await storeWithChats(...chats)
  const [older, newer] = await Promise.all([t.store.threads.ofTurn(1, 1), t.store.threads.ofTurn(chats.length, 1)])
  if (chats.length > 1) await t.store.threads.setReplaced(older?.id ?? 0, newer?.id ?? 0)
  return (await search(t.store, QUESTION, options)).map(({ sessionId, signals }) => ({ sessionId, given: signals.replaced }))
}

describe('a question that finds a replaced decision', () => {
  test('finds the new one first, even if that says it in other words', async () => {
    expect((await found([RULE])).map(({ sessionId }) => sessionId)).toEqual([1])
    const [first, second] = await found([RULE, OTHER_WORDS])
    expect([first?.sessionId, second?.sessionId]).toEqual([2, 1])
    expect(first?.given).toBeGreaterThan(0)
    expect(second?.given).toBeLessThan(0)
  })

  test('does not find a new one that the filters exclude', async () => {
    expect((await found([RULE, OTHER_WORDS], { before: 2000 })).map(({ sessionId }) => sessionId)).toEqual([1])
  })

  test('leaves a new one that is the better match where it is', async () => {
    const [first] = await found([RULE, SAME_WORDS])
    expect(first).toEqual({ sessionId: 2, given: undefined })
  })
})

test('a note sinks below the one that replaced it', async () => {
  using t = await temporaryStore()
  const [older, newer] = [asNoteId('01ARZ3NDEKTSV4RRFFQ69G5FA1'), asNoteId('01ARZ3NDEKTSV4RRFFQ69G5FA2')]
  const put = (given: Parameters<typeof note>[0]) => t.store.notes.put(note({ project: asProjectKey('app'), ...given }), 'print')
  await put({ id: older, title: 'Mask secrets in the log pipeline', body: 'By their suffix.', path: 'a.md' })
  await put({ id: newer, title: 'Secrets', body: `${'The log has many lines. '.repeat(20)}Mask them in the pipeline.`, path: 'b.md' })
  const ids = async () => (await search(t.store, QUESTION)).map(({ id }) => id)
  expect(await ids()).toEqual([older, newer])
  await put({
    id: newer,
    title: 'Secrets',
    body: `${'The log has many lines. '.repeat(20)}Mask them in the pipeline.`,
    path: 'b.md',
    supersedes: [older],
  })
  expect(await ids()).toEqual([newer, older])
})
