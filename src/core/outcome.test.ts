import { describe, expect, test } from 'bun:test'
import { storedPrompt } from '../../test/support/builders.ts'
import { processorTime } from '../../test/support/growth.ts'
import {
  conclusionOf,
  doubtAbout,
  firstStatement,
  gistOf,
  isAmendingTurn,
  isConclusive,
  isRuling,
  isSettling,
  labelOfAnswer,
  leftoverIn,
  rulingsIn,
} from './outcome.ts'

describe('a result that the person', () => {
  const outcome = storedPrompt({ number: 1, answer: 'FullSchema is back to its original state, and the protocol says so.' })
  const then = (text: string, answer: string | null = null) => [outcome, storedPrompt({ number: 2, text, answer })]

  test.each(['It still fails on staging.', 'Hm. Are you sure?', "That's wrong, the tables are still there.", 'same error again'])(
    'doubted is shown with the doubt: %s',
    (text) => {
      expect(doubtAbout(outcome, then(text))).not.toBeNull()
    },
  )

  test.each(['Thanks, that works.', 'Now commit it.', 'Does it still need the old table?'])('did not doubt has none: %s', (text) => {
    expect(doubtAbout(outcome, then(text))).toBeNull()
  })

  test('doubted has no doubt any more once a later answer concluded something', () => {
    expect(
      doubtAbout(outcome, then('It still fails.', 'Two tables were left in it. They are gone now: only the migration creates them.')),
    ).toBeNull()
  })
})

test('an agent reports what it did; a decision is settled', () => {
  const answers = ['Fixed: the schema is back.', 'Summary: the schema is back.', 'Final rule: email is never masked.']
  expect(answers.map(labelOfAnswer)).toEqual(['Reported', 'Reported', 'Settled'])
})

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
    ['Filed as ENT-263 in the backlog of the team, with the two logs attached.', false],
    ['All review threads addressed and resolved.', false],
    ['Commit successful. The two files (`a.md` and `b.md`) have been committed. The unrelated `c.ts` change was left unstaged.', false],
    ['I can not clear the conversation myself, use the `/clear` command of the client to reset it.', false],
    ['Merged. The two counters are one now, because both counted the same requests of a client.', true],
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

  test('has a mark between the points of a list', () => {
    expect(conclusionOf('- Retries stop after four tries\n- They double each time', [], 200)).toBe(
      'Retries stop after four tries; They double each time',
    )
  })

  test('keeps literal values as they are written', () => {
    expect(conclusionOf("The value becomes '***', **never** an empty text.", [], 200)).toBe("The value becomes '***', never an empty text.")
  })
})

test('the gist of a long answer begins with what it says first, without commits and without how things were', () => {
  const answer = [
    'The retry waits 250 ms now and doubles.',
    ...Array.from({ length: 9 }, (_, i) => `The module number ${i} was read with 12 "names" and \`code\` in it.`),
    'Committed as abc1234.',
  ].join(' ')
  expect(gistOf(answer, [], 120)).toStartWith('The retry waits 250 ms now and doubles.')
  expect(gistOf('## Issue\n\n- The retry was too fast\n\n## Fixed\n\n- The retry waits 250 ms', [], 200)).toBe('The retry waits 250 ms')
  expect(gistOf('The retry waits 250 ms now. Pushed to main.', [], 200)).toBe('The retry waits 250 ms now.')
  expect(gistOf('No — that is the catch. The retry waits 250 ms now.', [], 200)).toBe('The retry waits 250 ms now.')
})

test.each([
  ['Committed. The unrelated `c.ts` change was left unstaged.', 'The unrelated `c.ts` change was left unstaged.'],
  ['Committed: `9bb7c34a` on `next`. Not pushed.', 'Not pushed.'],
  [
    'Commit — done. Only the script is staged; the stray `nul` file in the repo was left alone.',
    'Only the script is staged; the stray `nul` file in the repo was left alone.',
  ],
  ['Files without our marker are left alone.', ''],
  ['If the branch is not pushed, the check fails.', ''],
  ['Everything is committed.', ''],
])('%s leaves: %s', (answer, left) => {
  expect(leftoverIn(answer, 200)).toBe(left)
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
  const used = processorTime()
  for (const answer of ['a'.repeat(200_000), 'No '.repeat(60_000), `${'x_'.repeat(60_000)}.`, '*'.repeat(100_000)]) {
    conclusionOf(answer, ['abc'], 500)
    gistOf(answer, ['abc'], 500)
    leftoverIn(answer, 200)
    isSettling(answer)
    isConclusive(answer)
    rulingsIn([answer], ['abc'], 300)
    isAmendingTurn(storedPrompt({ text: answer, answer }))
  }
  expect(used()).toBeLessThan(5000)
})

test('a reply that says what must or must not be rules something, a question does not', () => {
  expect(isRuling('No, do not mask the address.')).toBe(true)
  expect(isRuling('Why a promise in the map and not the table itself?')).toBe(false)
})

describe('the first statement of an answer', () => {
  test('skips questions, offers and polite phrases', () => {
    expect(firstStatement('Shall I go on? Done. The cache is gone now.')).toBe('The cache is gone now.')
    expect(firstStatement('Let me look at the cache. Which one do you mean?')).toBeNull()
  })

  test('contains the first point of the list that it introduces', () => {
    expect(firstStatement('A session is active if:\n\n- it has a state file\n- it is the current one')).toBe(
      'A session is active if: it has a state file',
    )
  })
})
