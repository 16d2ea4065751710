import { expect, test } from 'bun:test'
import { fingerprint, keyedFingerprint } from './hash.ts'

test('a fingerprint is the start of the SHA-256 of the text', () => {
  expect(fingerprint('abc')).toBe('ba7816bf8f01cfea')
  expect(fingerprint('abc', 64)).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
})

test('a keyed fingerprint is the start of the HMAC, so a stored one is recognized by every later version', () => {
  expect(keyedFingerprint('key', 'The quick brown fox jumps over the lazy dog')).toBe('f7bc83f430538424b13298e6aa6fb143')
})
