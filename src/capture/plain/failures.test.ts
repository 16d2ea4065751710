import { describe, expect, test } from 'bun:test'
import { edited, ran, turn } from '../../../test/golden/actions.ts'
import type { PerformedAction } from '../../core/action.ts'
import { checkRunsOf } from './check-runs.ts'
import { commandsOf } from './commands.ts'
import { editsOf } from './edits.ts'
import { describeFailure, followFailures } from './failures.ts'

function follow(...given: PerformedAction[]) {
  const { actions, folder } = turn({ actions: given })
  const commands = commandsOf(actions)
  const { solved, open } = followFailures(checkRunsOf(commands, folder), editsOf(actions, commands, folder), [], 1)
  const failing = open.filter((failure) => !failure.isUnclear)
  return { solved: solved.map((s) => [s.failure.command, s.edits.length]), open: failing.map((failure) => failure.command) }
}

const edit = edited('src/a.ts', 'return 1', 'return 2')
const RED = '(fail) src/a.test.ts > adds\n 1 fail'
const GREEN = ' 2 pass\n 0 fail'

describe('a failure is solved by', () => {
  const SOLVED: [string, string, string][] = [
    ['the same command', 'bun test', 'bun test'],
    ['the same command printed otherwise', 'bun test --verbose', 'bun test 2>&1 | tail -5'],
    ['a wider run', 'bun test src/a.test.ts', 'bun test'],
    ['a run behind another check', 'bun test', 'bun run lint && bun test'],
    ['a run of everything by another runner', 'bun test src/a.test.ts', 'make test'],
    ['a run of everything in the project’s own folder', 'bun test src/a.test.ts', 'cd /home/dev/app && npm test'],
  ]
  test.each(SOLVED)('%s', (_, failing, passing) => {
    expect(follow(ran(failing, RED, 1), edit, ran(passing, GREEN))).toEqual({ solved: [[failing.replace(' --verbose', ''), 1]], open: [] })
  })

  test('a run of everything by the same program, whatever started it', () => {
    const failing = ran('pytest tests/test_a.py', 'FAILED tests/test_a.py::test_adds - assert 1 == 2', 1)
    expect(follow(failing, edit, ran('make test', '30 passed in 1.20s'))).toEqual({ solved: [['pytest tests/test_a.py', 1]], open: [] })
  })

  test('a commit whose hook ran the tests', () => {
    expect(follow(ran('bun test', RED, 1), edit, ran('git commit -m a', `${GREEN}\n[main 1a2b3c4] a`)).open).toEqual([])
  })
})

const GO_FAILURE = ran('go test -v -run TestLogin ./auth', '--- FAIL: TestLogin (0.00s)\nFAIL', 1)

test.each(['go test ./...', 'go test -race ./... -count=1'])('after `%s` passes, the failure of one test is solved', (whole) => {
  expect(follow(GO_FAILURE, edit, ran(whole))).toEqual({ solved: [['go test -run TestLogin ./auth', 1]], open: [] })
})

test.each(['mise run test', 'make test'])(
  'after `%s` passes, a failure is neither open nor called fixed: it may run every test',
  (script) => {
    expect(follow(GO_FAILURE, edit, ran(script))).toEqual({ solved: [], open: [] })
  },
)

test.each([
  'npm test',
  'pnpm -r test',
  'npm run test:ci',
  'cargo test --workspace',
  'pytest',
  'python -m pytest -q',
  'vitest run --coverage',
  'gradlew clean test',
])('`%s` says nothing about a failing test in Go', (other) => {
  expect(follow(GO_FAILURE, edit, ran(other))).toEqual({ solved: [], open: ['go test -run TestLogin ./auth'] })
})

test('a script that turns out to run another program leaves a failure open', () => {
  const failing = ran('pytest', 'FAILED tests/test_a.py::test_adds - assert 1 == 2', 1)
  expect(follow(failing, edit, ran('make test', GREEN)).open).toEqual(['pytest'])
  expect(follow(failing, edit, ran('git commit -m a', `${GREEN}\n[main 1a2b3c4] a`)).open).toEqual(['pytest'])
})

test('the same command in another folder is another check', () => {
  const failing = ran('cd api && npm test', RED, 1)
  expect(follow(failing, edit, ran('cd web && npm test', GREEN)).open).toEqual(['npm test'])
  expect(follow(failing, edit, ran('cd api && npm test', GREEN)).solved).toEqual([['npm test', 1]])
})

