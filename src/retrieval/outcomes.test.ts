import { describe, expect, test } from 'bun:test'
import { storeWithChats } from '../../test/support/chats.ts'
import type { WorkOutcome } from '../core/work-outcome.ts'
import { outcomeOf, outcomeOfSession } from './outcomes.ts'
import { timeline } from './timeline.ts'

const PROPOSAL: [string, string] = [
  'Secrets of nested payloads are readable in the log pipeline, customers complain',
  'I will mask every key that contains password or email.',
]
const RULE: [string, string] = [
  'No, do not mask email: support looks customers up by email. Only suffixes count.',
  "Final rule: mask keys that end with password or token; the value becomes '***'; email is never masked.",
]
const AMENDMENT: [string, string] = [
  'Amendment to the mask rule for nested payloads in the log pipeline',
  'Amended rule: mask secrets of nested payloads anywhere in the key.',
]

test('a proposal leads to the rule that was settled after it; the rule itself needs no outcome', async () => {
  using t = await storeWithChats([PROPOSAL, RULE])
  expect(await outcomeOf(t.store, { sessionId: 1, turn: 1 }, 'mask email')).toEqual({
    id: 'P2',
    text: RULE[1],
    of: 'this work',
    replaced: null,
  })
  expect(await outcomeOf(t.store, { sessionId: 1, turn: 2 }, null)).toBeNull()
  expect(await outcomeOfSession(t.store, 1)).toMatchObject({ id: 'P2', text: RULE[1] })
})

test('replaced work leads to what replaced it, and that says what it replaced', async () => {
  using t = await storeWithChats([PROPOSAL, RULE], [AMENDMENT])
  const [older, newer] = await Promise.all([t.store.threads.ofTurn(1, 1), t.store.threads.ofTurn(2, 1)])
  await t.store.threads.setReplaced(older?.id ?? 0, newer?.id ?? 0)
  for (const turn of [1, 2])
    expect(await outcomeOf(t.store, { sessionId: 1, turn }, null)).toMatchObject({ id: 'P3', of: 'newer work', text: AMENDMENT[1] })
  expect(await outcomeOf(t.store, { sessionId: 2, turn: 1 }, null)).toMatchObject({ id: 'P3', of: 'this turn', replaced: 'P2' })
  expect(await outcomeOfSession(t.store, 1)).toMatchObject({ id: 'P3', of: 'newer work' })
})

test('a result whose value was changed in later work says so, until the later turn is deleted', async () => {
  using t = await storeWithChats(
    [['Requests fail with 429. Add retries.', 'We retry with full jitter: four tries, starting at 250 ms, at most 10 s.']],
    [['Finish the cache of the results', 'The cache keeps answers for a day. Retries now wait for at most 30 s instead of 10 s.']],
  )
  const change: WorkOutcome = { id: 'P2', text: 'Retries now wait for at most 30 s instead of 10 s.', of: 'newer value', replaced: null }
  expect(await outcomeOf(t.store, { sessionId: 1, turn: 1 }, null)).toEqual(change)
  expect(await outcomeOf(t.store, { sessionId: 2, turn: 1 }, null)).toBeNull()
  await t.store.transaction(() => t.store.sessions.remove(2))
  expect(await outcomeOf(t.store, { sessionId: 1, turn: 1 }, null)).toBeNull()
})

test('a later turn that changed the same number of something else says nothing about a result', async () => {
  const retries: [string, string][] = [
    ['Requests fail with 429. Add retries.', 'We retry with full jitter: four tries, starting at 250 ms, at most 10 s.'],
  ]
  const lamp: [string, string][] = [['The lighthouse blinks too fast', 'The lamp of the lighthouse now blinks every 30 s instead of 10 s.']]
  const change: [string, string][] = [['Wait longer', 'Retries now wait for at most 60 s instead of 10 s.']]
  using alone = await storeWithChats(retries, lamp)
  expect(await outcomeOf(alone.store, { sessionId: 1, turn: 1 }, null)).toBeNull()
  using both = await storeWithChats(retries, change, lamp)
  expect(await outcomeOf(both.store, { sessionId: 1, turn: 1 }, null)).toMatchObject({ id: 'P2', of: 'newer value' })
})

test('an answer that only explains an earlier result is not its outcome', async () => {
  using t = await storeWithChats([
    ['Cache the tide tables of the harbour page', 'Tide tables are cached in memory per station and day; nothing expires.'],
    ['Why a promise in the cache and not the tide table?', 'Two requests that arrive together would both ask the tide API otherwise.'],
  ])
  expect(await outcomeOf(t.store, { sessionId: 1, turn: 1 }, null)).toBeNull()
})

describe('of a long thread', () => {
  const filler = (n: number): [string, string] => [
    `Paint shed ${n} of the museum`,
    `Shed ${n} of the museum is green now, from the roof down to the door.`,
  ]
  const CACHE: [string, string] = [
    'Cache the tide tables of the harbour page',
    'Tide tables of the harbour page are cached in memory per station and day.',
  ]
  const LATER: [string, string] = [
    'The tide tables in the cache of the harbour page are old',
    'Tide tables in the cache of the harbour page expire after an hour now.',
  ]
  const outcomes = async (chat: [string, string][], turn: number, query: string | null = null) => {
    using t = await storeWithChats(chat)
    await t.store.threads.replace(1, [{ first: 1, last: chat.length, outcome: chat.length }])
    return outcomeOf(t.store, { sessionId: 1, turn }, query)
  }
  const long = [
    ...Array.from({ length: 4 }, (_, n) => filler(n)),
    CACHE,
    filler(5),
    LATER,
    ...Array.from({ length: 6 }, (_, n) => filler(n + 6)),
  ]

  test('the outcome is the last turn that is still about the same, not the end of the day', async () => {
    expect(await outcomes(long, 5)).toMatchObject({ id: 'P7', text: LATER[1], of: 'this work' })
    expect(await outcomes(long, 7)).toBeNull()
  })

  test('there is no outcome if nothing later is about it and the turn itself concluded nothing', async () => {
    const asked: [string, string] = ['Which ferries reach Kyoto?', 'Let me look.']
    expect(await outcomes([asked, ...long], 1)).toBeNull()
  })
})

test('memories outside a turn and unknown turns have no outcome', async () => {
  using t = await storeWithChats([PROPOSAL, RULE])
  for (const place of [
    { sessionId: null, turn: null },
    { sessionId: 1, turn: null },
    { sessionId: 9, turn: 1 },
  ])
    expect(await outcomeOf(t.store, place, 'mask')).toBeNull()
  expect(await outcomeOfSession(t.store, 9)).toBeNull()
})

test('a timeline says the outcome at the anchor, and otherwise only if it is not in the list itself', async () => {
  using t = await storeWithChats([PROPOSAL, RULE])
  const anchor = await t.store.documents.locationOf('prompt', '1')
  if (!anchor) throw new Error('the prompt is not indexed')
  const around = async (after: number) =>
    (await timeline(t.store, anchor, { before: 0, after })).map(({ id, outcome }) => [id, outcome?.id ?? null])
  expect(await around(5)).toEqual([
    ['1', 'P2'],
    ['2', null],
  ])
  const all = await timeline(t.store, { project: anchor.project, at: anchor.at }, { before: 1, after: 5 })
  expect(all.map(({ outcome }) => outcome)).toEqual([null, null])
  const [only] = await timeline(t.store, { project: anchor.project, at: anchor.at }, { before: 0, after: 1 })
  expect(only?.outcome?.id).toBe('P2')
})
