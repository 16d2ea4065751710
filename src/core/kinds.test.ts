import { expect, test } from 'bun:test'
import { isMemoryId, KINDS, memoryId, memoryNamed } from './kinds.ts'

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
