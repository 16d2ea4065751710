import { expect, test } from 'bun:test'
import { growth, LINEAR } from '../../test/support/growth.ts'
import { wordsInIdentifier } from '../core/identifiers.ts'
import {
  asksForLatest,
  distinctiveWordsOf,
  identifiersOf,
  isAboutRecentWork,
  isFile,
  isForeignLanguage,
  isUnspacedScript,
  queryWords,
} from './query-words.ts'

test('the distinctive words of a query are kept, each once, in lower case', () => {
  expect(queryWords('Why does the Login test fail, and which LOGIN?')).toEqual(['login', 'test', 'fail'])
})

test('a query of common words keeps them, unless filters say enough', () => {
  expect(queryWords('what was it')).toEqual(['what', 'was', 'it'])
  expect(queryWords('a')).toEqual(['a'])
  expect(distinctiveWordsOf('what was it')).toEqual([])
})

test('punctuation is not a word', () => {
  expect(queryWords('"*" cat -dog:(bird) \0 ;--')).toEqual(['cat', 'dog', 'bird'])
  expect(queryWords('!?.,')).toEqual([])
  expect(queryWords('')).toEqual([])
})

test('identifiers and words of other scripts stay whole', () => {
  expect(queryWords('token_budget src/auth.ts:12')).toEqual(['token_budget', 'src', 'auth', 'ts', '12'])
  expect(queryWords('记忆系统 Übung')).toEqual(['记忆系统', 'übung'])
  expect(queryWords('re\u0301sume\u0301 हिन्दी')).toEqual(['re\u0301sume\u0301', 'हिन्दी'])
})

