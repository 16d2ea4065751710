import { expect, test } from 'bun:test'
import { measureSyntax } from './syntax.ts'

test('decision points are counted with those of inner functions', () => {
  const text = `
export function outer(a: number) {
  const inner = () => (a > 1 && a < 3 ? 1 : 2)
  for (const one of [1]) if (one) return inner()
  switch (a) { case 1: return 1; default: return 2 }
}`
  expect(measureSyntax('a.ts', text).functions).toEqual([
    { name: 'outer', line: 2, decisions: 5, hasReason: false },
    { name: 'inner', line: 3, decisions: 2, hasReason: false },
  ])
})

test('a comment above a function can give the reason for its decision points', () => {
  const text = '/** Decision points: one case for each instruction. */\nexport const run = (a: boolean) => (a ? 1 : 2)'
  expect(measureSyntax('a.ts', text).functions).toEqual([{ name: 'run', line: 2, decisions: 1, hasReason: true }])
})

test('types are listed wherever they are declared', () => {
  const text = 'export type A = 1\ntype B = 2\nexport interface C { a: 1 }\nfunction f() { type D = 3 }'
  expect(measureSyntax('a.ts', text).types.map(({ name, isExported }) => [name, isExported])).toEqual([
    ['A', true],
    ['B', false],
    ['C', true],
    ['D', false],
  ])
})

test.each([
  'JSON.parse(text) as Answer',
  '(JSON.parse(text) ?? {}) as { a?: number }',
  '(await response.json()) as Answer',
  '(await response.json().catch(() => ({}))) as Answer',
  'JSON.parse(text) as unknown as Answer',
  '(readJsonIfThere(path) ?? {}) as { pid?: number }',
])('a cast of a parsed value is found: %s', (code) => {
  expect(measureSyntax('a.ts', `const a = ${code}`).uncheckedCasts.length).toBeGreaterThan(0)
})

test.each(['JSON.parse(text)', 'JSON.parse(text) as unknown', "['a'] as const", 'text as SessionId', 'schema.parse(JSON.parse(text))'])(
  'other code is not reported: %s',
  (code) => {
    expect(measureSyntax('a.ts', `const a = ${code}`).uncheckedCasts).toEqual([])
  },
)

test.each([
  'const a: Answer = JSON.parse(text)',
  'const { a }: { a?: number } = JSON.parse(text)',
  'const { a } = JSON.parse(text)',
  'const [a] = await response.json()',
  'let a: number[] = JSON.parse(text) ?? []',
])('a declaration that claims a type for parsed text is found: %s', (code) => {
  expect(measureSyntax('a.ts', code).uncheckedDeclarations).toHaveLength(1)
})

test.each([
  'const a: unknown = JSON.parse(text)',
  'const { a } = jsonFields(JSON.parse(text))',
  'const a: Answer = Answer.parse(JSON.parse(text))',
])('a declaration that claims nothing is not reported: %s', (code) => {
  expect(measureSyntax('a.ts', code).uncheckedDeclarations).toEqual([])
})
