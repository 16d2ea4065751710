import { describe, expect, test } from 'bun:test'
import { edited, ran, turn } from '../../../test/golden/acts.ts'
import type { Acted } from '../../core/action.ts'
import { commandsOf } from './commands.ts'
import { editsOf } from './edits.ts'
import { followFailures } from './failures.ts'
import { runsOf } from './runs.ts'

function follow(...given: Acted[]) {
  const { acts, folder } = turn({ acts: given })
  const commands = commandsOf(acts)
  const { solved, open } = followFailures(runsOf(commands), editsOf(acts, commands, folder), [], 1)
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
  ]
  test.each(SOLVED)('%s', (_, failing, passing) => {
    expect(follow(ran(failing, RED, 1), edit, ran(passing, GREEN))).toEqual({ solved: [[failing.replace(' --verbose', ''), 1]], open: [] })
  })

  test('a commit whose hook ran the tests', () => {
    expect(follow(ran('bun test', RED, 1), edit, ran('git commit -m a', `${GREEN}\n[main 1a2b3c4] a`)).open).toEqual([])
  })
})

describe('a failure is not solved by', () => {
  test('another check', () => {
    expect(follow(ran('bun test', RED, 1), edit, ran('tsc --noEmit')).open).toEqual(['bun test'])
  })

  test('a run of something else', () => {
    expect(follow(ran('bun test src/a.test.ts', RED, 1), edit, ran('bun test src/b.test.ts', GREEN)).open).toEqual([
      'bun test src/a.test.ts',
    ])
  })

  test('a run whose output was filtered away', () => {
    expect(follow(ran('bun test', RED, 1), edit, ran('bun test | grep nothing')).open).toEqual(['bun test'])
  })
})

test('a run that went to the background has not passed', () => {
  const waiting = ran('bun test')
  if (waiting.action.kind === 'command') waiting.action.exitCode = null
  expect(follow(ran('bun test', RED, 1), edit, waiting).open).toEqual(['bun test'])
})

test('a narrower run that fails as well does not take the place of the wide one', () => {
  expect(follow(ran('bun test', RED, 1), ran('bun test src/a.test.ts', RED, 1)).open).toEqual(['bun test'])
})

test('a run filtered for failures that shows none has passed', () => {
  expect(follow(ran('go test ./...', '--- FAIL: TestA (0.0s)', 1), edit, ran('go test ./... | grep -v "^ok"')).open).toEqual([])
  expect(follow(ran('bun test', RED, 1), edit, ran('bun test 2>&1 | grep -E "FAIL|fail"', '', 1)).open).toEqual([])
})

test('a run that passes on a second try, with no edit between, is closed without a word', () => {
  expect(follow(ran('bun test', RED, 1), ran('bun test', GREEN))).toEqual({ solved: [], open: [] })
})

test('a failure is seen behind a pipe that hides the exit code', () => {
  expect(follow(ran('go test ./... 2>&1 | tail -3', '--- FAIL: TestA (0.0s)\nFAIL\tpkg\t0.1s')).open).toEqual(['go test ./...'])
  expect(follow(ran('mise run lint 2>&1 | head', 'a/b.go:1:2: bad (errcheck)\n1 issues:')).open).toEqual(['mise run lint'])
})

test('of several checks in one line the one that the output speaks of failed', () => {
  expect(follow(ran('tsc --noEmit && bun test', RED, 1)).open).toEqual(['bun test'])
  expect(follow(ran('tsc --noEmit && bun test', 'src/a.ts(1,2): error TS2322: No.', 1)).open).toEqual(['tsc --noEmit'])
})

test('failing again and again is one failure with all the edits until it passes', () => {
  expect(follow(ran('bun test', RED, 1), edit, ran('bun test', RED, 1), edit, ran('bun test', GREEN))).toEqual({
    solved: [['bun test', 2]],
    open: [],
  })
})
