import { describe, expect, test } from 'bun:test'
import { note, openSession, temporaryStore } from '../../test/support/builders.ts'
import { updateThreads } from '../capture/threads.ts'
import { asProjectKey } from '../core/ids.ts'
import { readQuestion } from './plain-questions.ts'
import { RECALL_THRESHOLDS, recallFor } from './recall.ts'

const NOW = Date.UTC(2026, 10, 17, 9)
const DAY = 86_400_000
const project = asProjectKey('app')
const recall = async (store: Parameters<typeof recallFor>[0], prompt: string, tokens = 400) =>
  (await recallFor(store, { project, id: null }, prompt, NOW, tokens)).text

/** A turn of yesterday, one of last week, an open end, and a test that fails. */
async function filled() {
  const t = await temporaryStore()
  const turns = [
    {
      text: 'number the pelican invoices',
      answer: 'The ledger now numbers the invoices from a sequence in `ledger.ts`.',
      at: NOW - 7 * DAY,
    },
    { text: 'paint the heron page', answer: 'The heron page has a blue header now, and its footer lists the harbours.', at: NOW - DAY },
    { text: 'push it', answer: 'Pushed.', at: NOW - DAY + 1000 },
  ]
  for (const [i, { text, answer, at }] of turns.entries()) {
    const session = await openSession(t.store, `s${i}`, at, project)
    const prompt = await t.store.prompts.add(session, { key: 'k', promptId: null, uuid: null, origin: 'person', text, at })
    if (prompt) await t.store.prompts.setAnswer(prompt, answer, at)
    await t.store.sessions.complete(session.id, at)
    await updateThreads(t.store, session.id)
    const failure = { command: 'npm test', names: ['the ledger starts at one'], error: 'AssertionError', at, promptNumber: 1 }
    if (i === 1) await t.store.prompts.setOpenFailures(session.id, 1, [failure])
  }
  const body = 'Retry-After is not honoured yet.'
  await t.store.notes.put(note({ namespace: 'open-ends', project, title: body, body }), 'print')
  return t
}

test('a question about work on a day is answered with the results of that day', async () => {
  using t = await filled()
  const yesterday = await recall(t.store, 'what did I do yesterday?')
  expect(yesterday).toContain('blue header')
  expect(yesterday).not.toContain('sequence')
  expect(yesterday).not.toContain('Pushed')
  expect(yesterday).not.toContain('Nothing is remembered')
  const other = await recall(t.store, 'what did we do on 2026-11-01')
  expect(other).toContain('Nothing is remembered from 2026-11-01. Before that:')
})

test('a question about unfinished work is answered with the open ends', async () => {
  using t = await filled()
  for (const prompt of ['what is still open', "what's left to do?", 'is there anything open'])
    expect(await recall(t.store, prompt)).toContain('Retry-After is not honoured yet')
  expect(await recall(t.store, 'open the heron page in the browser')).not.toContain('Retry-After')
})

test('a decision of the day that the question mentions was not left open', async () => {
  using t = await filled()
  const body = 'Invoices are numbered per till.'
  await t.store.notes.put(note({ namespace: 'decisions', project, title: body, body, createdAt: NOW - DAY, updatedAt: NOW - DAY }), 'print')
  expect(await recall(t.store, 'what was there to do yesterday?')).not.toContain('Left open')
})

test('which tests were failing is answered with the tests that failed when last run', async () => {
  using t = await filled()
  expect(await recall(t.store, 'which tests were failing?')).toContain('Failed when last run, 1d ago: `npm test`: the ledger starts at one')
})

test('a question that names one rare thing is answered, whatever words for code are around it', async () => {
  using t = await filled()
  expect(await recall(t.store, 'where is the ledger code')).toContain('numbers the invoices from a sequence')
  expect(await recall(t.store, 'where is the billing code')).toBe('')
})

test('an answer to a plain question stays within its tokens', async () => {
  using t = await filled()
  expect(await recall(t.store, 'what did I do yesterday?', 60)).not.toContain('blue header')
})

test('a question about rules, or about a choice that a rule makes, is answered with the rule', async () => {
  using t = await filled()
  const body = 'From now on use npm here, never yarn.'
  await t.store.notes.put(note({ namespace: 'rules', project, title: body, body }), 'print')
  for (const prompt of ['which package manager do we use, npm or yarn?', 'should I use yarn?', 'what are my rules?'])
    expect(await recall(t.store, prompt)).toContain(`The person's rule, "${body}"`)
  for (const prompt of ['which linter do we use, eslint or ruff?', 'what are you?'])
    expect(await recall(t.store, prompt)).not.toContain('npm')
})

describe('a plain question', () => {
  const read = (request: string) => {
    const { query, thresholds } = readQuestion(request, RECALL_THRESHOLDS)
    return { query: query.replace(/\s+/g, ' ').trim(), words: thresholds.words, unlikely: thresholds.unlikely }
  }
  const usual = { words: RECALL_THRESHOLDS.words, unlikely: RECALL_THRESHOLDS.unlikely }

  test('needs one rare word if it has no other, and loses the words that fit any code', () => {
    const { query, words, unlikely } = read('where is the retry logic')
    expect([query, words]).toEqual(['where is the retry', 1])
    expect(unlikely).toBeLessThan(usual.unlikely)
  })

  test('with several telling words needs as many as any prompt', () => {
    expect(read('where does the ledger number pelican invoices')).toMatchObject(usual)
  })

  test('is none if it asks nothing, is long, or has no telling word', () => {
    for (const request of ['retry logic', 'where is the code', 'where is the retry logic of the module that we made for the harbour'])
      expect(read(request)).toEqual({ query: request, ...usual })
  })
})

test('a question of several lines is a task, not a plain question', async () => {
  using t = await filled()
  expect(await recall(t.store, 'what is still open\n\nand close it')).not.toContain('Left open')
})

test('tests that passed since are named as the last that failed', async () => {
  using t = await filled()
  const prompt = await t.store.prompts.byNumber(3, 1)
  const passes = [{ command: 'npm test', isWhole: true, at: NOW - 1000 }]
  if (prompt) await t.store.prompts.setActivity(prompt, '', { names: [], errors: [], passes })
  expect(await recall(t.store, 'which tests were failing?')).toContain(
    'No test is known to fail now. The last that failed, and passed later, 1d ago: `npm test`: the ledger starts at one',
  )
})
