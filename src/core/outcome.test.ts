import { describe, expect, test } from 'bun:test'
import { storedPrompt } from '../../test/support/builders.ts'
import { conclusionOf, isAmendingTurn, isConclusive, isSettling, rulingsIn } from './outcome.ts'

describe('an answer', () => {
  test.each([
    'Settled: the key is the lowercased address plus the calendar day.',
    'Final rule: the value becomes "***", except the last four digits.',
    'Full recap of drain(jobs): running jobs finish first, queued ones keep their order.',
    'Understood: a tie keeps the primary record.',
    'The root cause was a time zone that stations.json had fixed.',
  ])('settles something: %s', (answer) => {
    expect(isSettling(answer)).toBe(true)
  })

  test.each(['Agreed?', 'I will look at the parser first.', 'Which of the two do you prefer?', 'Here is the file.'])(
    'settles nothing: %s',
    (answer) => {
      expect(isSettling(answer)).toBe(false)
    },
  )

  test.each([
    ['Retries stop after four tries, 250 ms apart, because the runners time out.', true],
    ['Committed.', false],
    ['Done. Pushed to main.', false],
    ["I'll make sure that every name of a variable starts with `n_` from now on.", false],
    ['Let me look at the parser and its tests before I change anything here.', false],
    ['Should the record in the database always win, or the one that comes in?', false],
    ['Now I need to add this method to the interface of the store and its fake:', false],
  ])('%s concludes something: %p', (answer, expected) => {
    expect(isConclusive(answer)).toBe(expected)
  })

  test('is concluded in its own words, without questions, offers and polite phrases', () => {
    const answer = 'Got it! The map is `&` to `and`, `$` to `usd`. Want me to add a test?'
    expect(conclusionOf(answer, [], 500)).toBe('The map is `&` to `and`, `$` to `usd`.')
  })

  test('keeps what settles it, its values and the words of the question when it is long', () => {
    const answer = [
      'I read the retry module and its history.',
      ...Array.from({ length: 20 }, (_, i) => `Something else about module ${'x'.repeat(i)} was read.`),
      'So the rule is: at most 7 attempts within 12.7 seconds.',
      'All 14 tests passed.',
    ].join(' ')
    const text = conclusionOf(answer, ['retry'], 160)
    expect(text).toContain('at most 7 attempts within 12.7 seconds')
    expect(text).toContain('retry module')
    expect(text.length).toBeLessThanOrEqual(160)
  })

  test('keeps literal values as they are written', () => {
    expect(conclusionOf("The value becomes '***', **never** an empty text.", [], 200)).toBe("The value becomes '***', never an empty text.")
  })
})

test('rulings are the replies in which the person corrects or limits something, and nothing else', () => {
  const replies = ['No - only the leading zero strings are quoted.', 'Thanks, looks good.', 'Never mind the log quota of the worker.']
  expect(rulingsIn(replies, ['leadin', 'string', 'quoted'], 300)).toBe('No - only the leading zero strings are quoted.')
})

test.each([
  [{ text: 'Amendment to the merge rule from last month.' }, true],
  [{ text: 'go on', answer: 'Amended rule, superseding keep-latest: the fuller record wins.' }, true],
  [{ text: 'We changed our mind about the cache.' }, true],
  [{ text: 'please amend', origin: 'machine' as const }, false],
  [{ text: 'Use git commit, then push.' }, false],
])('a turn amends an earlier decision: %p → %p', (given, expected) => {
  expect(isAmendingTurn(storedPrompt(given))).toBe(expected)
})

test('a huge answer without spaces is read in a moment', () => {
  const started = performance.now()
  for (const answer of ['a'.repeat(200_000), 'No '.repeat(60_000), `${'x_'.repeat(60_000)}.`, '*'.repeat(100_000)]) {
    conclusionOf(answer, ['abc'], 500)
    isSettling(answer)
    isConclusive(answer)
    rulingsIn([answer], ['abc'], 300)
    isAmendingTurn(storedPrompt({ text: answer, answer }))
  }
  expect(performance.now() - started).toBeLessThan(5000)
})
