import { describe, expect, test } from 'bun:test'
import { growth, LINEAR } from '../../test/support/growth.ts'
import { withoutPrivate, withoutPrivateInJson } from './privacy.ts'

/** Every spelling that hides. The word `hidden` must go; the text before and after must stay. */
const HIDING: [form: string, text: string, left: string][] = [
  ['plain', 'a <private>hidden</private> z', 'a  z'],
  ['upper case', 'a <PRIVATE>hidden</PRIVATE> z', 'a  z'],
  ['mixed case', 'a <Private>hidden</pRiVaTe> z', 'a  z'],
  ['glued to words', 'a<private>hidden</private>z', 'az'],
  ['several lines', 'a\n<private>\nhidden\n</private>\nz', 'a\n\nz'],
  ['an attribute', 'a <private reason="x">hidden</private> z', 'a  z'],
  ['an unquoted attribute ending in a slash', 'a <private from=http://x/>hidden</private> z', 'a  z'],
  ['a bracket in an attribute', 'a <private reason="a > b">hidden</private> z', 'a  z'],
  ['a self-closing look in an attribute', 'a <private reason="/>">hidden</private> z', 'a  z'],
  ['a closer in an attribute', 'a <private reason="</private>">hidden</private> z', 'a  z'],
  ['an apostrophe in the tag', "a <private don't look>hidden</private> z", 'a  z'],
  ['a missing bracket', 'a <private hidden</private> z', 'a  z'],
  ['an equals sign after the name', 'a <private="x">hidden</private> z', 'a  z'],
  ['spaces inside the brackets', 'a < private >hidden</ private > z', 'a  z'],
  ['spaces around the slash', 'a <private>hidden< / private > z', 'a  z'],
  ['spaces and an attribute', 'a < private reason = "x" >hidden</private> z', 'a  z'],
  ['newlines inside the tag', 'a <\nprivate\n\treason="x"\n>hidden</\nprivate\n> z', 'a  z'],
  ['nested', 'a <private>hidden<private>hidden</private>hidden</private> z', 'a  z'],
  ['nested kinds', 'a <private>hidden<system-reminder>hidden</system-reminder>hidden</private> z', 'a  z'],
  ['a closer of another kind', 'a <private>hidden</system-reminder>hidden</private> z', 'a  z'],
  ['a closer inside another kind', 'a <private><system-reminder></private>hidden</system-reminder>hidden</private> z', 'a  z'],
  ['a malformed closer', 'a <private>x</private hidden</private> z', 'a  z'],
  ['a closer that is only named alike', 'a <private>x</privateer>hidden</private> z', 'a  z'],
  ['unclosed', 'a <private>hidden', 'a '],
  ['unclosed tag', 'a <private hidden', 'a '],
  ['unclosed quote', 'a <private reason="x>hidden</private> z', 'a '],
  ['twice', 'a <private>hidden</private> b <private>hidden</private> z', 'a  b  z'],
  ['our own context', 'a <recollect-context>hidden</recollect-context> z', 'a  z'],
  ['the context of claude-mem', 'a <claude-mem-context>hidden</claude-mem-context> z', 'a  z'],
  ['a reminder of the client', 'a <system-reminder>\nhidden\n</system-reminder> z', 'a  z'],
  ['entities', 'a &lt;private&gt;hidden&lt;/private&gt; z', 'a  z'],
  ['entities without semicolons', 'a &ltprivate&gthidden&lt/private&gt z', 'a  z'],
  ['entities in capitals', 'a &LT;private&GT;hidden&LT;/private&GT; z', 'a  z'],
  ['entities escaped twice', 'a &amp;lt;private&amp;gt;hidden&amp;lt;/private&amp;gt; z', 'a  z'],
  ['decimal entities', 'a &#60;private&#62;hidden&#60;&#47;private&#62; z', 'a  z'],
  ['padded decimal entities', 'a &#0000060;private&#62;hidden&#60;/private&#0062 z', 'a  z'],
  ['hexadecimal entities', 'a &#x3c;private&#x3E;hidden&#X3C;/private&#x3e; z', 'a  z'],
  ['letters as entities', 'a <&#112;riv&#x61;te>hidden</&#112;rivate> z', 'a  z'],
  ['an escaped opener and a plain closer', 'a &lt;private>hidden</private&gt; z', 'a  z'],
  ['an escaped attribute', 'a &lt;private reason=&quot;&gt;&quot;&gt;hidden&lt;/private&gt; z', 'a  z'],
  ['JSON unicode escapes', 'a \\u003cprivate\\u003ehidden\\u003c/private\\u003e z', 'a  z'],
  ['JSON unicode escapes in capitals', 'a \\u003Cprivate\\u003Ehidden\\u003C\\u002Fprivate\\u003E z', 'a  z'],
  ['JSON escaped twice', 'a \\\\u003cprivate\\\\u003ehidden\\\\u003c/private\\\\u003e z', 'a  z'],
  ['JSON quotes and newlines', 'a <private\\n reason=\\"x\\">hidden<\\/private> z', 'a  z'],
  ['braced unicode escapes', 'a \\u{3c}private\\u{003e}hidden\\u{3c}/private\\u{3e} z', 'a  z'],
  ['byte escapes', 'a \\x3cprivate\\x3ehidden\\x3c/private\\x3e z', 'a  z'],
  ['Markdown escapes', 'a <private\\>hidden</private\\> z', 'a  z'],
  ['URL encoding', 'a %3Cprivate%3Ehidden%3C%2Fprivate%3E z', 'a  z'],
  ['URL encoding twice', 'a %253Cprivate%253Ehidden%253C/private%253E z', 'a  z'],
  ['full width', 'a ＜ｐｒｉｖａｔｅ＞hidden＜／ｐｒｉｖａｔｅ＞ z', 'a  z'],
  ['full-width brackets only', 'a ＜private＞hidden＜/private＞ z', 'a  z'],
  ['CJK brackets', 'a 〈private〉hidden〈/private〉 z', 'a  z'],
  ['guillemets', 'a ‹private›hidden‹/private› z', 'a  z'],
  ['ideographic and no-break spaces', 'a <\u3000private\u00a0>hidden</\u00a0private\u3000> z', 'a  z'],
  ['zero-width characters', 'a <\u200bpri\u200dvate\ufeff>hidden</\u2060private\u00ad> z', 'a  z'],
  ['control characters', 'a <pri\u0000vate>hidden</private\u0008> z', 'a  z'],
  ['a tag in two halves around another', 'a <pri<private>x</private>vate>hidden</private> z', 'a <pri z'],
  ['a tag in two halves around another, then unclosed', 'a <pri<private>x</private>vate>hidden', 'a '],
  ['a generic, which looks like a tag right after a word', 'new Set<Private>() hidden', 'new Set'],
  ['self-closing removes only itself', 'a <private/> b <private reason="x" /> z', 'a  b  z'],
  ['a closer without a beginning', 'hidden </private> z', ' z'],
  ['two closers without a beginning', 'hidden </private> hidden </ PRIVATE > z', ' z'],
  ['a closer without a beginning after a private part', 'a <private>hidden</private> hidden </private> z', 'a  z'],
  ['a reminder before a closer without a beginning', 'hidden <system-reminder>x</system-reminder> hidden </private> z', ' z'],
  ['a closer without a beginning, then an unclosed part', 'hidden </private> b <private> hidden', ' b '],
  ['a path before it keeps its backslash', 'C:\\temp\\<private>hidden</private> z', 'C:\\temp\\ z'],
]

