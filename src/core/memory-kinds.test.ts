import { expect, test } from 'bun:test'
import { OBSERVATION_TYPES } from './memory.ts'
import { iconOf, isMemoryId, MEMORY_KINDS, memoryId, parseMemoryId, shortMemoryId } from './memory-kinds.ts'

test('a shown id is parsed back to its memory', () => {
  for (const kind of MEMORY_KINDS) expect(parseMemoryId(memoryId(kind, 12))).toEqual({ kind, ref: '12' })
})

test.each([
  ['12', { kind: 'observation', ref: '12' }],
  ['s3', { kind: 'summary', ref: '3' }],
  ['01ARZ3NDEKTSV4RRFFQ69G5FAV', { kind: 'note', ref: '01ARZ3NDEKTSV4RRFFQ69G5FAV' }],
  ['recollect://global/decisions/my-note', { kind: 'note', ref: 'my-note' }],
  ['C1A2b3c4', { kind: 'commit', ref: '1a2b3c4' }],
  ['C12', { kind: 'commit', ref: '12' }],
  ['Cache', null],
  ['login', null],
  ['#x', null],
] as const)('%s is parsed as an id or rejected', (id, parsed) => {
  expect(parseMemoryId(id)).toEqual(parsed)
})

test('a word that starts like a note id or looks like a hash is not an id in a search', () => {
  expect([isMemoryId('Nothing'), isMemoryId('Cdefaced'), isMemoryId('P7'), isMemoryId('N01ARZ3NDEKTSV4RRFFQ69G5FAV')]).toEqual([
    false,
    false,
    true,
    true,
  ])
})

test('every kind and type has its own icon, two columns wide', () => {
  const signs = [...OBSERVATION_TYPES.map((type) => iconOf('observation', type)), ...MEMORY_KINDS.slice(1).map((kind) => iconOf(kind, ''))]
  expect(new Set(signs).size).toBe(signs.length)
  expect(signs.filter((sign) => Bun.stringWidth(sign) !== 2)).toEqual([])
  expect(iconOf('observation', 'somebody’s own')).toBe(iconOf('observation', 'change'))
})

test('lists show eight letters of a note that tell it apart, and ids of other programs whole', () => {
  expect(shortMemoryId('note', '01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe('NTSV4RRFF')
  expect(shortMemoryId('note', '0000000000TSV4RRFFQ69G5FAV')).toBe('NTSV4RRFF')
  expect(shortMemoryId('note', 'adr-001')).toBe('Nadr-001')
  expect(shortMemoryId('prompt', 7)).toBe('P7')
  expect(['NTSV4RRFF', 'NEXTJS', 'Nextjs13', 'NUMPYARRAY'].map(isMemoryId)).toEqual([true, false, false, false])
})
