import { expect, test } from 'bun:test'
import { isMemoryId, KINDS, memoryId, memoryNamed, signOf } from './kinds.ts'
import { OBSERVATION_TYPES } from './memory.ts'

test('an id as it is shown means the memory it was shown for', () => {
  for (const kind of KINDS) expect(memoryNamed(memoryId(kind, 12))).toEqual({ kind, ref: '12' })
})

test.each([
  ['12', { kind: 'observation', ref: '12' }],
  ['s3', { kind: 'summary', ref: '3' }],
  ['01ARZ3NDEKTSV4RRFFQ69G5FAV', { kind: 'note', ref: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }],
  ['recollect://global/decisions/my-note', { kind: 'note', ref: 'my-note' }],
  ['login', null],
  ['#x', null],
] as const)('%s is read as the id that it is, or as none', (id, meant) => {
  expect(memoryNamed(id)).toEqual(meant)
})

test('a word that begins like the id of a note is a word to whoever may be asked in words', () => {
  expect([isMemoryId('Nothing'), isMemoryId('P7'), isMemoryId('N01ARZ3NDEKTSV4RRFFQ69G5FAV')]).toEqual([false, true, true])
})

test('every kind and type has a sign of its own, two columns wide', () => {
  const signs = [...OBSERVATION_TYPES.map((type) => signOf('observation', type)), ...KINDS.slice(1).map((kind) => signOf(kind, ''))]
  expect(new Set(signs).size).toBe(signs.length)
  expect(signs.filter((sign) => Bun.stringWidth(sign) !== 2)).toEqual([])
  expect(signOf('observation', 'somebody’s own')).toBe(signOf('observation', 'change'))
})
