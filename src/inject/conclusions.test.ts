import { describe, expect, test } from 'bun:test'
import { storeWithChats } from '../../test/support/chats.ts'
import { describeHit } from '../retrieval/search.ts'
import type { Store } from '../store/store.ts'
import { concludeHits } from './conclusions.ts'

const NOW = 10_000_000
const PROPOSAL: [string, string] = [
  'Secrets of nested payloads are readable in the log pipeline',
  'Secrets of nested payloads are masked in the log pipeline now, by the suffix of their key.',
]
const GOING_ON: [string, string] = [
  'The docs of the log pipeline are old',
  'Settled: the docs of the log pipeline list the masked secrets of nested payloads.',
]
const RULING: [string, string] = [
  'No, do not mask email in the log pipeline: only suffixes count.',
  'Final rule: mask secrets of nested payloads that end with password; email is never masked.',
]

/** The prompts whose answers recall may show as the result of a turn, best first. */
async function results(store: Store, sessionId: number, turn: number): Promise<(number | null)[]> {
  const prompt = await store.prompts.byNumber(sessionId, turn)
  const location = await store.documents.locationOf('prompt', String(prompt?.id))
  const hit = location && (await describeHit(store, location))
  if (!hit) throw new Error('the prompt is not indexed')
  const [concluded] = await concludeHits(store, [hit], 'mask secrets of nested payloads in the log pipeline', NOW)
  return concluded?.results.map(({ outcome }) => outcome) ?? []
}

describe('recall may show for a turn', () => {
  test('the result of its work, and else its own answer if the person ruled nothing after it', async () => {
    using t = await storeWithChats([PROPOSAL, GOING_ON])
    await t.store.threads.replace(1, [{ first: 1, last: 2, outcome: 2 }])
    expect(await results(t.store, 1, 1)).toEqual([2, 1])
  })

  test('only the result if the person ruled after it', async () => {
    using t = await storeWithChats([PROPOSAL, RULING])
    await t.store.threads.replace(1, [{ first: 1, last: 2, outcome: 2 }])
    expect(await results(t.store, 1, 1)).toEqual([2])
  })

  test('its answer once if it is the result itself', async () => {
    using t = await storeWithChats([PROPOSAL, GOING_ON])
    await t.store.threads.replace(1, [{ first: 1, last: 2, outcome: 2 }])
    expect(await results(t.store, 1, 2)).toEqual([2])
  })

  test('only the result if that replaced an earlier decision: what was said on the way does not hold', async () => {
    using t = await storeWithChats([RULING], [PROPOSAL, GOING_ON])
    await t.store.threads.replace(2, [{ first: 1, last: 2, outcome: 2 }])
    const [older, newer] = await Promise.all([t.store.threads.ofTurn(1, 1), t.store.threads.ofTurn(2, 1)])
    await t.store.threads.setReplaced(older?.id ?? 0, newer?.id ?? 0)
    expect(await results(t.store, 2, 1)).toEqual([3])
  })
})
