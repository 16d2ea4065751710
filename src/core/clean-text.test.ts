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
