import { expect, test } from 'bun:test'
import { identifiersIn, pairsIn, partsOf, withHiddenWords } from './identifiers.ts'

test('an identifier falls into the words it is made of', () => {
  expect(partsOf('getUserName2')).toEqual(['get', 'user', 'name', '2'])
  expect(partsOf('HTTPServer')).toEqual(['http', 'server'])
  expect(partsOf('src/auth/token_store.ts')).toEqual(['src', 'auth', 'token', 'store', 'ts'])
})

test('what looks like code is found, ordinary words are not', () => {
  expect(identifiersIn('Then isValid in src/auth.ts and token_budget failed, sadly.')).toEqual(['isValid', 'src/auth.ts', 'token_budget'])
})

test('scripts without spaces are indexed two characters at a time', () => {
  expect(pairsIn('数据库')).toEqual(['数据', '据库', '库'])
  expect(pairsIn('no such script')).toEqual([])
})

test('a text without hidden words is left as it is', () => {
  expect(withHiddenWords('plain words only')).toBe('plain words only')
  expect(withHiddenWords('isValid')).toBe('isValid is valid')
})
