import { expect, test } from 'bun:test'
import { applyMutant, mutantsOf } from './mutants.ts'

const mutated = (text: string) => mutantsOf('file.ts', text).map((mutant) => applyMutant(text, mutant))

test('operators, conditions and branches are changed one at a time', () => {
  expect(mutated('export const a = b < c')).toEqual(['export const a = b <= c'])
  expect(mutated('export const a = b ? c : d')).toEqual(['export const a = b ? d : c'])
  expect(mutated('if (a) b()')).toEqual(['if (!(a)) b()', 'if (a) ;'])
  expect(mutated('export const a = !b && c')).toEqual(['export const a = b && c', 'export const a = !b || c'])
})

test('values are changed: numbers, texts, booleans, and what is returned', () => {
  expect(mutated("export const a = [1, 'x', true, '']")).toEqual([
    "export const a = [2, 'x', true, '']",
    "export const a = [1, '', true, '']",
    "export const a = [1, 'x', false, '']",
  ])
  expect(mutated('const f = () => { return a }')).toEqual(['const f = () => { return undefined as never }'])
})

test('calls are removed or exchanged for their opposite', () => {
  expect(mutated('export const a = b.filter(c)')).toEqual(['export const a = b'])
  expect(mutated('export const a = b.some(c)')).toEqual(['export const a = b.every(c)'])
})

test('imports, types, keys, log lines and the texts of errors are left alone', () => {
  expect(mutated("import a from 'b'\nexport type C = 'd' | 1\nexport const e: 'f' | 2 = g as 'f'\nexport * from './h.ts'")).toEqual([])
  expect(mutated("const a = () => { throw new Error('no ' + 1) }")).toEqual([])
  expect(mutated("export const a = () => services.log.warn('failed', { n: 1 })")).toEqual([])
  expect(mutated("export const a = { 'b': c }")).toEqual([])
})

test('a mutant knows its line and what it replaces', () => {
  expect(mutantsOf('file.ts', 'const a = 1\nconst b = c === d')).toMatchObject([
    { line: 1, what: 'number', before: '1', after: '2' },
    { line: 2, what: 'operator', before: 'c === d', after: 'c !== d' },
  ])
})
