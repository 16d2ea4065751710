import { expect, test } from 'bun:test'
import { processorTime } from '../../test/support/growth.ts'
import { diffLines } from './diff.ts'

const shown = (before: string, after: string) =>
  diffLines(before, after).map(({ kind, text }) => `${{ same: ' ', gone: '-', new: '+' }[kind]}${text}`)

test('what changed stands between what stayed', () => {
  expect(shown('a\nb\nc\nd', 'a\nx\nc\nd\ne')).toEqual([' a', '-b', '+x', ' c', ' d', '+e'])
  expect(shown('a', 'a')).toEqual([' a'])
  expect(shown('', 'a')).toEqual(['-', '+a'])
})

test('a line that moved is gone in one place and new in the other', () => {
  expect(shown('a\nb\nc', 'b\nc\na')).toEqual(['-a', ' b', ' c', '+a'])
})

test('two long texts that share nothing do not take forever', () => {
  const [a, b] = ['a', 'b'].map((letter) => Array.from({ length: 20_000 }, (_, i) => `${letter}${i}`).join('\n'))
  const used = processorTime()
  expect(diffLines(a as string, b as string)).toHaveLength(40_000)
  expect(used()).toBeLessThan(1000)
})