/** Texts that only look like private parts. */
const UNTOUCHED = [
  '',
  'nothing special',
  'if (a < b && c > d) return "x & y" // 100% \\o/',
  '<privateer>ships</privateer>',
  '<private-key>k</private-key> <private_key> <private.key> <private:key>',
  'a < private b',
  'for (let i = 0; i < private.length; i++) total = i > 3',
  'x < privates = 5',
  'a < private && b > c',
  'a < private / b > c',
  // A comma never follows a tag's name.
  'new Map<Private, X>()',
  'Record<string, Private>',
  '<system>be kind</system> <system-reminders> <reminder>',
  '<div className="private">{children}</div>',
  '<Private.Provider value={1} />',
  'private <b>bold</b> class',
  '&lt;div&gt; &amp; &copy; &#169; &#x1F600; &nosuch; &#; &#x; &',
  'C:\\users\\private \\u00zz \\u{} \\x3 \\',
  '100%3 %zz %2',
  '…‹citation› 〈題〉 ＜ｘ＞',
]

describe('private parts', () => {
  test.each(HIDING)('%s', (_form, text, left) => {
    expect(withoutPrivate(text).text).toEqual(left)
  })

  test.each(UNTOUCHED)('%j is unchanged', (text) => {
    expect(withoutPrivate(text)).toEqual({ text, hidPrivate: false })
  })

  test('an entirely private text becomes empty', () => {
    const { text, hidPrivate } = withoutPrivate(' <private>all of it</private>\n')
    expect([text.trim(), hidPrivate]).toEqual(['', true])
  })

  test.each([
    ['<system-reminder>be brief</system-reminder> go on', 'go on', false],
    ['<recollect-context project="a">x</recollect-context>', '', false],
    ['<system-reminder>x</system-reminder> a <private>b</private>', 'a', true],
    ['&lt;private&gt;b&lt;/private&gt;', '', true],
    ['a <private/>', 'a', true],
  ])('only a person’s own tag makes %j private', (raw, left, hidden) => {
    const { text, hidPrivate } = withoutPrivate(raw)
    expect([text.trim(), hidPrivate]).toEqual([left, hidden])
  })

  test('text that would leave a new tag after every cut is dropped entirely', () => {
    const halves = `${'<pri'.repeat(50)}<private/>${'vate/>'.repeat(50)}`
    expect(withoutPrivate(`a ${halves} hidden`).text).not.toContain('hidden')
  })

  test('cleaning twice gives the same text', () => {
    const pieces = [
      '<',
      '>',
      '/',
      'private',
      'pri',
      'vate',
      ' ',
      '"',
      '=',
      '&lt;',
      '\\u003c',
      '%3c',
      '\\',
      '&',
      'x',
      '</private>',
      '<private>',
    ]
    let seed = 7
    const random = (below: number) => {
      seed = (seed * 48271) % 2147483647
      return seed % below
    }
    for (let i = 0; i < 5000; i++) {
      const text = Array.from({ length: 1 + random(14) }, () => pieces[random(pieces.length)]).join('')
      const once = withoutPrivate(text).text
      expect(withoutPrivate(once)).toEqual({ text: once, hidPrivate: false })
    }
  })

  test.each([
    '<private>',
    '<',
    '</private>',
    '<private ',
    '<private a="',
    '< private a ',
    '="< private z "',
    '<private/>x',
    '&lt;',
    '&amp;',
    '\\',
    '%25',
    '＜',
    '\u200b<',
    '<private>x</private>',
  ])('four times as much of %j takes about four times as long', (unit) => {
    expect(growth(withoutPrivate, unit.repeat(Math.ceil(100_000 / unit.length)))).toBeLessThan(LINEAR)
  })
})