/** From a real session: a test failed in the whole run and passed when it was run alone. */
test('a failing test that passes alone is not failing, and is fixed only when the whole run passes', () => {
  const whole = ran('bun test', RED, 1)
  const alone = ran('bun test src/a.test.ts', GREEN)
  expect(follow(whole, edit, alone)).toEqual({ solved: [], open: [] })
  expect(follow(ran('make test', RED, 1), edit, alone)).toEqual({ solved: [], open: [] })
  expect(follow(whole, edit, alone, ran('bun test', GREEN))).toEqual({ solved: [['bun test', 1]], open: [] })
  expect(follow(whole, edit, alone, whole).open).toEqual(['bun test'])
})

test('errors that a passing suite prints are no failure', () => {
  const noise = 'FAIL is the word for it\nerror: Database connection failed\n✗ not a test of ours\nnot ok 1 - printed by a fixture\n'
  expect(follow(ran('bun test', `${noise}${GREEN}`))).toEqual({ solved: [], open: [] })
  expect(follow(ran('bun test 2>&1 | tail -8', `${noise}${GREEN}`))).toEqual({ solved: [], open: [] })
  expect(follow(ran('npm run build', 'src/a.ts(1,2): error TS2322: printed by a generator'))).toEqual({ solved: [], open: [] })
})

test('a command that never existed has not failed', () => {
  for (const [command, output, exit] of [
    ['vitst run', 'bash: vitst: command not found', 127],
    ['npm run tset', 'sh: 1: tset: not found', 1],
    ['vitst run 2>&1 | tail -5', 'bash: line 1: vitst: command not found', 0],
    ['make tset', "make: *** No rule to make target 'tset'.  Stop.", 2],
    ['bun run tset', 'error: Script not found "tset"', 1],
    ['pytest tests/tset.py', 'ERROR: file or directory not found: tests/tset.py', 4],
  ] as const)
    expect([command, follow(ran(command, output, exit)).open]).toEqual([command, []])
})

test.each([
  'mise run test:integration',
  'npm run test:e2e',
  'pnpm --filter api test',
  'npm --prefix web test',
  'make -C web test',
  'cd web && npm test',
  'cd /home/dev/app/web && npm test',
  'go test ./store/...',
  'cargo test parser',
  'pytest tests/test_store.py',
  'pytest -k store',
  'vitest run --changed',
  'playwright test',
])('after `%s` passes, other failures are left: it runs only some tests', (narrowed) => {
  expect(follow(GO_FAILURE, edit, ran(narrowed)).open).toHaveLength(1)
})

/** From a real session: the whole suite fails, a single test is run to see why, and the suite passes after an edit. */
test('a failure that was narrowed down is solved when the whole suite passes', () => {
  const whole = ran(
    'mise run test 2>&1 | tail -30',
    'ok  \tentire.io/cli/cmd/entire/cli/validation\t2.419s\nFAIL\n[test] ERROR task failed',
  )
  const narrowed = ran(
    `cd cmd/entire/cli && go test -v -run '' 2>&1 | grep -A 20 "FAIL\\|--- FAIL"`,
    '--- FAIL: TestCurrentSessionIDWithFallback_FallsBackToModel (0.02s)\nFAIL\nexit status 1\nFAIL\tentire.io/cli/cmd/entire/cli\t3.065s',
  )
  const passing = ran(
    'mise run test 2>&1 | tail -25',
    '[test] $ go test ./...\n?   \tentire.io/cli/cmd/entire\t[no test files]\nok  \tentire.io/cli/cmd/entire/cli\t3.428s\nok  \tentire.io/cli/cmd/entire/cli/agent\t(cached)',
  )
  expect(follow(whole, narrowed, edit, passing)).toEqual({
    solved: [
      ['mise run test', 1],
      ['go test -run', 1],
    ],
    open: [],
  })
})

test('a run of some of the failed tests leaves the others open', () => {
  const red = ran('go test ./...', '--- FAIL: TestLogin (0.00s)\n--- FAIL: TestLogout (0.00s)\nFAIL', 1)
  const { actions, folder } = turn({ actions: [red, edit, ran("go test ./auth -run '^TestLogin$'", 'ok  \tapp/auth\t0.1s')] })
  const { open } = followFailures(checkRunsOf(commandsOf(actions), folder), [], [], 1)
  expect(open.map(({ command, names }) => [command, names])).toEqual([['go test ./...', ['TestLogout']]])
})

test('a wider run that fails too replaces the narrow one', () => {
  const wide = ran('bun test', '(fail) src/b.test.ts > subtracts\n 1 fail', 1)
  expect(follow(ran('bun test src/a.test.ts', RED, 1), wide).open).toEqual(['bun test'])
})

