import { describe, expect, test } from 'bun:test'
import { growth, LINEAR } from '../../test/support/growth.ts'
import { NOT_PRIVATE, PRIVATE_FORMS } from '../../test/support/private-forms.ts'
import { withoutPrivate, withoutPrivateInJson } from './privacy.ts'

describe('private parts', () => {
  test.each(PRIVATE_FORMS)('%s', (_form, text, left) => {
    expect(withoutPrivate(text).text).toEqual(left)
  })

  test.each(NOT_PRIVATE)('%j is unchanged', (text) => {
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
