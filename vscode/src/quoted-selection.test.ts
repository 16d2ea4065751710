import { expect, test } from 'bun:test'
import { cleanText } from '../../src/core/clean-text.ts'
import { quotedSelection } from './quoted-selection.ts'

const clean = (text: string) => cleanText(text, { redactPatterns: [] }).text
const KEY = 'sk-ant-api03-Zq7Yt2Wm9Kx4Lp8Rv1Nb6Hc3Jd5Fg0SaQeUiOoPpAaSsDdFfGgHhJjKkLlZzXxCcVvBbNnMm12-AbCdEfAA'
const quote = (whole: string, text: string) =>
  quotedSelection(clean, whole, { text, path: 'a.ts', firstLine: 1, lastLine: 2, language: 'typescript' })

test('a selection is quoted with its place', () => {
  expect(quote('const a = 1\nconst b = 2\n', 'const a = 1\n')).toBe('a.ts:1-2\n\n```typescript\nconst a = 1\n```')
})

test('a selection inside a private part, or of nothing else, is left out', () => {
  const whole = 'const a = 1\n// <private>\n// heron nest\n// </private>\n'
  expect(quote(whole, '// heron nest')).toBe('')
  expect(quote(whole, '<private>\n// heron nest\n// </private>')).toBe('')
})

test('a secret at the place where a long selection is cut is removed before it is cut', () => {
  const whole = `${'x = 1;\n'.repeat(567)}const key = "${KEY}"\n`
  expect(whole.indexOf(KEY)).toBeLessThan(4000)
  expect(quote(whole, whole)).not.toContain('sk-ant-api03-Zq7')
})

test('code with a fence of its own stays inside the quotation', () => {
  expect(quote('```sh\nls\n```', '```sh\nls\n```')).toBe('a.ts:1-2\n\n````typescript\n```sh\nls\n```\n````')
})
