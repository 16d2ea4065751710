import { expect, test } from 'bun:test'
import { storeWithChats } from '../../test/support/chats.ts'
import { findReplacedThread } from './replacements.ts'

type Chat = [text: string, answer: string][]

const RULE: Chat = [
  [
    'How do we mask secrets of nested payloads in the log pipeline?',
    'Settled: mask secrets of nested payloads by suffix in the log pipeline.',
  ],
]
const AMENDMENT: Chat = [
  [
    'Amendment to the mask rule for nested payloads in the log pipeline',
    'Amended rule: mask secrets of nested payloads anywhere in the key.',
  ],
]
const OTHER: Chat = [
  ['Which colour has the harbour shed of the museum?', 'Settled: the harbour shed of the museum is green, like its door.'],
]

/** The session whose thread the last chat replaces. */
async function replacedBy(chats: Chat[], change: (t: Awaited<ReturnType<typeof storeWithChats>>) => Promise<void> = async () => {}) {
  using t = await storeWithChats(...chats)
  await change(t)
  const thread = await t.store.threads.ofTurn(chats.length, 1)
  return thread && ((await findReplacedThread(t.store, thread))?.sessionId ?? null)
}

test('a thread that amends a decision replaces the earlier one about the same subject', async () => {
  expect(await replacedBy([OTHER, RULE, AMENDMENT])).toBe(2)
  expect(await replacedBy([RULE, OTHER, AMENDMENT])).toBe(1)
})

test('a thread about another subject is not replaced, and one that amends nothing replaces none', async () => {
  expect(await replacedBy([OTHER, AMENDMENT])).toBeNull()
  const again: Chat = [[RULE[0]?.[0] ?? '', 'Settled: mask secrets of nested payloads by prefix in the log pipeline.']]
  expect(await replacedBy([RULE, again])).toBeNull()
})

test('a few words in common do not make one subject', async () => {
  const beside: Chat = [
    [
      'Which colour has the harbour shed of the museum beside the pipeline?',
      'Settled: the harbour shed of the museum beside the pipeline is green, like its door, its windows and its wooden roof.',
    ],
  ]
  expect(await replacedBy([beside, AMENDMENT])).toBeNull()
  expect(await replacedBy([beside, RULE, AMENDMENT])).toBe(2)
})

test('of several earlier decisions the one that shares most of its subject is replaced', async () => {
  const near: Chat = [
    [
      'How do we mask the log pipeline of the museum harbour shed?',
      'Settled: the log pipeline of the museum harbour shed masks green doors.',
    ],
  ]
  expect(await replacedBy([RULE, near, AMENDMENT])).toBe(1)
  expect(await replacedBy([near, RULE, AMENDMENT])).toBe(2)
})

test('a day’s work is no decision: a long thread neither replaces nor is replaced, and neither is one without a result', async () => {
  const lengthen =
    (session: number, thread: { last: number; outcome: number | null }) => async (t: Awaited<ReturnType<typeof storeWithChats>>) => {
      await t.store.threads.replace(session, [{ first: 1, ...thread }])
    }
  for (const session of [1, 2]) {
    expect(await replacedBy([RULE, AMENDMENT], lengthen(session, { last: 40, outcome: 1 }))).toBeNull()
    expect(await replacedBy([RULE, AMENDMENT], lengthen(session, { last: 1, outcome: null }))).toBeNull()
    expect(await replacedBy([RULE, AMENDMENT], lengthen(session, { last: 1, outcome: 1 }))).toBe(1)
  }
})