test('a whole passing run of another runner leaves a failure open', () => {
  const failing = ran('pytest', 'FAILED tests/test_a.py::test_adds - assert 1 == 2', 1)
  expect(follow(failing, edit, ran('npm test', GREEN))).toEqual({ solved: [], open: ['pytest'] })
})

test('a wider lint or build solves the failure of a narrower one; another program does not', () => {
  const lint = ran('golangci-lint run ./store/...', 'store/a.go:1:2: bad (errcheck)\n1 issues:', 1)
  expect(follow(lint, edit, ran('golangci-lint run', '0 issues.'))).toEqual({ solved: [['golangci-lint run ./store/...', 1]], open: [] })
  expect(follow(lint, edit, ran('mise run lint', '0 issues.'))).toEqual({ solved: [], open: [] })
  expect(follow(ran('eslint src/a.ts', ' 1:2  error  bad\n✖ 1 problem (1 error, 0 warnings)', 1), edit, ran('biome check')).open).toEqual([
    'eslint src/a.ts',
  ])
  expect(follow(ran('docker build .', 'ERROR: failed to solve', 1), edit, ran('go build ./...')).open).toEqual(['docker build .'])
})

describe('a failure is not solved by', () => {
  test('a commit whose hook printed failing tests but did not stop it', () => {
    expect(follow(ran('bun test', RED, 1), edit, ran('git commit -m a', '1392 pass\n 6 fail\n[main 1a2b3c4] a')).open).toEqual(['bun test'])
  })

  test('another check', () => {
    expect(follow(ran('bun test', RED, 1), edit, ran('tsc --noEmit')).open).toEqual(['bun test'])
  })

  test('a run of something else', () => {
    expect(follow(ran('bun test src/a.test.ts', RED, 1), edit, ran('bun test src/b.test.ts', GREEN)).open).toEqual([
      'bun test src/a.test.ts',
    ])
  })

  test('a run whose output was filtered out', () => {
    expect(follow(ran('bun test', RED, 1), edit, ran('bun test | grep nothing')).open).toEqual(['bun test'])
  })
})

test('a run in the background does not count as passed', () => {
  const waiting = ran('bun test')
  if (waiting.action.kind === 'command') waiting.action.exitCode = null
  expect(follow(ran('bun test', RED, 1), edit, waiting).open).toEqual(['bun test'])
})

test('a narrower run that fails too does not replace the wide one', () => {
  expect(follow(ran('bun test', RED, 1), ran('bun test src/a.test.ts', RED, 1)).open).toEqual(['bun test'])
})

test('a run that is filtered for failures and shows none has passed', () => {
  expect(follow(ran('go test ./...', '--- FAIL: TestA (0.0s)', 1), edit, ran('go test ./... | grep -v "^ok"')).open).toEqual([])
  expect(follow(ran('bun test', RED, 1), edit, ran('bun test 2>&1 | grep -E "FAIL|fail"', '', 1)).open).toEqual([])
})

test('a check that passes on a second try without an edit is dropped', () => {
  expect(follow(ran('bun test', RED, 1), ran('bun test', GREEN))).toEqual({ solved: [], open: [] })
})

test('a failure is recognized even if a pipe hides the exit code', () => {
  expect(follow(ran('go test ./... 2>&1 | tail -3', '--- FAIL: TestA (0.0s)\nFAIL\tpkg\t0.1s')).open).toEqual(['go test ./...'])
  expect(follow(ran('mise run lint 2>&1 | head', 'a/b.go:1:2: bad (errcheck)\n1 issues:')).open).toEqual(['mise run lint'])
})

test('if one line runs several checks, the one named in the output failed', () => {
  expect(follow(ran('tsc --noEmit && bun test', RED, 1)).open).toEqual(['bun test'])
  expect(follow(ran('tsc --noEmit && bun test', 'src/a.ts(1,2): error TS2322: No.', 1)).open).toEqual(['tsc --noEmit'])
})

test('repeated failures of a check are one failure with all edits until it passes', () => {
  expect(follow(ran('bun test', RED, 1), edit, ran('bun test', RED, 1), edit, ran('bun test', GREEN))).toEqual({
    solved: [['bun test', 2]],
    open: [],
  })
})

test('a failure is described by the tests that fail, or else by its error', () => {
  const failure = { command: 'bun test', names: ['adds', 'subtracts'], error: 'exit 1', at: 1, promptNumber: 1 }
  expect(describeFailure(failure)).toBe('`bun test` failed: adds; subtracts')
  expect(describeFailure({ ...failure, names: [] })).toBe('`bun test` failed: exit 1')
})
