import { expect, test } from 'bun:test'
import { observation, storedPrompt, summary } from '../../test/support/builders.ts'
import { storeWithChats } from '../../test/support/chats.ts'
import { asProjectKey } from '../core/ids.ts'
import type { Observation } from '../core/memory.ts'
import { recentResults, resultLine, resultOf, type WorkResult } from './results.ts'

const app = asProjectKey('app')
const NOW = 10_000_000
const WORK =
  'The retry of the ledger waits 250 ms now and doubles each time, up to ten seconds. It gives up after four tries, because the museum closes its side after a minute and a half.'

/** The results of one chat, with observations that changed files. */
async function resultsOf(turns: [text: string, answer: string][], changes: Partial<Observation>[] = []) {
  using t = await storeWithChats(turns)
  const observations = changes.map((given) => observation({ filesModified: ['src/retry.ts'], ...given }))
  return recentResults(t.store, app, observations, 10)
}

test('the result of a thread is the turn that did the work, not the small one after it', async () => {
  const turns: [string, string][] = [
    ['Slow down the retry of the ledger', WORK],
    ['and the changelog of the retry', 'Added a line about the retry of the ledger to the changelog.'],
  ]
  const answers = async (changes: Partial<Observation>[]) => (await resultsOf(turns, changes)).map(({ outcome }) => outcome.number)
  expect(await answers([{ promptNumber: 1 }])).toEqual([1])
  // A turn that changed nothing only talked about it.
  expect(await answers([])).toEqual([2])
})

test('an answer that settles or takes back something is the result, however short', async () => {
  for (const answer of [
    'Settled: the retry of the ledger stays as it was.',
    'Removed the retry of the ledger again: the museum answers every request at once since the move.',
  ]) {
    const turns: [string, string][] = [
      ['Slow down the retry of the ledger', WORK],
      ['what about the retry of the ledger', answer],
    ]
    expect((await resultsOf(turns, [{ promptNumber: 1 }])).map(({ outcome }) => outcome.answer)).toEqual([answer])
  }
})

test('an answer that is nearly as long as the work before it is the result', async () => {
  const turns: [string, string][] = [
    ['Slow down the retry of the ledger', WORK],
    [
      'and the retry of the museum',
      'The retry of the museum waits 500 ms now and doubles each time, up to thirty seconds, as the ledger does.',
    ],
  ]
  expect((await resultsOf(turns, [{ promptNumber: 1 }])).map(({ outcome }) => outcome.number)).toEqual([2])
})

test('a result that the person doubted afterwards quotes the doubt', async () => {
  const doubt = 'It still fails on the ledger of the museum.'
  const turns: [string, string][] = [
    ['Slow down the retry of the ledger', WORK],
    [doubt, 'Let me look at the ledger.'],
  ]
  const [found] = await resultsOf(turns, [{ promptNumber: 1 }])
  expect(found?.doubt).toBe(doubt)
  expect((await resultsOf(turns.slice(0, 1), [{ promptNumber: 1 }]))[0]).not.toHaveProperty('doubt')
})

test('a result lists the files that its thread changed, each once, and not those of other turns or sessions', async () => {
  const [found] = await resultsOf(
    [['Slow down the retry of the ledger', WORK]],
    [
      { id: 1, filesModified: ['a.ts', 'b.ts'] },
      { id: 2, filesModified: ['b.ts'] },
      { id: 3, filesModified: ['c.ts'], promptNumber: 2 },
      { id: 4, filesModified: ['d.ts'], sessionId: 9 },
    ],
  )
  expect(found?.files).toEqual(['a.ts', 'b.ts'])
  expect(found?.session).toBe('chat0')
})

test('work whose prompts name no subject is named by its change: the largest of its turn', async () => {
  const [found] = await resultsOf(
    [['go', WORK]],
    [
      { id: 1, title: 'Two files', filesModified: ['a.ts', 'b.ts'] },
      { id: 2, title: 'One file', filesModified: ['a.ts'] },
    ],
  )
  expect(found?.title).toBe('Two files')
})

test('the result of a summary says what was left unfinished after it', async () => {
  using t = await storeWithChats([['Slow down the retry of the ledger', `${WORK} The change of \`c.ts\` was left unstaged.`]])
  const session = await t.store.sessions.get(1)
  const result = await resultOf(t.store, { ...summary({ sessionId: session?.id ?? 0 }), branch: null }, [])
  expect(result?.leftover).toBe('The change of `c.ts` was left unstaged.')
  expect(await resultOf(t.store, { ...summary({ sessionId: 9 }), branch: null }, [])).toBeNull()
})

const retry: WorkResult = {
  thread: { id: 1, sessionId: 1, first: 1, last: 1, outcome: 1, replacedBy: null },
  session: null,
  title: 'Slow down the retry',
  outcome: storedPrompt({ id: 7, answer: 'The retry waits 250 ms now.', at: NOW - 7_200_000 }),
  branch: 'main',
}

test('the line of a result names its branch only if the session is on another one', () => {
  expect(resultLine(retry, NOW, 'main', 200)).toBe('P7 · 2h · Slow down the retry — The retry waits 250 ms now.')
  expect(resultLine(retry, NOW, 'next', 200)).toEndWith('now. (main)')
  expect(resultLine(retry, NOW, null, 200)).toEndWith('now.')
  expect(resultLine({ ...retry, branch: null }, NOW, 'next', 200)).toEndWith('now.')
})

test('the line of a result without a title is its answer, with what changed since and what the person doubted', () => {
  const line = resultLine({ ...retry, title: '', changed: 'P9: 500 ms.', doubt: 'It still fails.' }, NOW, null, 200)
  expect(line).toBe('P7 · 2h · The retry waits 250 ms now. (changed later, P9: 500 ms.) The person then said: “It still fails.”')
})
