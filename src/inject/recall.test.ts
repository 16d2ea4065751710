import { expect, test } from 'bun:test'
import { addObservations, memoriesIn, note, observation, openSession, temporaryStore } from '../../test/support/builders.ts'
import { storeWithChats as chats } from '../../test/support/chats.ts'
import type { Hit } from '../core/hit.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Session } from '../core/memory.ts'
import { countTokens } from '../core/tokens.ts'
import { findReplacedThread } from '../retrieval/replacements.ts'
import { type SemanticSearch, search } from '../retrieval/search.ts'
import type { NewCommit, Store } from '../store/store.ts'
import { RECALL_THRESHOLDS, recallFor, relevantHits } from './recall.ts'
import type { ThreadMatch } from './thread-match.ts'

const NOW = 10_000_000
const QUESTION = 'how do pelican invoices get their running numbers in the ledger'

test('a memory that contains the words of a prompt is shown, with the reason', async () => {
  using t = await filled(['Pelican invoices get their running numbers from a ledger'])
  const { text, items } = await recallFor(t.store, t.session, QUESTION, NOW, 500)
  expect(text).toContain('Pelican invoices get their running numbers')
  expect(memoriesIn(items)[0]?.why).toMatch(/^it contains \d+ % of the prompt’s significant words \(score \d\.\d\d\)$/)
})

test('a memory in other words is shown when its meaning is similar, and left out when it is not', async () => {
  using t = await filled(['Bills of the pelican shop: numbers', 'Invoices run late', 'A ledger', 'Keep it running'])
  expect((await recallFor(t.store, t.session, QUESTION, NOW, 500)).text).toBe('')
  const near = await recallFor(t.store, t.session, QUESTION, NOW, 500, meaning(t.store, 0.75))
  expect(near.text).toContain('Bills of the pelican shop')
  expect(memoriesIn(near.items)[0]?.why).toContain('similarity in meaning 0.75')
  expect((await recallFor(t.store, t.session, QUESTION, NOW, 500, meaning(t.store, 0.2))).text).toBe('')
})

test('a session is not shown its own work, nor what it or its parent was shown before', async () => {
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
  // Compaction removes it from the context.
  expect(await tell({ ...t.session, contextFrom: 6 })).toBe(true)
})

