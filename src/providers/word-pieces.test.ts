import { expect, test } from 'bun:test'
import { openWordPieceTokenizer, splitIdentifiers } from './word-pieces.ts'

const VOCABULARY = ['[UNK]', 'get', '##user', '##name', 'user', 'cafe', '.', '-', '山', '(', ')', 'a', '##b', 'don', "'", 't', '$', '▁x']
const LINES = `${VOCABULARY.join('\n')}\n`
const spelt = (text: string) => openWordPieceTokenizer(LINES)(text).map((piece) => VOCABULARY[piece])

test('a word is spelt with the longest known pieces', () => {
  expect(spelt('getUserName')).toEqual(['get', '##user', '##name'])
  expect(spelt('user.getUser()')).toEqual(['user', '.', 'get', '##user', '(', ')'])
})

test('case and accents do not matter', () => {
  expect(spelt('CAFÉ Cafe\u0301')).toEqual(['cafe', 'cafe'])
})

test('punctuation, signs and Chinese characters stand alone', () => {
  expect(spelt("don't $a 山a山")).toEqual(['don', "'", 't', '$', 'a', '山', 'a', '山'])
})

test('a word that cannot be spelt is left out, and so is a blob', () => {
  expect(spelt('user zebra get')).toEqual(['user', 'get'])
  expect(spelt(`user a${'b'.repeat(120)}`)).toEqual(['user'])
})

test('where a piece stands for the unknown, each such word is one', () => {
  expect(openWordPieceTokenizer(LINES, 0)(`user zebra a${'b'.repeat(120)} get`)).toEqual([4, 0, 0, 1])
})

test('control characters vanish inside a word, line ends separate', () => {
  expect(spelt('us\u200ber\u0000\nget\tget')).toEqual(['user', 'get', 'get'])
})

test('a very long text counts as far as its first 512 pieces', () => {
  expect(openWordPieceTokenizer(LINES)('user '.repeat(2000))).toHaveLength(512)
})

test('the words inside an identifier come apart', () => {
  expect(splitIdentifiers('getUserName parseJSONFile v2Api plain TEXT')).toBe('get User Name parse JSON File v2 Api plain TEXT')
})
