import { expect, test } from 'bun:test'
import { openProblemLog, problemText } from './problem-list.ts'

const problem = { line: 3, column: 5, code: 'TS2304', message: "Cannot find name 'ebb'.\nDid you mean 'web'?" }

test('problems are written as a compiler prints them, in the order of the file', () => {
  const first = { line: 1, column: 1, code: '', message: 'Unexpected token' }
  expect(problemText('src/tides.ts', [problem, first])).toBe(
    "src/tides.ts(1,1): error: Unexpected token\nsrc/tides.ts(3,5): error TS2304: Cannot find name 'ebb'.",
  )
  expect(problemText('a.ts', [])).toBe('')
})

test('a problem that appears after a save is reported once, and so is its end', () => {
  const log = openProblemLog()
  log.saved()
  expect(log.update('a.ts', 'broken')).toEqual([{ file: 'a.ts', error: 'broken' }])
  expect(log.update('a.ts', 'broken')).toEqual([])
  expect(log.update('a.ts', '')).toEqual([{ file: 'a.ts', error: null }])
  expect(log.update('a.ts', '')).toEqual([])
})

test('problems from before the first save are not reported; when one is gone after a save, it is reported as fixed', () => {
  const log = openProblemLog()
  expect(log.update('a.ts', 'old')).toEqual([])
  log.saved()
  expect(log.update('b.ts', '')).toEqual([])
  expect(log.update('a.ts', '')).toEqual([
    { file: 'a.ts', error: 'old' },
    { file: 'a.ts', error: null },
  ])
})
