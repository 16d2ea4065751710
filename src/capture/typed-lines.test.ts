import { expect, test } from 'bun:test'
import { findTypedLines } from './typed-lines.ts'

const typed = (text: string) => {
  const lines = text.split('\n')
  return lines.filter((_, row) => findTypedLines(lines)[row])
}

test('code between fences, quotes, checklists and indented blocks were pasted', () => {
  expect(typed('look:\n```\ncode\n```\nafter')).toEqual(['look:', 'after'])
  expect(typed('> quoted\n- [ ] a task\n- a point')).toEqual(['- a point'])
  expect(typed('look:\n\n    code\n\nafter')).toEqual(['look:', '', '', 'after'])
})

test('a fence ends only with a fence of its own kind', () => {
  expect(typed('```\ncode\n~~~\nstill code\n```\nafter')).toEqual(['after'])
  expect(typed('````\n```\nstill code\n````\nafter')).toEqual(['after'])
})

test('an indented point or a line that goes on is no code', () => {
  expect(typed('- a point\n    - a point of it\nand\n    more')).toHaveLength(4)
})
