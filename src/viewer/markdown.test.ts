import { expect, test } from 'bun:test'
import { processorTime } from '../../test/support/growth.ts'
import { parseInline, parseMarkdown } from './markdown.ts'

test('headings, lists, code, quotes and paragraphs are told apart', () => {
  expect(
    parseMarkdown('# Why\n\nBecause.\nReally.\n\n- one\n- two\n  - deeper\n\n1. first\n\n```ts\nlet a = 1\n```\n> said\n\n---').map(
      (b) => b.kind,
    ),
  ).toEqual(['heading', 'paragraph', 'list', 'list', 'code', 'quote', 'rule'])
  const [list] = parseMarkdown('- one\n- two\n  - deeper')
  expect(list).toMatchObject({ kind: 'list', ordered: false, items: [[{ kind: 'paragraph' }], [{ kind: 'paragraph' }, { kind: 'list' }]] })
})

test('emphasis, code and addresses are read inside a line', () => {
  expect(parseInline('a **b** `c*` *d* [e](https://x.example/) snake_case_name 2*3*4').map((p) => p.kind)).toEqual([
    'text',
    'strong',
    'text',
    'code',
    'text',
    'em',
    'text',
    'link',
    'text',
  ])
})

test.each([
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:x)',
  '[x]( javascript:alert(1))',
  '[x](//evil.example)',
  '[x](/api/shutdown)',
  '![x](https://evil.example/pixel.png)'.replace('https', 'file'),
])('%s does not become a link', (text) => {
  expect(JSON.stringify(parseMarkdown(text))).not.toContain('"link"')
})

test('markup stays text', () => {
  const hostile = '<script>alert(1)</script><img src=x onerror=alert(1)>'
  expect(parseMarkdown(hostile)).toEqual([{ kind: 'paragraph', inline: [{ kind: 'text', text: hostile }] }])
})

test.each([
  ['stars', '*'.repeat(50_000)],
  ['brackets', '['.repeat(50_000)],
  ['ticks', '`'.repeat(50_001)],
  ['quotes', '>'.repeat(50_000)],
  ['half links', '[a]('.repeat(20_000)],
  ['lists', '- '.repeat(20_000)],
  ['bold', '**a'.repeat(20_000)],
])('a text made of %s is read in good time', (_, text) => {
  const used = processorTime()
  parseMarkdown(text)
  expect(used()).toBeLessThan(1500)
})
