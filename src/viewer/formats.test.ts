import { expect, test } from 'bun:test'
import { describeCounts, formatBytes, formatCount, formatTimeSpan, formatValue, prettyJson } from './formats.ts'

test('one is counted in the singular, with the plural that the word has', () => {
  expect([formatCount(0, 'note'), formatCount(1, 'note'), formatCount(2, 'note')]).toEqual(['0 notes', '1 note', '2 notes'])
  expect([formatCount(1, 'memory', 'memories'), formatCount(3, 'memory', 'memories')]).toEqual(['1 memory', '3 memories'])
})

test('a size is shown in the largest fitting unit, with a decimal only if it is small', () => {
  expect([0, 1023, 1024, 1536, 20 * 1024, 5 * 1024 ** 2, 300 * 1024 ** 2, 2.5 * 1024 ** 3].map(formatBytes)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KB',
    '1.5 KB',
    '20 KB',
    '5.0 MB',
    '300 MB',
    '2.5 GB',
  ])
})

test('a span within one minute is one time', () => {
  const at = new Date(2026, 10, 18, 9, 5).getTime()
  expect(formatTimeSpan(at, at + 59_000)).toBe('09:05')
  expect(formatTimeSpan(at, at + 65 * 60_000)).toBe('09:05 – 10:10')
})

test('the value of a setting is said in words', () => {
  expect([true, false, '', [], ['a', 'b'], 30, 'plain'].map(formatValue)).toEqual([
    'on',
    'off',
    'no value',
    'an empty list',
    'a, b',
    '30',
    'plain',
  ])
})

test('the output of a tool is shown with indents and line breaks, and text that is not JSON as it is', () => {
  expect(prettyJson('{"stdout":"one\\ntwo","code":0}')).toBe('{\n  "stdout": "one\ntwo",\n  "code": 0\n}')
  expect(prettyJson('"one\\ntwo"')).toBe('one\ntwo')
  expect(prettyJson('{"stdout":"cut o')).toBe('{"stdout":"cut o')
})

test('a backslash before an n in the text, as in a path of Windows, is no line break', () => {
  expect(prettyJson('{"file_path":"C:\\\\new\\\\notes.md"}')).toBe('{\n  "file_path": "C:\\\\new\\\\notes.md"\n}')
  expect(prettyJson('{"stdout":"C:\\\\\\nnext"}')).toBe('{\n  "stdout": "C:\\\\\nnext"\n}')
})

test('a deletion names what it takes along, and nothing that it does not', () => {
  const none = { sessions: 0, prompts: 0, toolUses: 0, observations: 0, summaries: 0, notes: 0, commits: 0, injections: 0 }
  expect(describeCounts({ ...none, sessions: 1, prompts: 3, summaries: 2, injections: 1 })).toBe(
    '1 session, 3 prompts, 2 summaries, 1 record of what was shown',
  )
  expect(describeCounts(none)).toBe('')
})
