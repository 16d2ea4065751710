import { expect, test } from 'bun:test'
import { replaceBetweenMarks, searchTable } from '../../eval/table.ts'

test('replacing the text between the marks leaves the rest unchanged and can be repeated', () => {
  const once = replaceBetweenMarks('before\n<!-- eval -->\nold\n<!-- /eval -->\nafter\n', 'new')
  expect(once).toBe('before\n<!-- eval -->\nnew\n<!-- /eval -->\nafter\n')
  expect(replaceBetweenMarks(once, 'new')).toBe(once)
})

test('a page without the marks is rejected', () => {
  expect(() => replaceBetweenMarks('nothing here', 'new')).toThrow('<!-- eval -->')
  expect(() => replaceBetweenMarks('<!-- /eval --> <!-- eval -->', 'new')).toThrow('<!-- eval -->')
})

test('shares are printed as percentages', () => {
  const result = { questions: 8, mrr: 0.5, 'frac@1': 0, 'any@1': 0, 'frac@5': 0.5, 'any@5': 0.75, 'frac@10': 0.625, 'any@10': 1 }
  expect(searchTable([['Set', 'plain', result]]).split('\n')[2]).toBe('| Set | plain | 50.0 | 75.0 | 62.5 | 100.0 | 0.500 | 8 |')
})
