import { expect, test } from 'bun:test'
import { cleanJson, cleanJsonText, cleanText } from './clean-text.ts'

const TOKEN = `ghp_${'a1B2'.repeat(9)}`
const builtIn = { redactPatterns: [] }

test('a cleaned text has neither private parts nor secrets', () => {
  expect(cleanText(`use ${TOKEN} <private>for the demo</private>`, builtIn)).toEqual({
    text: 'use [redacted:github-token] ',
    hidPrivate: true,
  })
  expect(cleanText('nothing to hide', builtIn)).toEqual({ text: 'nothing to hide', hidPrivate: false })
})

test('redaction applies the own patterns of a person, and can be switched off', () => {
  expect(cleanText('ticket ACME-42', { redactPatterns: [/ACME-\d+/g] }).text).toBe('ticket [redacted:custom]')
  expect(cleanText(`use ${TOKEN} <private>x</private>`, { redactPatterns: null }).text).toBe(`use ${TOKEN} `)
})

test('clipping comes last, so it can neither open a private part nor leave half a secret', () => {
  const filler = 'word '.repeat(100)
  const { text } = cleanText(`  ${filler}<private>${filler}</private>${TOKEN}  `, builtIn, 200)
  expect(text.length).toBeLessThanOrEqual(200)
  expect(text).toStartWith('word')
  expect(text).toEndWith('[redacted:github-token]')
})

test('a JSON value is cleaned in every string, and can record that a private part was removed', () => {
  const value = { note: 'a <private>b</private>', password: 'hunter2', list: [TOKEN, 3] }
  expect(cleanJson(value, builtIn)).toEqual({ note: 'a ', password: '[redacted:password]', list: ['[redacted:github-token]', 3] })
  expect(cleanJson(value, builtIn, { markPrivate: true }).note).toBe('a <private/>')
})

test('clipped JSON text is still JSON', () => {
  const text = cleanJsonText({ output: 'line\n'.repeat(1000), hidden: '<private>x</private>' }, builtIn, 400)
  expect(text.length).toBeLessThanOrEqual(400)
  expect(JSON.parse(text).hidden).toBe('')
})

test('a key or a private part that is spread over the items of an array leaves no line', () => {
  const dashes = '-'.repeat(5)
  const body = ['MIIEpAIBAAKCAQEA7bq3Fzkp1a2b3c4d5e6f7g8h', 'q9w8e7r6t5y4u3i2o1p0a9s8d7f6g5h4j3k2l1zx']
  const key = [`${dashes}BEGIN RSA PRIVATE KEY${dashes}`, ...body, `${dashes}END RSA PRIVATE KEY${dashes}`]
  for (const sign of ['+', '-', ' ']) {
    const lines = key.map((line) => sign + line)
    const cleaned = cleanJson({ structuredPatch: [{ lines: [' before', ...lines, ' after'] }] }, builtIn)
    expect(cleaned.structuredPatch[0]?.lines).toEqual([
      ' before',
      `${sign}${dashes}BEGIN RSA PRIVATE KEY${dashes}[redacted:private-key]`,
      '',
      '',
      '',
      ' after',
    ])
    const text = cleanText(lines.join('\n'), builtIn).text
    for (const line of body) expect(text).not.toContain(line)
  }
})