test('a note that the session itself wrote is not news to it, one of another session is', async () => {
  using t = await filled([])
  const put = async (session: string) =>
    t.store.notes.put(
      note({ project: t.session.project, title: QUESTION, body: 'Pelican invoices get their running numbers from a ledger.', session }),
      session,
    )
  await put('asking')
  const own = await recallFor(t.store, t.session, QUESTION, NOW, 500)
  expect([own.text, own.left[0]?.why]).toEqual(['', expect.stringMatching(/^this session wrote it \(score /)])
  await put('another')
  expect((await recallFor(t.store, t.session, QUESTION, NOW, 500)).text).toContain('running numbers from a ledger')
})

test('a recall stays within its tokens', async () => {
  using t = await filled(Array.from({ length: 9 }, (_, i) => `${i} pelican invoices get their running numbers ${'so '.repeat(60)}`))
  for (const tokens of [40, 120, 500])
    expect(countTokens((await recallFor(t.store, t.session, QUESTION, NOW, tokens)).text)).toBeLessThanOrEqual(tokens)
})

test('without a similarity, a memory must contain nearly all words if others have one', () => {
  const isRelevant = (hit: Hit, byMeaning: boolean) => relevantHits([hit], byMeaning, 1000).relevant.length === 1
  expect(isRelevant(hit(RECALL_THRESHOLDS.coverage), false)).toBe(true)
  expect(isRelevant(hit(RECALL_THRESHOLDS.coverage), true)).toBe(false)
  expect(isRelevant(hit(RECALL_THRESHOLDS.notNear), true)).toBe(true)
  expect(isRelevant({ ...hit(1), matched: 1 }, true)).toBe(false)
})

test('if the best hit is not about the prompt, no other hit is shown', () => {
  const [good, bad] = [hit(1), hit(0.1)]
  expect(relevantHits([good, bad, good], false, 1000).relevant).toEqual([good, good])
  const { relevant, left } = relevantHits([bad, good], false, 1000)
  expect(relevant).toEqual([])
  expect(left.get(good)).toBe('the best hit is not about the prompt')
})

test('words that many memories have are not enough, however many of them match', () => {
  const common = { ...hit(1), unlikely: 1 }
  expect(relevantHits([common], false, 1000).left.get(common)).toBe('below the threshold: the words it shares with the prompt are common')
  // In a young store every word is common.
  expect(relevantHits([common], false, 20).relevant).toEqual([common])
})

test('a thread that is about the prompt as a whole makes up for a turn that is not', () => {
  const weak = { ...hit(0.1), matched: 1 }
  const isShown = (given: Partial<ThreadMatch>, byMeaning: boolean, documents = 1000) => {
    const thread = { coverage: 0.2, matched: 3, unlikely: 30, cosine: 0, rareName: null, ...given }
    return relevantHits([weak], byMeaning, documents, RECALL_THRESHOLDS, new Map([[weak, thread]])).relevant.length === 1
  }
  expect(isShown({ coverage: 0.7 }, false)).toBe(true)
  expect(isShown({ coverage: 0.5, cosine: 0.6 }, false)).toBe(false)
  expect(isShown({ coverage: 0.5, cosine: 0.6 }, true)).toBe(true)
  expect(isShown({ coverage: 0.7 }, true)).toBe(false)
  expect(isShown({ coverage: 0.7, unlikely: 5 }, false)).toBe(false)
  expect(isShown({ coverage: 0.7, unlikely: 5 }, false, 20)).toBe(true)
  expect(isShown({ rareName: 'tideClock' }, false)).toBe(true)
  expect(isShown({ rareName: 'tideClock', matched: 1 }, false)).toBe(false)
})

test('a commit is judged alone, by the words that some memory has', () => {
  const commit = (known: Partial<Hit['known']>) =>
    ({ ...hit(0), kind: 'commit', known: { matched: 3, coverage: 0.4, unlikely: 30, ...known } }) as Hit
  const shown = (of: Hit, documents = 1000) => relevantHits([hit(0.1), of], false, documents).relevant.length === 1
  expect(shown(commit({}))).toBe(true)
  expect(shown(commit({ coverage: 0.2 }))).toBe(false)
  expect(shown(commit({ matched: 2 }))).toBe(false)
  expect(shown(commit({ matched: 2, coverage: 1 }))).toBe(true)
  expect(shown(commit({ matched: 1, coverage: 1 }))).toBe(false)
  expect(shown(commit({ unlikely: 5 }))).toBe(false)
  expect(shown(commit({ unlikely: 5 }), 20)).toBe(true)
})

test('a commit that settles something is recalled with what it settled, beside other memories; another commit is not', async () => {
  using t = await filled(['Pelican invoices get their running numbers from a ledger'])
  const body = 'Pelican invoices get their running numbers from a sequence in the ledger, because two tills must never share one.'
  const settled: NewCommit = {
    hash: 'a'.repeat(40),
    subject: 'Number the pelican invoices',
    body,
    files: ['src/ledger.ts'],
    fileCount: 1,
    author: 'dev',
    at: 5000,
    type: 'decision',
    reverts: null,
  }
  const upkeep: NewCommit = { ...settled, hash: 'b'.repeat(40), subject: 'Pelican invoices: running numbers in the ledger', type: 'chore' }
  await t.store.transaction(() => t.store.commits.add(t.session.project, [settled, upkeep]))
  const { text, left } = await recallFor(t.store, t.session, QUESTION, NOW, 500)
  expect(text).toContain('settled in commit aaaaaaa on 1970-01-01 by dev: Pelican invoices get their running numbers from a sequence')
  expect(text).toContain('running numbers from a ledger')
  expect(left).toContainEqual({ kind: 'commit', id: 2, why: expect.stringMatching(/^a commit without a decision/) })
})

test('a recall that finds nothing says why', async () => {
  using t = await filled(['Pelican invoices get their running numbers from a ledger'])
  const said = async (prompt: string) => (await recallFor(t.store, t.session, prompt, NOW, 500)).said
  expect(await said('Wie wird das Wetter am Hafen und wann kommt die Fähre?')).toBe('no memory of this project is close to it')
  expect(await said(QUESTION)).toBe('')
  expect(await said('thanks')).not.toBe('')
})

test('a prompt in another language finds English memories by shared names, and nothing without them', async () => {
  using t = await filled(['Pelican ledger: invoices get running numbers'])
  const tell = async (prompt: string) => (await recallFor(t.store, t.session, prompt, NOW, 500)).text
  expect(await tell('Warum schlägt das Pelican Ledger beim Anlegen fehl?')).toContain('Pelican ledger')
  expect(await tell('Wie wird das Wetter am Hafen und wann kommt die Fähre?')).toBe('')
})

test('small talk recalls nothing, even if many memories contain all of it', async () => {
  const titles = Array.from({ length: 90 }, (_, i) => `Turn ${i}: run the tests and push`)
  using t = await filled([...titles, 'Run the pelican tests against the ledger'])
  expect((await recallFor(t.store, t.session, 'run the tests', NOW, 500)).text).toBe('')
  expect((await recallFor(t.store, t.session, 'run the tests and push', NOW, 500)).text).toBe('')
  expect((await recallFor(t.store, t.session, 'run the pelican tests', NOW, 500)).text).toContain('pelican')
})

test('in a young store, where most memories contain every word, memories are still shown', async () => {
  using t = await filled(Array.from({ length: 20 }, (_, i) => `Pelican invoices get their running numbers from ledger ${i}`))
  expect((await recallFor(t.store, t.session, QUESTION, NOW, 500)).text).not.toBe('')
})

test('a slash command recalls nothing, but its arguments may', async () => {
  using t = await filled([
    'Pelican invoices get their running numbers from a ledger',
    'Ran check-todos of the pelican',
    'check-todos of the ledger',
  ])
  expect((await recallFor(t.store, t.session, '/pelican:check-todos', NOW, 500)).text).toBe('')
  expect((await recallFor(t.store, t.session, `/check-todos ${QUESTION}`, NOW, 500)).text).toContain('Pelican invoices')
})

test('a prompt that was sent before is shown for its answer, not for its own words', async () => {
  using t = await filled([])
  const again = 'go through the pelican ledger once more'
  await saying(t.store, 'before', again, 'Nothing new.')
  const silent = await recallFor(t.store, t.session, again, NOW, 500)
  expect(silent.text).toBe('')
  expect(silent.left[0]?.why).toContain('the same prompt, with an answer that does not help')
  await saying(t.store, 'later', `${again}!`, 'Through the pelican ledger: invoice 7 had no running number.')
  expect((await recallFor(t.store, t.session, again, NOW, 500)).text).toContain('invoice 7 had no running number')
})

test('a prompt that another session is working on is shown only once it has an answer', async () => {
  using t = await filled([])
  const other = await openSession(t.store, 'other')
  const text = 'the pelican invoices need running numbers in the ledger'
  const asked = await t.store.prompts.add(other, { key: 'k', promptId: null, uuid: null, origin: 'person', text, at: 5 })
  if (!asked) throw new Error('the prompt was not kept')
  expect((await recallFor(t.store, t.session, QUESTION, NOW, 500)).text).toBe('')
  await t.store.prompts.setAnswer(asked, 'They come from a sequence.', 6)
  expect((await recallFor(t.store, t.session, QUESTION, NOW, 500)).text).toContain('They come from a sequence')
})

test('a result that is about something else is not shown, and neither is a question without an answer', async () => {
  using t = await chats(
    [
      [
        'the pelican invoices need running numbers in the ledger',
        'The ledger now numbers the pelican invoices from a sequence in `ledger.ts`.',
      ],
      ['and the pelican ledger header', 'The shed of the harbour is green now; the paint came from the old store room near the pier.'],
    ],
    [['why do pelican invoices in the ledger have no running numbers', '']],
  )
  const session = await openSession(t.store, 'now')
  const { text } = await recallFor(t.store, session, QUESTION, NOW, 500)
  expect(text).toContain('numbers the pelican invoices from a sequence')
  expect(text).not.toContain('shed')
  expect(text).not.toContain('why do pelican invoices')
})

test('the owner and the repository of an address are not what a prompt is about', async () => {
  const work = Array.from({ length: 110 }, (_, i) => `Chore ${i} of the harbour`)
  using t = await filled([...work, 'analyse https://github.com/heron/tidepool/issues/7660: the daemon prints a notice'])
  const recalled = async (prompt: string) => (await recallFor(t.store, t.session, prompt, NOW, 500)).text
  expect(await recalled('investigate https://github.com/heron/tidepool/security/advisories/GHSA-fwjx')).toBe('')
  expect(await recalled('review https://github.com/heron/tidepool/pull/12')).toBe('')
  expect(await recalled('the daemon notice of https://github.com/heron/tidepool/issues/7660')).toContain('prints a notice')
})

test('the best hits that are not shown are listed with the reason', async () => {
  using t = await filled(
    Array.from({ length: 9 }, (_, i) => `${i} pelican invoices get their running numbers from the ledger ${'so '.repeat(60)}`),
  )
  const whyLeft = async (prompt: string, tokens: number) => {
    const { items, left } = await recallFor(t.store, t.session, prompt, NOW, tokens)
    return {
      shown: memoriesIn(items).length,
      left: left.map(({ kind, id, why }) => `${kind} ${id}: ${why.replace(/ \(score [\d.]+\)$/, '')}`),
    }
  }
  const items = [{ kind: 'observation' as const, id: 1, tokens: 9, why: 'it touched a.ts' }]
  const { id: sessionId, project } = t.session
  await t.store.injections.add({ sessionId, project, event: 'file:a.ts', text: 'x', tokens: 9, items, at: 5 })
  expect(await whyLeft(QUESTION, 170)).toEqual({
    shown: 3,
    left: [
      'observation 1: already shown to this session',
      'observation 5: no room: needs 37 tokens, 4 left',
      'observation 6: comes after #5, which did not fit',
      'observation 7: not among the best 5',
      'observation 8: not among the best 5',
    ],
  })
  const far = await whyLeft('which boats carry pelican statues to the museum of Kyoto', 500)
  expect(far.shown).toBe(0)
  expect(far.left[1]).toMatch(/below the threshold: it contains only 1 of the prompt’s significant words$/)
})

test('a recall says how to find more, within the budget', async () => {
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

/** An earlier session with these memories, and a new session. */
async function filled(titles: string[]) {
  const t = await temporaryStore()
  // Words are significant only if not every memory contains them.
  const others = Array.from({ length: 12 }, (_, i) => observation({ title: `Chore ${i} about boats and weather` }))
  await addObservations(t.store, [...titles.map((title) => observation({ title })), ...others])
  return { ...t, session: await openSession(t.store, 'asking'), [Symbol.dispose]: () => t[Symbol.dispose]() }
}

/** The first memory has this similarity, all others hardly any. */
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

const BUG = 'Again customers complain: secrets of nested payloads are readable in the log pipeline'

test('the result of a chat is shown instead of its first proposal, with what the person ruled', async () => {
  using t = await chats([
    [
      'Secrets of nested payloads are readable in the log pipeline, customers complain',
      'I will mask every key that contains password or email.',
    ],
    [
      'No, do not mask email: support looks customers up by email. Only suffixes count.',
      "Final rule: mask keys that end with password or token; the value becomes '***'; email is never masked.",
    ],
  ])
  const { text, items } = await recallFor(t.store, { project: PROJECT, id: null }, BUG, NOW, 1000)
  expect(text).toContain("Final rule: mask keys that end with password or token; the value becomes '***'")
  expect(text).toContain('The person said there: “No, do not mask email')
  expect(text).not.toContain('every key that contains')
  expect(memoriesIn(items).map(({ kind, id }) => `${kind} ${id}`)).toContain('prompt 2')
})

test('a chat that an amendment replaced leads to the amendment, and is marked', async () => {
  using t = await chats(
    [
      [
        'Secrets of nested payloads are readable in the log pipeline, customers complain',
        'Settled: redact masks nested payloads by suffix, secrets only.',
      ],
    ],
    [
      [
        'Amendment to the redact rule for nested payloads in the log pipeline',
        'Amended rule: redact masks secrets of nested payloads anywhere in the key.',
      ],
    ],
  )
  const [older, newer] = await Promise.all([t.store.threads.ofTurn(1, 1), t.store.threads.ofTurn(2, 1)])
  if (newer) expect((await findReplacedThread(t.store, newer))?.id).toBe(older?.id as number)
  await t.store.threads.setReplaced(older?.id ?? 0, newer?.id ?? 0)
  const { text } = await recallFor(t.store, { project: PROJECT, id: null }, BUG, NOW, 1000)
  expect(text.indexOf('Amended rule')).toBeGreaterThan(0)
  expect(text.indexOf('It replaced')).toBeGreaterThan(text.indexOf('Amended rule'))
  const hits = await search(t.store, BUG, { project: PROJECT })
  expect(hits[0]?.sessionId).toBe(2)
  // The note of the older chat states the replaced rule without a mark.
  const session = (await t.store.sessions.get(1))?.contentSessionId ?? null
  const body = `**Ask:** ${BUG} **Outcome:** Settled: redact masks nested payloads by suffix, secrets only.`
  await t.store.notes.put(note({ type: 'episodic', namespace: 'sessions', project: PROJECT, title: BUG, body, session }), 'print')
  const withNote = await recallFor(t.store, { project: PROJECT, id: null }, BUG, NOW, 1000)
  expect(withNote.text).not.toContain('**Outcome:**')
  expect(withNote.text).toContain('Amended rule')
})

test('a result whose work was undone comes after one in force, marked, with what the turn that undid it says', async () => {
  using t = await chats(
    [
      [
        'Secrets of nested payloads are readable in the log pipeline, customers complain',
        'Done: secrets of nested payloads in the log pipeline are dropped before customers see the log, all readable keys are gone.',
      ],
    ],
    [['Too much is dropped from the log', 'The log pipeline is back to what it was: dropping keys broke the invoices.']],
    [
      [
        'Customers complain again that secrets of nested payloads are readable in the log',
        'Done: secrets of nested payloads are masked by suffix in the log pipeline.',
      ],
    ],
  )
  await (await t.store.turnWork()).markTurn(1, 'P2')
  const { text } = await recallFor(t.store, { project: PROJECT, id: null }, BUG, NOW, 1000)
  expect(text).toMatch(/masked by suffix[\s\S]*, undone by P2 \(P1[\s\S]*P2 said: The log pipeline is back to what it was/)
})

test('a result that a session was shown is not shown to it again', async () => {
  using t = await chats([
    [
      'Secrets of nested payloads are readable in the log pipeline, customers complain',
      'Settled: redact masks nested payloads by suffix, secrets only.',
    ],
  ])
  const session = await openSession(t.store, 'asks', 5000, PROJECT)
  const first = await recallFor(t.store, session, BUG, NOW, 1000)
  const { text, tokens, items } = first
  await t.store.injections.add({ sessionId: session.id, project: PROJECT, event: 'UserPromptSubmit', text, tokens, items, at: NOW })
  expect(first.text).toContain('Settled')
  expect((await recallFor(t.store, session, BUG, NOW + 1, 1000)).text).toBe('')
})

test('the note of a session says what came of it, not what was asked; without an outcome it says nothing', async () => {
  using t = await temporaryStore()
  const ofSession = { type: 'episodic', namespace: 'sessions', project: PROJECT, title: 'Redact nested payloads' } as const
  const recalledWith = async (outcome: string) => {
    await t.store.notes.put(note({ ...ofSession, body: `**Ask:** ${BUG}\n\n**Branch:** main\n\n**Outcome:** ${outcome}` }), outcome)
    return (await recallFor(t.store, { project: PROJECT, id: null }, BUG, NOW, 1000)).text
  }
  expect(await recalledWith('(no assistant output captured)')).toBe('')
  expect(await recalledWith('Keys are masked by suffix now.')).toContain('Redact nested payloads — Keys are masked by suffix now.')
})

const PROJECT = asProjectKey('app')
