import { expect, test } from 'bun:test'
import { processorTime } from '../../test/support/growth.ts'
import { diffLines } from './diff.ts'

const diff = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${{ same: ' ', removed: '-', added: '+' }[kind]}${text}`)

test('changed lines appear between the unchanged ones', () => {
  expect(diff('a\nb\nc\nd', 'a\nx\nc\nd\ne')).toEqual([' a', '-b', '+x', ' c', ' d', '+e'])
  expect(diff('a', 'a')).toEqual([' a'])
  expect(diff('', 'a')).toEqual(['-', '+a'])
})

test('a line that moved is removed in one place and added in the other', () => {
  expect(diff('a\nb\nc', 'b\nc\na')).toEqual(['-a', ' b', ' c', '+a'])
})

test('one changed line of a very long text is shown as one', () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n}`)
  const changed = diff(lines.join('\n'), lines.with(10_000, 'changed').join('\n')).filter((line) => !line.startsWith(' '))
  expect(changed).toEqual(['-line 10000', '+changed'])
})

test('two long texts without a common line are compared quickly', () => {
  const [a, b] = ['a', 'b'].map((letter) => Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`).join('\n'))
  const used = processorTime()
  expect(diffLines(a as string, b as string)).toHaveLength(40_000)
  expect(used()).toBeLessThan(1000)
})
