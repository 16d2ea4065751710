import { expect, test } from 'bun:test'
import { addObservations, memoriesIn, observation, openSession, temporaryStore } from '../../test/support/builders.ts'
import type { Hit } from '../core/hit.ts'
import type { Session } from '../core/memory.ts'
import { countTokens } from '../core/tokens.ts'
import type { SemanticSearch } from '../retrieval/search.ts'
import type { Store } from '../store/store.ts'
import { RECALL_THRESHOLDS, recallFor, relevantHits } from './recall.ts'

const NOW = 10_000_000
const QUESTION = 'how do pelican invoices get their running numbers in the ledger'

test('a memory that holds the words of a prompt is told, with the reason', async () => {
  using t = await filled(['Pelican invoices get their running numbers from a ledger'])
  const { text, items } = await recallFor(t.store, t.session, QUESTION, NOW, 500)
  expect(text).toContain('Pelican invoices get their running numbers')
  expect(memoriesIn(items)[0]?.why).toMatch(/^it holds \d+ % of the prompt’s telling words \(score \d\.\d\d\)$/)
})

test('one that says it in other words is told when it is near in meaning, and left out when it is far', async () => {
  using t = await filled(['Bills of the pelican shop: numbers', 'Invoices run late', 'A ledger', 'Keep it running'])
  expect((await recallFor(t.store, t.session, QUESTION, NOW, 500)).text).toBe('')
  const near = await recallFor(t.store, t.session, QUESTION, NOW, 500, meaning(t.store, 0.75))
  expect(near.text).toContain('Bills of the pelican shop')
  expect(memoriesIn(near.items)[0]?.why).toContain('0.75 near in meaning')
  expect((await recallFor(t.store, t.session, QUESTION, NOW, 500, meaning(t.store, 0.2))).text).toBe('')
})

test('what a session did, was told, or its parent was told, is not told again', async () => {
  using t = await filled(['Pelican invoices get their running numbers from a ledger'])
  const tell = async (session: Session) => (await recallFor(t.store, session, QUESTION, NOW, 500)).text !== ''
  const own = await t.store.sessions.get(1)
  expect(await tell(own as Session)).toBe(false)
  expect(await tell({ ...t.session, forkedFrom: 1 })).toBe(false)
  const items = [{ kind: 'observation' as const, id: 1, tokens: 9, why: 'it touched a.ts' }]
  await t.store.injections.add({
    sessionId: t.session.id,
    project: t.session.project,
    event: 'file:a.ts',
    text: 'x',
    tokens: 9,
    items,
    at: 5,
  })
  expect(await tell(t.session)).toBe(false)
  const fork = await openSession(t.store, 'fork')
  expect(await tell({ ...fork, forkedFrom: t.session.id })).toBe(false)
  // After a compaction it is in front of nobody any more.
  expect(await tell({ ...t.session, contextFrom: 6 })).toBe(true)
})

test('what is recalled keeps to its tokens', async () => {
  using t = await filled(Array.from({ length: 9 }, (_, i) => `${i} pelican invoices get their running numbers ${'so '.repeat(60)}`))
  for (const tokens of [40, 120, 500])
    expect(countTokens((await recallFor(t.store, t.session, QUESTION, NOW, tokens)).text)).toBeLessThanOrEqual(tokens)
})

test('a memory without a vector must hold nearly all the words where others are measured', () => {
  const isTold = (hit: Hit, byMeaning: boolean) => relevantHits([hit], byMeaning, 1000).telling.length === 1
  expect(isTold(hit(RECALL_THRESHOLDS.coverage), false)).toBe(true)
  expect(isTold(hit(RECALL_THRESHOLDS.coverage), true)).toBe(false)
  expect(isTold(hit(RECALL_THRESHOLDS.notNear), true)).toBe(true)
  expect(isTold({ ...hit(1), matched: 1 }, true)).toBe(false)
})

test('where the best hit is not about the prompt, those behind it are not told either', () => {
  const [good, bad] = [hit(1), hit(0.1)]
  expect(relevantHits([good, bad, good], false, 1000).telling).toEqual([good, good])
  const { telling, left } = relevantHits([bad, good], false, 1000)
  expect(telling).toEqual([])
  expect(left.get(good)).toBe('the best hit is not about it')
})

test('a prompt in another language finds what is told in English by the names that both have, and nothing without', async () => {
  using t = await filled(['Pelican ledger: invoices get running numbers'])
  const tell = async (prompt: string) => (await recallFor(t.store, t.session, prompt, NOW, 500)).text
  expect(await tell('Warum schlägt das Pelican Ledger beim Anlegen fehl?')).toContain('Pelican ledger')
  expect(await tell('Wie wird das Wetter am Hafen und wann kommt die Fähre?')).toBe('')
})

test('a chore is answered with nothing, though many memories hold all of it', async () => {
  const titles = Array.from({ length: 90 }, (_, i) => `Turn ${i}: run the tests and push`)
  using t = await filled([...titles, 'Run the pelican tests against the ledger'])
  expect((await recallFor(t.store, t.session, 'run the tests', NOW, 500)).text).toBe('')
  expect((await recallFor(t.store, t.session, 'run the tests and push', NOW, 500)).text).toBe('')
  expect((await recallFor(t.store, t.session, 'run the pelican tests', NOW, 500)).text).toContain('pelican')
})

