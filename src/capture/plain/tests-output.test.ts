import { describe, expect, test } from 'bun:test'
import { readTestReport } from './tests-output.ts'

const REPORTS: [string, string, { passed: number; failed: number; names?: string[] }][] = [
  [
    'bun',
    'src/a.test.ts:\n(pass) ok [1ms]\n(fail) reads tabs [2.00ms]\n\n 12 pass\n 1 fail\nRan 13 tests',
    { passed: 12, failed: 1, names: ['src/a.test.ts › reads tabs'] },
  ],
  [
    'jest',
    'FAIL src/a.spec.ts\n  ● Suite › does it\n\nTests:       1 failed, 2 skipped, 40 passed, 43 total',
    { passed: 40, failed: 1, names: ['Suite › does it'] },
  ],
  [
    'vitest',
    ' FAIL  src/a.test.ts > suite > does it\n      Tests  1 failed | 30 passed (31)',
    { passed: 30, failed: 1, names: ['src/a.test.ts > suite > does it'] },
  ],
  ['mocha', '  12 passing (30ms)\n  1 failing', { passed: 12, failed: 1 }],
  ['node --test', '✖ adds numbers (1.2ms)\nℹ pass 5\nℹ fail 1', { passed: 5, failed: 1, names: ['adds numbers'] }],
  [
    'TAP with subtests',
    [
      'TAP version 13',
      '# Subtest: cart',
      '    # Subtest: adds',
      '    ok 1 - adds',
      '    # Subtest: empties',
      '    not ok 2 - empties',
      '      ---',
      "      location: '/app/cart.test.js:12:3'",
      "      failureType: 'testCodeFailure'",
      '      ...',
      '    1..2',
      'not ok 1 - cart',
      '  ---',
      "  failureType: 'subtestsFailed'",
      '  ...',
      '# tests 3',
      '# pass 1',
      '# fail 1',
    ].join('\n'),
    { passed: 1, failed: 1, names: ['cart › empties'] },
  ],
  [
    'TAP with tests to do and to skip',
    'not ok 1 - later # TODO not written\nok 2 - a # SKIP no network\nnot ok 3 - b # skip\n# pass 1\n# fail 0\n# todo 1',
    { passed: 1, failed: 0, names: [] },
  ],
  [
    'TAP that prints an error and passes',
    'Error: boom\nnot ok 1 - a line of a fixture\nok 1 - handles boom\n# tests 1\n# pass 1\n# fail 0',
    { passed: 1, failed: 0, names: [] },
  ],
  [
    'node --test with suites',
    '▶ cart\n  ✔ adds (1ms)\n  ✖ empties (0.4ms)\n✖ cart (3ms)\nℹ pass 1\nℹ fail 1\n✖ failing tests:\n\ntest at cart.test.js:12:3\n✖ empties (0.4ms)',
    { passed: 1, failed: 1, names: ['cart › empties'] },
  ],
  ['TAP', 'ok 1 - a\nnot ok 2 - b\n# pass 1\n# fail 1', { passed: 1, failed: 1, names: ['b'] }],
  [
    'pytest',
    'FAILED tests/test_a.py::test_x - AssertionError\n=== 1 failed, 30 passed, 2 warnings in 1.20s ===',
    { passed: 30, failed: 1, names: ['tests/test_a.py::test_x'] },
  ],
  ['pytest, quiet', '30 passed in 0.12s', { passed: 30, failed: 0 }],
  [
    'unittest',
    'FAIL: test_x (mod.Case)\nRan 5 tests in 0.1s\n\nFAILED (failures=1, errors=1)',
    { passed: 0, failed: 2, names: ['test_x (mod.Case)'] },
  ],
  ['go', '--- FAIL: TestA (0.00s)\nFAIL\tpkg/a\t0.1s\nok  \tpkg/b\t0.2s', { passed: 1, failed: 1, names: ['TestA'] }],
  ['go that does not build', 'FAIL\tpkg/a [build failed]', { passed: 0, failed: 1 }],
  ['cargo', 'test a::b ... FAILED\ntest result: FAILED. 10 passed; 1 failed; 0 ignored', { passed: 10, failed: 1, names: ['a::b'] }],
  [
    'nextest',
    '        FAIL [   0.1s] crate a::b\n     Summary [   1s] 10 tests run: 9 passed, 1 failed, 0 skipped',
    { passed: 9, failed: 1, names: ['crate a::b'] },
  ],
  ['rspec', 'rspec ./spec/a_spec.rb:12 # does it\n10 examples, 1 failure', { passed: 9, failed: 1, names: ['./spec/a_spec.rb:12'] }],
  ['minitest', '10 runs, 20 assertions, 1 failures, 1 errors, 0 skips', { passed: 8, failed: 2 }],
  [
    'phpunit',
    '1) App\\FooTest::testBar\nTests: 10, Assertions: 20, Failures: 1.',
    { passed: 9, failed: 1, names: ['App\\FooTest::testBar'] },
  ],
  [
    'maven',
    '[ERROR]   FooTest.bar:12 expected\n[ERROR] Tests run: 10, Failures: 1, Errors: 0, Skipped: 0',
    { passed: 9, failed: 1, names: ['FooTest.bar'] },
  ],
  ['gradle', 'FooTest > bar FAILED\n10 tests completed, 1 failed', { passed: 9, failed: 1, names: ['FooTest > bar'] }],
  [
    'dotnet',
    '  Failed My.Tests.Bar [12 ms]\nFailed!  - Failed:     1, Passed:     9, Skipped:     0',
    { passed: 9, failed: 1, names: ['My.Tests.Bar'] },
  ],
  ['ctest', '  3 - parser (Failed)\n90% tests passed, 1 tests failed out of 10', { passed: 9, failed: 1, names: ['parser'] }],
  [
    'playwright',
    '  1) [chromium] › a.spec.ts:3:1 › does it\n  1 failed\n  10 passed (5.1s)',
    { passed: 10, failed: 1, names: ['[chromium] › a.spec.ts:3:1 › does it'] },
  ],
  ['deno', 'FAILED | 5 passed | 1 failed (20ms)', { passed: 5, failed: 1 }],
]

test.each(REPORTS)('the totals of %s are read', (_, output, report) => {
  expect(readTestReport(output)).toMatchObject(report)
})

describe('a report', () => {
  test('is null if the output contains none', () => {
    expect(readTestReport('hello\nworld')).toBeNull()
  })

  test('adds the packages of a workspace and counts a repeated total once', () => {
    expect(readTestReport('Tests:  3 passed, 3 total\nTests:  4 passed, 4 total\nTests:  4 passed, 4 total')).toMatchObject({
      passed: 7,
      failed: 0,
    })
  })

  test('lists at most twelve tests, each once', () => {
    const lines = Array.from({ length: 50 }, (_, n) => `(fail) test ${n}\n(fail) test ${n}`)
    expect(readTestReport(lines.join('\n'))?.names).toHaveLength(12)
  })
})

test('a failing test whose name was cut off is named by its location', () => {
  const output =
    "  location: '/home/dev/app/test/rates.test.mjs:10:1'\n  failureType: 'testCodeFailure'\n  ...\nnot ok 3 - begun kilogram\n  ---\n  location: '/home/dev/app/test/rates.test.mjs:15:1'\n  failureType: 'testCodeFailure'\n# pass 2\n# fail 2"
  expect(readTestReport(output)).toMatchObject({ failed: 2, names: ['rates.test.mjs:10', 'begun kilogram'] })
})
