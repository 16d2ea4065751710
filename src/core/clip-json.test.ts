import { expect, test } from 'bun:test'
import { clipJson } from './clip-json.ts'

test('a value that fits is returned as plain JSON', () => {
  for (const value of [null, 0, 'text', [], {}, { a: [1, { b: 'c' }] }]) expect(clipJson(value, 100)).toBe(JSON.stringify(value))
})

test('undefined becomes null', () => {
  expect(clipJson(undefined, 100)).toBe('null')
})

test('a long string loses its middle and says so; its neighbours stay', () => {
  const clipped = JSON.parse(clipJson({ stdout: `first ${'x'.repeat(10_000)} last`, code: 1 }, 1000)) as { stdout: string; code: number }
  expect(clipped.code).toBe(1)
  expect(clipped.stdout).toStartWith('first')
  expect(clipped.stdout).toEndWith('last')
  expect(clipped.stdout).toContain('characters left out')
})

test('a long list keeps its first items and counts the rest', () => {
  const clipped = JSON.parse(
    clipJson(
      Array.from({ length: 5000 }, (_, i) => i),
      500,
    ),
  ) as unknown[]
  expect(clipped.slice(0, 3)).toEqual([0, 1, 2])
  expect(clipped.at(-1)).toMatch(/^… \d+ more …$/)
})

const wide = (depth: number): unknown => (depth === 0 ? 'leaf'.repeat(20) : Array.from({ length: 5 }, () => wide(depth - 1)))
const manyKeys = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`key ${i} ${'k'.repeat(300)}`, 'v'.repeat(100)]))

test.each<[string, unknown]>([
  ['a tree with many branches', wide(6)],
  ['thousands of long keys', manyKeys],
  ['one long string of quotes', '"'.repeat(50_000)],
  ['quotes in every leaf', Array.from({ length: 3000 }, () => ({ say: '"\\"'.repeat(30) }))],
  ['lone surrogates', '\ud83d'.repeat(20_000)],
  ['surrogate pairs', '😀'.repeat(20_000)],
])('%s stays valid JSON of about the given size', (_, value) => {
  for (const max of [200, 2000, 20_000]) {
    const text = clipJson(value, max)
    expect(() => JSON.parse(text)).not.toThrow()
    expect(text.length).toBeLessThanOrEqual(max * 2)
  }
})

test('a deeply nested value is cut at the depth limit, and its neighbours stay', () => {
  let deep: unknown = 'bottom'
  for (let i = 0; i < 20_000; i++) deep = [deep]
  const text = clipJson({ deep, beside: 'kept' }, 1000)
  expect(JSON.parse(text)).toMatchObject({ beside: 'kept' })
  expect(text).not.toContain('bottom')
})

test('a key named __proto__ is kept like any other key', () => {
  const text = clipJson(JSON.parse(`{"__proto__":{"polluted":true},"long":"${'x'.repeat(500)}"}`), 200)
  expect(text).toContain('polluted')
  expect({}).not.toHaveProperty('polluted')
})
