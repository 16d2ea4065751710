import { expect, test } from 'bun:test'
import { openWordPieceTokenizer, splitIdentifiers } from './word-pieces.ts'

const VOCABULARY = ['[UNK]', 'get', '##user', '##name', 'user', 'cafe', '.', '-', '山', '(', ')', 'a', '##b', 'don', "'", 't', '$', '▁x']
const LINES = `${VOCABULARY.join('\n')}\n`
const piecesOf = (text: string) => openWordPieceTokenizer(LINES)(text).map((piece) => VOCABULARY[piece])

test('a word is built from the longest known pieces', () => {
  expect(piecesOf('getUserName')).toEqual(['get', '##user', '##name'])
  expect(piecesOf('user.getUser()')).toEqual(['user', '.', 'get', '##user', '(', ')'])
})

test('case and accents do not matter', () => {
  expect(piecesOf('CAFÉ Cafe\u0301')).toEqual(['cafe', 'cafe'])
})

test('punctuation, symbols and Chinese characters are words of their own', () => {
  expect(piecesOf("don't $a 山a山")).toEqual(['don', "'", 't', '$', 'a', 'a'])
})

test('a word that the vocabulary can only spell letter by letter is unknown, except in English', () => {
  const vocabulary = ['[UNK]', 'о', '##ш', '##и', '##бка', 'a', '##b', '##c', 'łodz']
  const pieces = openWordPieceTokenizer(vocabulary.join('\n'), 0)
  expect(pieces('оши abc łodz')).toEqual([0, 5, 6, 7, 8])
  expect(pieces('ошибка')).toEqual([1, 2, 3, 4])
})

test('words that cannot be built from pieces, and blobs, are left out', () => {
  expect(piecesOf('user zebra get')).toEqual(['user', 'get'])
  expect(piecesOf(`user a${'b'.repeat(120)}`)).toEqual(['user'])
})

test('with a piece for unknown words, each such word becomes that piece', () => {
  expect(openWordPieceTokenizer(LINES, 0)(`user zebra a${'b'.repeat(120)} get`)).toEqual([4, 0, 0, 1])
})

test('control characters inside a word are removed; line ends separate words', () => {
  expect(piecesOf('us\u200ber\u0000\nget\tget')).toEqual(['user', 'get', 'get'])
})

test('only the first 512 pieces of a long text are used', () => {
  expect(openWordPieceTokenizer(LINES)('user '.repeat(2000))).toHaveLength(512)
})

test('identifiers are split into their words', () => {
  expect(splitIdentifiers('getUserName parseJSONFile v2Api plain TEXT')).toBe('get User Name parse JSON File v2 Api plain TEXT')
})
