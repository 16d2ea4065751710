import { describe, expect, test } from 'bun:test'
import { readProse, sentencesOf, stripMarkup } from './prose.ts'

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

  test('keeps points of the same depth apart, even after a colon', () => {
    expect(readProse('- `parse`:\n- `print`: is new\n- tests').map((s) => s.text)).toEqual(['`parse`:', '`print`: is new', 'tests'])
  })

  test('keeps the indented lines of a point with it', () => {
    expect(readProse('- the cache is gone,\n  because it was slow\n\nNext.').map((s) => [s.kind, s.text])).toEqual([
      ['point', 'the cache is gone, because it was slow'],
      ['sentence', 'Next.'],
    ])
  })

  test('joins all cells of a row that says something, and leaves out rows of short words', () => {
    const items = readProse('| Id | State |\n|---|---|\n| 7 | open |\n| `a.ts` | calls parse directly | faster |')
    expect(items.map((s) => s.text)).toEqual(['`a.ts`: calls parse directly · faster'])
  })

  test('loses the mark of a quotation, and the blanks around its text', () => {
    expect(readProse('> quoted words').map((s) => s.text)).toEqual(['quoted words'])
    expect(stripMarkup(' ✓ done ')).toBe('done')
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
    ['Is it on? It is! Good. v1.2 runs', ['Is it on?', 'It is!', 'Good.', 'v1.2 runs']],
    ['`a. b` is it. Yes.', ['`a. b` is it.', 'Yes.']],
    ['A lone ` tick. It opens nothing.', ['A lone ` tick.', 'It opens nothing.']],
    ['no end', ['no end']],
  ]
  test.each(CUT)('%p', (text, sentences) => {
    expect(sentencesOf(text)).toEqual(sentences)
  })
})
