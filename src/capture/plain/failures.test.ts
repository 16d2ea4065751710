import { describe, expect, test } from 'bun:test'
import { edited, ran, turn } from '../../../test/golden/actions.ts'
import type { PerformedAction } from '../../core/action.ts'
import { checkRunsOf } from './check-runs.ts'
import { commandsOf } from './commands.ts'
import { editsOf } from './edits.ts'
import { followFailures } from './failures.ts'

function follow(...given: PerformedAction[]) {
  const { actions, folder } = turn({ actions: given })
  const commands = commandsOf(actions)
  const { solved, open } = followFailures(checkRunsOf(commands, folder), editsOf(actions, commands, folder), [], 1)
  return { solved: solved.map((s) => [s.failure.command, s.edits.length]), open: open.map((f) => f.command) }
}

const edit = edited('src/a.ts', 'return 1', 'return 2')
const RED = '(fail) src/a.test.ts > adds\n 1 fail'
const GREEN = ' 2 pass\n 0 fail'

describe('a failure is solved by', () => {
  const SOLVED: [string, string, string][] = [
    ['the same command', 'bun test', 'bun test'],
    ['the same command printed otherwise', 'bun test --verbose', 'bun test 2>&1 | tail -5'],
    ['a wider run', 'bun test src/a.test.ts', 'bun test'],
    ['a run of only what had failed', 'bun test', 'bun test src/a.test.ts'],
    ['a run behind another check', 'bun test', 'bun run lint && bun test'],
    ['a run of everything by another runner', 'bun test src/a.test.ts', 'make test'],
    ['a run of everything in the project’s own folder', 'bun test src/a.test.ts', 'cd /home/dev/app && npm test'],
    ['a run of only what had failed by another runner', 'make test', 'bun test src/a.test.ts'],
  ]
  test.each(SOLVED)('%s', (_, failing, passing) => {
    expect(follow(ran(failing, RED, 1), edit, ran(passing, GREEN))).toEqual({ solved: [[failing.replace(' --verbose', ''), 1]], open: [] })
  })

  test('a commit whose hook ran the tests', () => {
    expect(follow(ran('bun test', RED, 1), edit, ran('git commit -m a', `${GREEN}\n[main 1a2b3c4] a`)).open).toEqual([])
  })
})

test.each([
  'mise run test',
  'make test',
  'npm test',
  'pnpm -r test',
  'npm run test:ci',
  'go test ./...',
  'go test -race ./... -count=1',
  'cargo test --workspace',
  'pytest',
  'python -m pytest -q',
  'vitest run --coverage',
  'gradlew clean test',
])('after `%s` passes, no failure is left: it runs every test', (whole) => {
  const failing = ran('go test -v -run TestLogin ./auth', '--- FAIL: TestLogin (0.00s)\nFAIL', 1)
  expect(follow(failing, edit, ran(whole)).open).toEqual([])
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
  const failing = ran('go test -v -run TestLogin ./auth', '--- FAIL: TestLogin (0.00s)\nFAIL', 1)
  expect(follow(failing, edit, ran(narrowed)).open).toHaveLength(1)
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

test('passing tests of another language drop a failure without solving it', () => {
  expect(follow(ran('pytest', 'FAILED tests/test_a.py::test_adds - assert 1 == 2', 1), edit, ran('npm test', GREEN))).toEqual({
    solved: [],
    open: [],
  })
})

test('a wider lint or build solves the failure of a narrower one; another kind of build does not', () => {
  const lint = ran('golangci-lint run ./store/...', 'store/a.go:1:2: bad (errcheck)\n1 issues:', 1)
  expect(follow(lint, edit, ran('mise run lint', '0 issues.'))).toEqual({ solved: [['golangci-lint run ./store/...', 1]], open: [] })
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
