import { expect, test } from 'bun:test'
import { processorTime } from '../../test/support/growth.ts'
import { outline } from '../../test/support/outline.ts'
import { Markdown, MarkdownLine } from './markdown-view.tsx'

const block = (text: string) => outline(Markdown({ text }).props.children)
const line = (text: string) => outline(MarkdownLine({ text }).props.children)

test('headings, lists, code, quotes, rules and paragraphs are recognised', () => {
  expect(block('# Why\n\nBecause.\nReally.\n\n- one\n- two\n  - deeper\n\n1. first\n\n```ts\nlet a = 1\n```\n> said\n\n---')).toBe(
    [
      '<h3>“Why”</h3>',
      '<p>“Because.\nReally.”</p>',
      '<ul><li><span>“one”</span></li><li><span>“two”</span><ul><li><span>“deeper”</span></li></ul></li></ul>',
      '<ol><li><span>“first”</span></li></ol>',
      '<pre>“let a = 1”</pre>',
      '<blockquote><p>“said”</p></blockquote>',
      '<hr></hr>',
    ].join(''),
  )
})

test('a table has a header row and cells with formatted text', () => {
  expect(block('| File | Why |\n|---|---:|\n| `a.ts` | **slow** |\n| b.ts | a \\| b |')).toBe(
    [
      '<div><table><thead><tr><th>“File”</th><th>“Why”</th></tr></thead><tbody>',
      '<tr><td><code>“a.ts”</code></td><td><strong>“slow”</strong></td></tr>',
      '<tr><td>“b.ts”</td><td>“a | b”</td></tr>',
      '</tbody></table></div>',
    ].join(''),
  )
})

test('task lists show which tasks are done', () => {
  expect(block('- [x] one\n- [ ] two')).toMatch(/☑.*one.*☐.*two/)
})

test('emphasis, code and links are recognised within a line', () => {
  expect(line('a **b** `c*` *d* ~~e~~ [f](https://x.example/) snake_case_name 2*3 \\*')).toBe(
    '“a ”<strong>“b”</strong>“ ”<code>“c*”</code>“ ”<em>“d”</em>“ ”<del>“e”</del>“ ”<a https://x.example/>“f”</a>“ snake_case_name 2*3 ”“*”',
  )
})

test('a bare web address becomes a link, and an image a link to it', () => {
  expect(line('see https://x.example/a. ![chart](https://y.example/b.png)')).toBe(
    '“see ”<a https://x.example/a>“https://x.example/a”</a>“. ”<a https://y.example/b.png>“chart”</a>',
  )
})

test.each([
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](data:text/html,<script>alert(1)</script>)',
  '[x](vbscript:x)',
  '[x]( javascript:alert(1))',
  '[x](//evil.example)',
  '[x](/api/shutdown)',
  '![x](file://evil.example/pixel.png)',
  '[x]: javascript:alert(1)\n\n[x]',
])('%s does not become a link', (text) => {
  expect(block(text)).not.toContain('<a')
})

test.each([
  '<script>alert(1)</script><img src=x onerror=alert(1)>',
  'before <b onclick="alert(1)">bold</b> after',
  '<!-- hidden -->',
  '[label]: definition',
])('%s stays text', (text) => {
  expect(block(text).replaceAll('”“', '')).toBe(`<p>“${text}”</p>`)
})

test('a very long text is shown without formatting', () => {
  expect(block('*a* '.repeat(20_000))).toMatch(/^<pre>“\*a\* /)
})

test.each([
  ['stars', '*'.repeat(50_000)],
  ['brackets', '['.repeat(50_000)],
  ['ticks', '`'.repeat(50_000)],
  ['quotes', '>'.repeat(50_000)],
  ['half links', '[a]('.repeat(12_500)],
  ['lists', '- '.repeat(25_000)],
  ['bold', '**a'.repeat(16_600)],
  ['underlines in many paragraphs', `${'_a'.repeat(1_480)}\n\n`.repeat(16)],
  ['nested emphasis', '*a **b '.repeat(350) + '** c*'.repeat(350)],
  ['nested lists', Array.from({ length: 220 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n')],
  ['continued list items', `- a\n${'b\n'.repeat(20_000)}`],
])('a text made of %s is parsed quickly', (_, text) => {
  const used = processorTime()
  block(text)
  expect(used()).toBeLessThan(1500)
})
