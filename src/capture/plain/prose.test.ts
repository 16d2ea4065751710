import { describe, expect, test } from 'bun:test'
import { readProse, sentencesOf, stripMarkup } from '../../core/prose.ts'
import { headlineOf, narrativeOf, pointsOf } from './headline.ts'
import { isFiller, isStatus } from './phrases.ts'

describe('an answer', () => {
  test('is split into sentences, points, rows and headings', () => {
    const items = readProse(
      '## What changed\n\nThe cache is gone. It was slow.\n\n- `a.ts`: no cache\n- tests\n\n| File | Change |\n|---|---|\n| `b.ts` | calls parse directly |\n',
    )
    expect(items.map((s) => [s.kind, s.text])).toEqual([
      ['heading', 'What changed'],
      ['sentence', 'The cache is gone.'],
      ['sentence', 'It was slow.'],
      ['point', '`a.ts`: no cache'],
      ['point', 'tests'],
      ['row', '`b.ts`: calls parse directly'],
    ])
    expect(items.at(-1)?.under).toBe('what changed')
  })

  test('loses its code blocks and drawings', () => {
    expect(readProse('Before\n\n```ts\nconst hidden = 1\n```\n\n┌──┐\n│ab│\n└──┘\n\nAfter').map((s) => s.text)).toEqual(['Before', 'After'])
  })

  test('keeps a nested list with the point it belongs to', () => {
    const items = readProse('1. **`parse`**:\n   - reads tabs\n   - skips blanks\n2. `print` is new')
    expect(items.map((s) => s.text)).toEqual(['`parse`: reads tabs; skips blanks', '`print` is new'])
  })

  test('keeps code unchanged', () => {
    expect(stripMarkup('**Now** `$1***` in [a.ts](src/a.ts) and *really* `**/*.md`')).toBe('Now `$1***` in a.ts and really `**/*.md`')
  })
})

describe('sentences', () => {
  const CUT: [string, string[]][] = [
    ['It reads a.ts. Then v1.2 ran.', ['It reads a.ts.', 'Then v1.2 ran.']],
    ['Use tabs, e.g. in lists. Fine!', ['Use tabs, e.g. in lists.', 'Fine!']],
    ['令牌以秒为单位。现在已修复！好吗？', ['令牌以秒为单位。', '现在已修复！', '好吗？']],
    ['Run `. ./env.sh` first. Then go.', ['Run `. ./env.sh` first.', 'Then go.']],
    ['A lone ` tick. It opens nothing.', ['A lone ` tick.', 'It opens nothing.']],
    ['no end', ['no end']],
  ]
  test.each(CUT)('%p', (text, sentences) => {
    expect(sentencesOf(text)).toEqual(sentences)
  })
})

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
