import { expect, test } from 'bun:test'
import type { Action, PerformedAction } from '../core/action.ts'
import { tracesOf } from './traces.ts'

test('traces contain the names in changed code by file, but none from files that were only read', () => {
  const { names } = tracesOf(
    [
      done(edit('src/clock.ts', 'const at = readClock(nowMs)', 'const at = readClock(nowMs, timeZone, 7)')),
      done(edit('src/clock.ts', 'readClock(other)', 'readClock(other).toFixed')),
      done({ kind: 'write', file: '/app/src/zone.ts', content: 'export class TimeZone {}', created: true, patch: [] }),
      done({ kind: 'read', file: '/app/src/tide.ts' }),
      { ...done(edit('src/gone.ts', 'a', 'failedName')), failed: true },
    ],
    '/app',
  )
  expect(names).toEqual([
    ['src/clock.ts', ['readClock', 'timeZone']],
    ['src/zone.ts', ['TimeZone']],
  ])
})

test('library members, plain words and very long names leave no trace', () => {
  const written = `time.Now result.path \`description\` ${'veryLong'.repeat(8)} keepThis`
  expect(tracesOf([done(edit('src/a.go', '', written))], '/app').names).toEqual([['src/a.go', ['keepThis']]])
})

test('traces contain the errors that checks printed, but none from other commands', () => {
  const run = (command: string, output: string, exitCode = 0) => done({ kind: 'command', command, purpose: null, output, exitCode })
  const { errors } = tracesOf(
    [
      run('bun test', 'TypeError: x is not a function\n 3 pass\n 0 fail\n'),
      run('npx tsc --noEmit', 'src/a.ts(1,2): error TS2345: no', 2),
      run('grep -rn Error src', 'throw new RangeError()'),
    ],
    '/app',
  )
  expect(errors).toEqual([
    { name: 'TypeError', command: 'bun test', passed: true },
    { name: 'TS2345', command: 'tsc --noEmit', passed: false },
  ])
})

test('traces contain the last pass of each test command, and whether it covered the whole project', () => {
  const run = (at: number, command: string, output: string, exitCode = 0) => ({
    ...done({ kind: 'command', command, purpose: null, output, exitCode }),
    at,
  })
  const { passes } = tracesOf(
    [
      run(1, 'mise run test', 'ok  \tentire.io/cli/cmd/entire/cli\t3.428s'),
      run(2, 'go test ./cmd/entire/cli/session/... -run InvalidUUID', 'ok  \tentire.io/cli/cmd/entire/cli/session\t0.2s'),
      run(3, 'mise run lint', '0 issues.'),
      run(4, 'mise run test', 'ok  \tentire.io/cli/cmd/entire/cli\t(cached)'),
      run(5, 'bun test', '(fail) adds\n 1 fail', 1),
      run(6, 'git commit -m a', ' 1274 pass\n 0 fail\n[main da5defc] a'),
      run(7, 'git push', ' 1392 pass\n 1 fail\nmain -> main'),
      run(8, 'git commit --amend --no-edit', '[main 1f5defc] a\n 1 file changed'),
      run(9, 'npm test', ''),
    ],
    '/app',
  )
  expect(passes).toEqual([
    { command: 'mise run test', isWhole: true, at: 4, runner: 'go' },
    { command: 'go test ./cmd/entire/cli/session/... -run InvalidUUID', isWhole: false, at: 2, runner: 'go' },
    { command: 'git commit', isWhole: true, at: 6, runner: 'bun' },
    { command: 'npm test', isWhole: true, at: 9 },
  ])
})

const edit = (file: string, removed: string, added: string): Action => ({ kind: 'edit', file: `/app/${file}`, removed, added, patch: [] })
const done = (action: Action): PerformedAction => ({
  id: 't',
  tool: action.kind === 'command' ? 'Bash' : 'Edit',
  at: 1,
  failed: false,
  error: null,
  interrupted: false,
  agentId: null,
  action,
})
