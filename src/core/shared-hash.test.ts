import { expect, test } from 'bun:test'
import { sharedHash } from './shared-hash.ts'

test('the order of fields does not change the hash, their values do', () => {
  const hash = sharedHash({ title: 'a', tags: ['x', 'y'], nested: { b: 1, a: null } })
  expect(hash).toMatch(/^[0-9a-f]{64}$/)
  expect(sharedHash({ nested: { a: null, b: 1 }, tags: ['x', 'y'], title: 'a' })).toBe(hash)
  expect(sharedHash({ title: 'a', tags: ['y', 'x'], nested: { b: 1, a: null } })).not.toBe(hash)
  expect(sharedHash({ title: 'b', tags: ['x', 'y'], nested: { b: 1, a: null } })).not.toBe(hash)
})

test('a deleted memory has the hash that the hub computes in SQL', () => {
  expect(sharedHash(null)).toBe(new Bun.CryptoHasher('sha256').update('null').digest('hex'))
})
