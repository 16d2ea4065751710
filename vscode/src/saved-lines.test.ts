import { expect, test } from 'bun:test'
import { savedLines } from './saved-lines.ts'

const SAVED = 'a\nb\nc\nd\n'

test('lines above a change stay, and lines below it move', () => {
  const { toSaved, toEditor } = savedLines(SAVED, 'a\nnew\nnew\nb\nc\nd\n')
  expect([1, 4, 6].map(toSaved)).toEqual([1, 2, 4])
  expect([1, 2, 4].map(toEditor)).toEqual([1, 4, 6])
})

test('a line that was changed or removed is not in the editor; one that was added is beside another', () => {
  const { toSaved, toEditor } = savedLines(SAVED, 'a\nB\nd\n')
  expect([2, 3, 4].map(toEditor)).toEqual([null, null, 3])
  expect(toSaved(2)).toBe(2)
  expect(savedLines('', 'x\ny').toSaved(2)).toBe(1)
})

test('without changes, every line is where it was, whatever ends the lines', () => {
  const { toSaved, toEditor } = savedLines(SAVED, SAVED.replaceAll('\n', '\r\n'))
  expect([1, 4, 5].map(toSaved)).toEqual([1, 4, 5])
  expect([1, 4, 5].map(toEditor)).toEqual([1, 4, 5])
})
