import { expect, test } from 'bun:test'
import { splitMark } from './marked-title.ts'

test('the mark in front of a title becomes a mark of its own', () => {
  expect(splitMark('[undone by P7] Cache the table')).toEqual({ title: 'Cache the table', mark: { kind: 'undone', words: 'undone by P7' } })
})

test('other brackets in front of a title stay', () => {
  expect(splitMark('[decision] Cache the table')).toEqual({ title: '[decision] Cache the table', mark: null })
})