describe('private parts of a JSON value', () => {
  test('are removed from every string and key, and the rest is the same', () => {
    const value = { 'k<private>1</private>': ['a<private>b</private>c', { d: '&lt;private&gt;e' }], n: 1, t: true, z: null }
    expect(withoutPrivateInJson<unknown>(value)).toEqual({ k: ['ac', { d: '' }], n: 1, t: true, z: null })
  })

  test('a tag left open in one field hides nothing in the next', () => {
    expect(withoutPrivateInJson({ prompt: 'a <private>b', cwd: '/src' })).toEqual({ prompt: 'a ', cwd: '/src' })
  })

  test('the strings of an array are one text', () => {
    expect(withoutPrivateInJson(['a', 'b <private>', 'hidden', 'hidden </private> c', 'd'])).toEqual(['a', 'b ', '', ' c', 'd'])
    expect(withoutPrivateInJson(['<private>', 'hidden', { other: 'e' }, 'hidden'])).toEqual(['', '', { other: 'e' }, ''])
    expect(withoutPrivateInJson(['hidden', 'hidden </private>', 'a'])).toEqual(['', '', 'a'])
    expect(withoutPrivateInJson(['a <priv', 'ate>b'])).toEqual(['a <priv', 'ate>b'])
  })

  test('the lines of a patch are one text without their signs', () => {
    const lines = [' a', '+<', '+private', '+>', '-hidden', '+hidden</', '+private>z', ' b']
    expect(withoutPrivateInJson({ structuredPatch: [{ oldStart: 1, lines }] })).toEqual({
      structuredPatch: [{ oldStart: 1, lines: [' a', '', '', '', '', '', '+z', ' b'] }],
    })
    const hunks = [{ lines: [' a', '+<private>'] }, { lines: [' hidden'] }]
    expect(withoutPrivateInJson({ structuredPatch: hunks })).toEqual({ structuredPatch: [{ lines: [' a', ''] }, { lines: [''] }] })
  })

  test('content blocks and cells are one text, in their order', () => {
    const blocks = [
      { type: 'text', text: 'a <private>' },
      { type: 'resource', resource: { uri: 'x:y', text: 'hidden' } },
      'hidden </private> b',
    ]
    expect(withoutPrivateInJson<unknown>(blocks)).toEqual([
      { type: 'text', text: 'a ' },
      { type: 'resource', resource: { uri: 'x:y', text: '' } },
      ' b',
    ])
    const cells = [
      { cell_type: 'code', source: ['<private>\n', 'hidden'] },
      { source: 'hidden</private>c', outputs: [{ text: ['d'] }] },
    ]
    expect(withoutPrivateInJson<unknown>(cells)).toEqual([
      { cell_type: 'code', source: ['', ''] },
      { source: 'c', outputs: [{ text: ['d'] }] },
    ])
  })

  test('calls of one batch are separate', () => {
    const calls = [
      { tool_name: 'Bash', tool_response: '<private>' },
      { tool_name: 'Bash', tool_response: 'kept' },
    ]
    expect(withoutPrivateInJson({ tool_calls: calls }).tool_calls[1]).toEqual({ tool_name: 'Bash', tool_response: 'kept' })
  })

  test('keep the order of keys and a key named __proto__', () => {
    const json = '{"b":1,"a":{"__proto__":{"x":"<private/>y"}},"c":[]}'
    expect(JSON.stringify(withoutPrivateInJson(JSON.parse(json)))).toBe(json.replace('<private/>', ''))
  })

  test('are found at a depth of 10,000', () => {
    let value: unknown = '<private>x</private>deep'
    for (let i = 0; i < 10_000; i++) value = i % 2 ? { in: value } : [value]
    let found = withoutPrivateInJson(value)
    while (typeof found === 'object' && found !== null) found = Object.values(found)[0]
    expect(found).toBe('deep')
  })
})
