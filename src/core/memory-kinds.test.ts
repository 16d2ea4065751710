import { expect, test } from 'bun:test'
import { OBSERVATION_TYPES } from './memory.ts'
import { iconOf, isMemoryId, MEMORY_KINDS, memoryId, parseMemoryId } from './memory-kinds.ts'

test('an id as it is shown means the memory it was shown for', () => {
  for (const kind of MEMORY_KINDS) expect(parseMemoryId(memoryId(kind, 12))).toEqual({ kind, ref: '12' })
})

test.each([
  ['12', { kind: 'observation', ref: '12' }],
  ['s3', { kind: 'summary', ref: '3' }],
  ['01ARZ3NDEKTSV4RRFFQ69G5FAV', { kind: 'note', ref: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }],
  ['recollect://global/decisions/my-note', { kind: 'note', ref: 'my-note' }],
  ['login', null],
  ['#x', null],
] as const)('%s is read as the id that it is, or as none', (id, meant) => {
  expect(parseMemoryId(id)).toEqual(meant)
})

test('a word that begins like the id of a note is a word to whoever may be asked in words', () => {
  expect([isMemoryId('Nothing'), isMemoryId('P7'), isMemoryId('N01ARZ3NDEKTSV4RRFFQ69G5FAV')]).toEqual([false, true, true])
})

test('every kind and type has a sign of its own, two columns wide', () => {
  const signs = [...OBSERVATION_TYPES.map((type) => iconOf('observation', type)), ...MEMORY_KINDS.slice(1).map((kind) => iconOf(kind, ''))]
  expect(new Set(signs).size).toBe(signs.length)
  expect(signs.filter((sign) => Bun.stringWidth(sign) !== 2)).toEqual([])
  expect(iconOf('observation', 'somebody’s own')).toBe(iconOf('observation', 'change'))
})
