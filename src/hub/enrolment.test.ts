import { expect, test } from 'bun:test'
import { newCode, normalCode, sha256Hex } from './enrolment.ts'

test('a code has five groups of letters that are hard to confuse', () => {
  const codes = Array.from({ length: 50 }, newCode)
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(?:-[0-9A-HJKMNP-TV-Z]{4}){4}$/)
  expect(new Set(codes).size).toBe(50)
})

test('a code is understood however it was typed', () => {
  expect(normalCode(' o1ab-il2c ')).toBe('01AB112C')
  const code = newCode()
  expect(normalCode(code.toLowerCase().replaceAll('-', ' '))).toBe(code.replaceAll('-', ''))
})

test('of a code or token, the hub keeps the SHA-256', () => {
  expect(sha256Hex('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})
