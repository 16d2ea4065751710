import { expect, test } from 'bun:test'
import { between, searchTable } from '../../eval/table.ts'

test('the table goes between the marks and leaves the rest alone, however often it is written', () => {
  const once = between('before\n<!-- eval -->\nold\n<!-- /eval -->\nafter\n', 'new')
  expect(once).toBe('before\n<!-- eval -->\nnew\n<!-- /eval -->\nafter\n')
  expect(between(once, 'new')).toBe(once)
})

test('a text without the marks is refused', () => {
  expect(() => between('nothing here', 'new')).toThrow('<!-- eval -->')
  expect(() => between('<!-- /eval --> <!-- eval -->', 'new')).toThrow('<!-- eval -->')
})

test('shares are written as percent', () => {
  const result = { questions: 8, mrr: 0.5, 'frac@1': 0, 'any@1': 0, 'frac@5': 0.5, 'any@5': 0.75, 'frac@10': 0.625, 'any@10': 1 }
  expect(searchTable([['Set', 'plain', result]]).split('\n')[2]).toBe('| Set | plain | 50.0 | 75.0 | 62.5 | 100.0 | 0.500 | 8 |')
})
