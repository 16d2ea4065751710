import { expect, test } from 'bun:test'
import { processorTime } from '../../test/support/growth.ts'
import { changedParts } from './changed-parts.ts'

const lines = (count: number, change: (line: number) => string = (line) => `line ${line}`) =>
  Array.from({ length: count }, (_, line) => change(line)).join('\n')

test('a changed line comes with the lines around it, in both texts', () => {
  const before = lines(40)
  const after = lines(40, (line) => (line === 20 ? 'changed' : `line ${line}`))
  const [part, ...more] = changedParts(before, after)
  expect(more).toEqual([])
  expect(part?.before.split('\n')).toEqual(before.split('\n').slice(8, 24))
  expect(part?.after).toBe(part?.before.replace('line 20', 'changed') ?? '')
})

test('changes far apart are separate parts, changes close together are one', () => {
  const at = (...changed: number[]) => lines(100, (line) => (changed.includes(line) ? 'changed' : `line ${line}`))
  expect(changedParts(lines(100), at(10, 80))).toHaveLength(2)
  expect(changedParts(lines(100), at(10, 14))).toHaveLength(1)
})

test('lines that were added or removed are a part, also at the ends', () => {
  expect(changedParts('b', 'a\nb')).toEqual([{ before: 'b', after: 'a\nb' }])
  expect(changedParts('a\nb', 'b')).toEqual([{ before: 'a\nb', after: 'b' }])
  expect(changedParts('', 'a')).toEqual([{ before: '', after: 'a' }])
})

test('equal texts, and white space at the ends of lines, are no change', () => {
  expect(changedParts(lines(5), lines(5))).toEqual([])
  expect(changedParts('a\nb', 'a  \r\nb')).toEqual([])
})

test('a text that changed in many places is one part', () => {
  const after = lines(200, (line) => (line % 20 === 0 ? 'changed' : `line ${line}`))
  const parts = changedParts(lines(200), after)
  expect(parts).toHaveLength(1)
  expect(parts[0]?.after).toContain('changed\nline 181')
})

test('the parts put together give the new text', () => {
  const before = lines(60)
  const after = ['first', ...before.split('\n').filter((line) => line !== 'line 30'), 'last'].join('\n')
  let text = before
  for (const part of changedParts(before, after)) text = text.replace(part.before, part.after)
  expect(text).toBe(after)
})

test('two long texts without a common line are compared quickly', () => {
  const used = processorTime()
  expect(
    changedParts(
      lines(8000),
      lines(8000, (line) => `other ${line}`),
    ),
  ).toHaveLength(1)
  expect(used()).toBeLessThan(500)
})
