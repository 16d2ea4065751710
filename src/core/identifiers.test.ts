import { expect, test } from 'bun:test'
import { characterPairsIn, identifiersIn, withIdentifierWords, wordsInIdentifier } from './identifiers.ts'

test('an identifier is split into its words', () => {
  expect(wordsInIdentifier('getUserName2')).toEqual(['get', 'user', 'name', '2'])
  expect(wordsInIdentifier('HTTPServer')).toEqual(['http', 'server'])
  expect(wordsInIdentifier('src/auth/token_store.ts')).toEqual(['src', 'auth', 'token', 'store', 'ts'])
})

test('words that look like code are found, ordinary words are not', () => {
  expect(identifiersIn('Then isValid in src/auth.ts and token_budget failed, sadly.')).toEqual(['isValid', 'src/auth.ts', 'token_budget'])
})

test('scripts without spaces are indexed two characters at a time', () => {
  expect(characterPairsIn('数据库')).toEqual(['数据', '据库', '库'])
  expect(characterPairsIn('no such script')).toEqual([])
})

test('a text without identifiers is unchanged', () => {
  expect(withIdentifierWords('plain words only')).toBe('plain words only')
  expect(withIdentifierWords('isValid')).toBe('isValid is valid')
})
