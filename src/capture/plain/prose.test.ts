import { describe, expect, test } from 'bun:test'
import { readProse } from '../../core/prose.ts'
import { headlineOf, narrativeOf, pointsOf } from './headline.ts'
import { asStandaloneSentence, isFiller, isStatus } from './phrases.ts'

test('polite phrases, announcements and "all done" are filler', () => {
  for (const text of [
    'Done.',
    'Perfect!',
    "I'll look into it.",
    'Great question!',
    "Here's a summary of the changes:",
    'All three fixes are implemented and verified:',
    'Let me know if you need more.',
    'The implementation is complete.',
    "Since this is read-only, I cannot edit files, so I'll provide the findings as a detailed response.",
    'This completes the analysis of the migrations.',
  ])
    expect([text, isFiller(text)]).toEqual([text, true])
  for (const text of [
    'The token carries seconds.',
    'Fixed: `isValid` compared seconds.',
    'Files cannot be edited there, it is read-only.',
    '修复了登录测试。',
  ])
    expect([text, isFiller(text)]).toEqual([text, false])
})

test('what introduces a list is a sentence of its own, unless it needs the list', () => {
  expect(asStandaloneSentence('The parser is twice as fast now:')).toBe('The parser is twice as fast now.')
  expect(asStandaloneSentence('A session is active if either:')).toBeNull()
})

test('the state of the checks is status', () => {
  expect(isStatus('All 1321 tests pass, lint clean.')).toBe(true)
  expect(isStatus('The parser skips blank lines.')).toBe(false)
})

describe('the headline of an answer', () => {
  const HEADLINES: [string, string | null][] = [
    ['Done. Branches are now sorted by most recent session activity.', 'Branches are now sorted by most recent session activity.'],
    [
      'All tests pass. The bug occurred because `find` searched every branch.\n\nGive it a try.',
      'The bug occurred because `find` searched every branch.',
    ],
    [
      "Perfect! Here's what I did:\n\n**Root Cause:** The list in `types.go` was missing `replace`.",
      'The list in `types.go` was missing `replace`.',
    ],
    [
      'A session is active if either:\n\n1. it has a state file\n2. it is the current one',
      'A session is active if either: it has a state file; it is the current one',
    ],
    ['已修复。令牌的过期时间以秒为单位，比较前现在会转换为毫秒。', '令牌的过期时间以秒为单位，比较前现在会转换为毫秒。'],
    ['All done!', null],
    ['Done. The flag `--all` sorts by age.', 'The flag `--all` sorts by age.'],
    ['Done. The flag sorts by age.', null],
    ['## What was changed in the parser since the last release', null],
    ['## The parser was slower since it read every line twice', 'The parser was slower since it read every line twice'],
    [
      'The parser is twice as fast now:\n\n- Cache: it keeps the tokens of a line\n- Lookup: it uses a table',
      'The parser is twice as fast now.',
    ],
    ['There were two bugs:\n\n- Cache: tokens were lost\n- Lookup: it was case-sensitive', 'Two bugs: Cache; Lookup'],
    ['There were two bugs:\n\nBoth are gone.', 'There were two bugs.'],
    ['Pending todos:\n\n| # | Title |\n|---|---|\n| 1 | Move the cache to another place |', null],
  ]
  test.each(HEADLINES)('%p', (answer, headline) => {
    expect(headlineOf(readProse(answer), [])?.text ?? null).toBe(headline)
  })

  test('is the sentence that names the changed code', () => {
    const items = readProse('Some words about the weather in general terms.\n\n`quoteStr` took over the escaping of names.')
    expect(headlineOf(items, ['quoteStr'])?.text).toBe('`quoteStr` took over the escaping of names.')
  })
})

test('the narrative leaves out polite phrases, status and next steps', () => {
  const items = readProse('Done. The token carries seconds. All tests pass.\n\nHere is the list:\n- a\n\nWould you like me to go on?')
  expect(narrativeOf(items, 800)).toBe('The token carries seconds.')
})

test('the chosen points name things, and keep their order', () => {
  const items = readProse(
    '- something plain was done here\n- `parse` reads tabs now\n- another plain remark follows\n- `print` skips blanks because no reader needs them',
  )
  expect(pointsOf(items, ['parse'], 2)).toEqual(['`parse` reads tabs now', '`print` skips blanks because no reader needs them'])
})
