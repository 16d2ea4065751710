import { expect, test } from 'bun:test'
import { openCodeIndex, signBits, wordsPerCode } from './bit-codes.ts'

/** Pseudo-random numbers, the same on every run. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    yield state / 2 ** 32 - 0.5
  }
}

function vectors(count: number, dimensions: number): Float32Array[] {
  const source = numbers(count + dimensions)
  return Array.from({ length: count }, () => Float32Array.from({ length: dimensions }, () => source.next().value ?? 0))
}

const difference = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, d) => sum + Number(value > 0 !== (b[d] ?? 0) > 0), 0)

test.each([4, 64, 100, 128, 256, 1536])('the kernel finds the codes with the fewest differing bits, %d wide', (dimensions) => {
  const all = vectors(9000, dimensions)
  const codes = openCodeIndex(dimensions)
  const lists = [codes.newList(), codes.newList()] as const
  for (const [id, vector] of all.entries()) lists[id % 3 === 0 ? 0 : 1].add(id, signBits(vector))
  const [question = new Float32Array(dimensions)] = vectors(1, dimensions)
  const distances = all.map((vector) => difference(vector, question))
  const furthestWanted = distances.toSorted((a, b) => a - b)[49] ?? 0

  const found = codes.nearest([...lists], question, { alike: 50, wanted: 50 }).map(({ id }) => id)
  expect(found).toHaveLength(50)
  expect(found.every((id) => (distances[id] ?? 0) <= furthestWanted)).toBe(true)
  expect(codes.nearest([lists[0]], question, { alike: 50, wanted: 50 }).every(({ id }) => id % 3 === 0)).toBe(true)
})

test.each([4, 100, 256])('of those codes, the nearest agree with the query in its largest dimensions, %d wide', (dimensions) => {
  const all = vectors(500, dimensions)
  const codes = openCodeIndex(dimensions)
  const lists = [codes.newList(), codes.newList()] as const
  for (const [id, vector] of all.entries()) lists[id % 3 === 0 ? 0 : 1].add(id, signBits(vector))
  const [question = new Float32Array(dimensions)] = vectors(1, dimensions)
  const agreement = all.map((vector) => vector.reduce((sum, value, d) => sum + (value > 0 ? (question[d] ?? 0) : 0), 0))
  const best = (ids: number[]) => ids.toSorted((a, b) => (agreement[b] ?? 0) - (agreement[a] ?? 0)).slice(0, 10)
  const strength = (ids: number[]) => ids.map((id) => (agreement[id] ?? 0).toFixed(3)).sort()

  const found = (alike: number, wanted: number) => codes.nearest([...lists], question, { alike, wanted }).map(({ id }) => id)
  expect(strength(found(500, 10))).toEqual(strength(best([...all.keys()])))
  expect(strength(found(50, 10))).toEqual(strength(best(found(50, 50))))
})

test('asking for more codes than exist returns all', () => {
  const codes = openCodeIndex(64)
  const list = codes.newList()
  const found = () => codes.nearest([list], new Float32Array(64), { alike: 10, wanted: 10 })
  expect(found()).toEqual([])
  for (const [id, vector] of vectors(7, 64).entries()) list.add(id, signBits(vector))
  expect(found()).toHaveLength(7)
})

test('removed codes are not found, the others are', () => {
  const codes = openCodeIndex(128)
  const list = codes.newList()
  const all = vectors(5000, 128)
  for (const [id, vector] of all.entries()) list.add(id, signBits(vector))
  for (const place of [4999, 4097, 10]) list.removeAt(place)
  const nearestTo = (id: number) => codes.nearest([list], all[id] as Float32Array, { alike: 1, wanted: 1 })[0]?.id
  for (const id of [10, 4097, 4999]) expect(nearestTo(id)).not.toBe(id)
  expect([nearestTo(0), nearestTo(4996), nearestTo(4998)]).toEqual([0, 4996, 4998])
})

test.each([1, 7, 8, 9, 4095, 4097])('each of %d codes is counted once, whether or not the last eight are complete', (count) => {
  const codes = openCodeIndex(4)
  const list = codes.newList()
  for (let id = 0; id < count; id++) list.add(id, signBits([1, 1, 1, 1]))
  const found = () => codes.nearest([list], Float32Array.of(1, 1, 1, 1), { alike: count, wanted: count }).map(({ place }) => place)
  expect(found()).toEqual([...Array(count).keys()])
  list.removeAt(0)
  expect(found()).toEqual([...Array(count - 1).keys()])
})

test.each([128, 3968, 4096, 8192])('a code with all bits different is the furthest, %d wide', (dimensions) => {
  const codes = openCodeIndex(dimensions)
  const list = codes.newList()
  const [same, other] = [new Float32Array(dimensions).fill(1), new Float32Array(dimensions).fill(-1)]
  for (const [id, vector] of [other, same, other].entries()) list.add(id, signBits(vector))
  expect(codes.nearest([list], same, { alike: 1, wanted: 1 }).map(({ id }) => id)).toEqual([1])
})

test('the length of a code is a multiple of 128 bits', () => {
  expect([4, 128, 129, 384].map(wordsPerCode)).toEqual([4, 4, 8, 12])
  expect(signBits([1, -1, 0, 2])).toEqual(Uint32Array.of(0b1001, 0, 0, 0))
})