test('a word ends where a script without spaces starts, and one character of that script is a word', () => {
  expect(queryWords('修复getUserName的错误')).toEqual(['修复', 'getusername', '的错误'])
  expect(queryWords('猫 x 오류 キャッシュ')).toEqual(['猫', '오류', 'キャッシュ'])
  expect(['猫', '오류', 'メモリー', 'ไทย', 'cat', '12', '修复a'].map(isUnspacedScript)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})

test('a pasted log yields a limited number of words and names', () => {
  const log = Array.from({ length: 5000 }, (_, i) => `line_${i}`).join(' ')
  expect(queryWords(log)).toHaveLength(40)
  expect(identifiersOf(log)).toHaveLength(40)
})

test.each([
  ['getUserName2', 'get user name 2'],
  ['HTTPServer', 'http server'],
  ['XMLHttpRequest', 'xml http request'],
  ['userIDs', 'user ids'],
  ['src/auth/token.ts', 'src auth token ts'],
  ['ERR_MODULE_NOT_FOUND', 'err module not found'],
  ['std::vector', 'std vector'],
  ['sha256', 'sha 256'],
  ['__init__', 'init'],
  ['ÜberGröße', 'über größe'],
  ['修复getUser', '修复 get user'],
  ['-*-', ''],
])('%s is composed of %p', (identifier, parts) => {
  expect(wordsInIdentifier(identifier).join(' ')).toBe(parts)
})

test.each([
  ['why does getUserName fail with HTTPServer and token_budget?', 'getUserName HTTPServer token_budget'],
  ['`deploy` calls deploy() and release(), not function(s)', 'deploy release'],
  ['process.env, std::vector, @types/bun --no-verify', 'process.env std::vector @types/bun --no-verify'],
  ['ENOENT ERR_CODE TS2345 APP-12 SIGTERM in #123', 'ENOENT ERR_CODE TS2345 APP-12 SIGTERM #123'],
  ['ERROR: EVERY test, e.g. this, i.e. that, U.S. 3.5', ''],
  ['commit 4a390f0 was defaced by 1234567', '4a390f0'],
  ['v1.2.3 and 10.0.1 after 2025.1', 'v1.2.3 10.0.1'],
  ['see https://example.org/a?b=1, http://localhost:3000', 'https://example.org/a?b=1 http://localhost:3000'],
  ['it fails at src/auth.ts:12:5 and **a.go** (b.rs), "c.py".', 'src/auth.ts a.go b.rs c.py'],
  ['修复src/auth.ts里getUser的错误', 'src/auth.ts getUser'],
  ['_very_ long-term state-of-the-art error:ENOENT foo:bar 12:30', 'ENOENT'],
])('%p contains the names %p', (text, names) => {
  expect(identifiersOf(text).join(' ')).toBe(names)
})

test.each([
  'src/a.ts',
  'auth.ts',
  'my-file.test.ts',
  'Makefile',
  '.env',
  '.github/',
  '../a',
  '~/notes',
  '/etc/hosts',
  'C:\\code\\a.c',
  'src/auth',
  'app/[id]/page.tsx',
])('%s is a file or folder', (name) => expect(isFile(name)).toBe(true))

test.each([
  'read/write',
  'and/or',
  '24/7',
  'process.env',
  'console.log',
  'node.js',
  '.ts',
  '/clear',
  '@types/bun',
  '@types/bun/globals',
  '2026/11/18',
  'https://a.org/b.ts',
  'v1.2.3',
  'getUser',
  '...',
])('%s is not a file', (name) => expect(isFile(name)).toBe(false))

test.each([['a'], ['.'], ['a.'], ['*x'], ['A'], ['aB_'], ['::'], ['https://'], ['修'], ['[a]'], ['a/']])(
  'a long run of %p is read in linear time',
  (piece) => {
    const read = (text: string) => [queryWords(text), identifiersOf(text), wordsInIdentifier(text), isFile(text)]
    expect(growth(read, piece.repeat(40_000))).toBeLessThan(LINEAR)
  },
)

test.each([
  ['Warum schlägt die Attribution beim Login fehl?', ['schlägt', 'attribution', 'login', 'fehl'], true],
  ['pourquoi est-ce que le test de login échoue', ['test', 'login', 'échoue'], true],
  ['por qué falla el test del login', ['test', 'login'], true],
  ['why does the worker die on a man page', ['worker', 'die', 'man', 'page'], false],
  ['sin cos tan', ['sin', 'cos', 'tan'], false],
])('%s loses the stop words of its language', (question, words, elsewhere) => {
  expect(queryWords(question)).toEqual(words)
  expect(isForeignLanguage(question)).toBe(elsewhere)
})

test('a language needs two of its words, and more than English has', () => {
  expect(isForeignLanguage('der Login')).toBe(false)
  expect(isForeignLanguage('der Login und the test')).toBe(true)
  expect(isForeignLanguage('was die Login and the worker for')).toBe(false)
})

test('a name in backticks or with parentheses counts, one with only one backtick does not', () => {
  expect(identifiersOf('`deploy` and release()')).toEqual(['deploy', 'release'])
  expect(identifiersOf('`deploy and release` or (start)')).toEqual([])
})

test('only some uses of “last” ask for the latest', () => {
  for (const question of [
    'When did we last touch the parser?',
    'the last time it failed',
    'most recent parser fix',
    'wann lief das zuletzt',
    '上次修复',
  ])
    expect([question, asksForLatest(question)]).toEqual([question, true])
  for (const question of [
    'the last argument',
    'last season',
    'last_insert_rowid',
    'recent research',
    'track last interaction time',
    'at last',
  ])
    expect([question, asksForLatest(question)]).toEqual([question, false])
})

test('a question about recent work has only common words, or only a time', () => {
  expect(isAboutRecentWork('what did we do', false)).toBe(true)
  expect(isAboutRecentWork('', true)).toBe(true)
  expect(isAboutRecentWork('', false)).toBe(false)
  expect(isAboutRecentWork('why does the parser fail', true)).toBe(false)
  expect(isAboutRecentWork('the latest changes', false)).toBe(true)
})
