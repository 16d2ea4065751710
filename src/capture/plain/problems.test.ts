import { describe, expect, test } from 'bun:test'
import { errorLine, isMisuse, readProblems } from './problems.ts'

const PROBLEMS: [string, string, number, string][] = [
  [
    'tsc',
    "src/a.ts(3,5): error TS2322: Type 'x' is not assignable.\nsrc/b.ts(1,1): error TS1005: ';' expected.",
    2,
    "src/a.ts(3,5): error TS2322: Type 'x' is not assignable.",
  ],
  ['tsc, pretty', 'src/a.ts:3:5 - error TS2322: No.\n\nFound 1 error in src/a.ts:3', 1, 'src/a.ts:3:5 - error TS2322: No.'],
  ['eslint', '/x/a.js\n  3:5  error  No unused  no-unused\n\n✖ 2 problems (1 error, 1 warning)', 1, '3:5 error No unused no-unused'],
  ['biome', 'src/a.ts:1:2 lint/style/x ━━━\n\n  × Unexpected empty block.\n\nFound 3 errors.', 3, 'src/a.ts: × Unexpected empty block.'],
  [
    'golangci-lint',
    'a/b.go:12:2: Error return value is not checked (errcheck)\n1 issues:\n* errcheck: 1',
    1,
    'a/b.go:12:2: Error return value is not checked (errcheck)',
  ],
  [
    'rustc',
    'error[E0308]: mismatched types\n --> src/a.rs:1:2\nerror: could not compile `x` due to 1 previous error',
    1,
    'error[E0308]: mismatched types',
  ],
  ['mypy', 'a.py:3: error: Bad type  [assignment]\nFound 1 error in 1 file', 1, 'a.py:3: error: Bad type [assignment]'],
  ['gcc', 'a.c:3:5: error: expected ;', 1, 'a.c:3:5: error: expected ;'],
  ['ruff', 'a.py:1:2: F401 unused\nFound 1 error.', 1, 'a.py:1:2: F401 unused'],
]

test.each(PROBLEMS)('the errors of %s are counted, and the first is shown', (_, output, count, first) => {
  expect(readProblems(output)).toMatchObject({ count, first: expect.arrayContaining([first]) })
  expect(readProblems(output)?.first[0]).toBe(first)
})

test('output without errors gives no problems', () => {
  expect(readProblems('Checked 290 files in 129ms. No fixes applied.\n0 issues.')).toBeNull()
})

describe('the error line of a command', () => {
  const LINES: [string, string][] = [
    ['Traceback (most recent call last):\n  File "a.py", line 1\nKeyError: \'name\'\n', "KeyError: 'name'"],
    ['stuff\nfatal: not a git repository\n', 'fatal: not a git repository'],
    ['panic: runtime error: index out of range\n\ngoroutine 1\n', 'panic: runtime error: index out of range'],
    ["  expected: /a/,\n  operator: 'match'\n}\n\nNode.js v20.20.2", "expected: /a/, operator: 'match'"],
    ['', ''],
  ]
  test.each(LINES)('of %p is %p', (output, line) => {
    expect(errorLine(output)).toBe(line)
  })
})

test('a mistyped, refused or missing command is not a failure of the project', () => {
  expect(isMisuse('zsh: command not found: foo', 127)).toBe(true)
  expect(isMisuse("The user doesn't want to proceed with this tool use.", 1)).toBe(true)
  expect(isMisuse('npm error Missing script: "tset"', 1)).toBe(true)
  expect(isMisuse('1 test failed', 1)).toBe(false)
})