test('in a young store, where every word is in most memories, these are told', async () => {
  using t = await filled(Array.from({ length: 20 }, (_, i) => `Pelican invoices get their running numbers from ledger ${i}`))
  expect((await recallFor(t.store, t.session, QUESTION, NOW, 500)).text).not.toBe('')
})

test('a slash command asks nothing; what is written behind it may', async () => {
  using t = await filled([
    'Pelican invoices get their running numbers from a ledger',
    'Ran check-todos of the pelican',
    'check-todos of the ledger',
  ])
  expect((await recallFor(t.store, t.session, '/pelican:check-todos', NOW, 500)).text).toBe('')
  expect((await recallFor(t.store, t.session, `/check-todos ${QUESTION}`, NOW, 500)).text).toContain('Pelican invoices')
})

test('a prompt that was sent before is told for what answered it, not for its own words', async () => {
  using t = await filled([])
  const again = 'go through the pelican ledger once more'
  await saying(t.store, 'before', again, 'Nothing new.')
  const silent = await recallFor(t.store, t.session, again, NOW, 500)
  expect(silent.text).toBe('')
  expect(silent.left[0]?.why).toContain('the same prompt, and its answer says nothing of it')
  await saying(t.store, 'later', `${again}!`, 'Through the pelican ledger: invoice 7 had no running number.')
  expect((await recallFor(t.store, t.session, again, NOW, 500)).text).toContain('invoice 7 had no running number')
})

test('a prompt that another session still works on is told when it has an answer, not before', async () => {
  using t = await filled([])
  const other = await openSession(t.store, 'other')
  const text = 'the pelican invoices need running numbers in the ledger'
  const asked = await t.store.prompts.add(other, { key: 'k', promptId: null, uuid: null, origin: 'person', text, at: 5 })
  if (!asked) throw new Error('the prompt was not kept')
  expect((await recallFor(t.store, t.session, QUESTION, NOW, 500)).text).toBe('')
  await t.store.prompts.setAnswer(asked, 'They come from a sequence.', 6)
  expect((await recallFor(t.store, t.session, QUESTION, NOW, 500)).text).toContain('They come from a sequence')
})

test('what came near and is not told is named with the reason, a few of them', async () => {
  using t = await filled(
    Array.from({ length: 9 }, (_, i) => `${i} pelican invoices get their running numbers from the ledger ${'so '.repeat(60)}`),
  )
  const whyLeft = async (prompt: string, tokens: number) => {
    const { items, left } = await recallFor(t.store, t.session, prompt, NOW, tokens)
    return {
      told: memoriesIn(items).length,
      left: left.map(({ kind, id, why }) => `${kind} ${id}: ${why.replace(/ \(score [\d.]+\)$/, '')}`),
    }
  }
  const items = [{ kind: 'observation' as const, id: 1, tokens: 9, why: 'it touched a.ts' }]
  const { id: sessionId, project } = t.session
  await t.store.injections.add({ sessionId, project, event: 'file:a.ts', text: 'x', tokens: 9, items, at: 5 })
  expect(await whyLeft(QUESTION, 170)).toEqual({
    told: 3,
    left: [
      'observation 1: the session was told before',
      'observation 5: no room: needs 37 tokens, 4 left',
      'observation 6: after #5, which had no room',
      'observation 7: not among the best 5',
      'observation 8: not among the best 5',
    ],
  })
  const far = await whyLeft('which boats carry pelican statues to the museum of Kyoto', 500)
  expect(far.told).toBe(0)
  expect(far.left[1]).toMatch(/below the floor: it holds only 1 of the prompt’s telling words$/)
})

test('whoever is told is told how to look further, within the budget', async () => {
  using t = await filled(['Pelican invoices get their running numbers from a ledger'])
  const { text, tokens } = await recallFor(t.store, t.session, QUESTION, NOW, 500)
  expect(text).toContain('memory_get')
  expect(tokens).toBe(countTokens(text))
})

const hit = (coverage: number, cosine: number | null = null) => ({ coverage, cosine, matched: 3, unlikely: 20, score: 1 }) as Hit

/** A turn of an earlier session. */
async function saying(store: Store, name: string, text: string, answer: string): Promise<void> {
  const session = await openSession(store, name)
  const prompt = await store.prompts.add(session, { key: name, promptId: null, uuid: null, origin: 'person', text, at: 5 })
  if (prompt) await store.prompts.setAnswer(prompt, answer, 6)
}

/** An earlier session with these memories, and a session that asks. */
async function filled(titles: string[]) {
  const t = await temporaryStore()
  // Words tell something only where not every memory has them.
  const others = Array.from({ length: 12 }, (_, i) => observation({ title: `Chore ${i} about boats and weather` }))
  await addObservations(t.store, [...titles.map((title) => observation({ title })), ...others])
  return { ...t, session: await openSession(t.store, 'asking'), [Symbol.dispose]: () => t[Symbol.dispose]() }
}

/** The first memory is this near, all others hardly. */
function meaning(store: Store, cosine: number): SemanticSearch {
  return async () => {
    const first = await store.documents.locationOf('observation', '1')
    const other = await store.documents.locationOf('observation', '3')
    return [
      { documentId: first?.documentId ?? 0, score: 1, cosine },
      { documentId: other?.documentId ?? 0, score: 0, cosine: 0.1 },
    ]
  }
}
