import { describe, expect, test } from 'bun:test'
import { ran } from '../../../test/golden/actions.ts'
import type { PerformedAction } from '../../core/action.ts'
import { commandsOf } from './commands.ts'
import { gitWorkOf, parseConventionalSubject } from './commits.ts'

const work = (...actions: PerformedAction[]) => gitWorkOf(commandsOf(actions))
const first = (...actions: PerformedAction[]) => work(...actions).commits[0]

describe('a commit', () => {
  test('is read from the line that git prints', () => {
    expect(first(ran('git commit -am wip', '[feat/list 1a2b3c4] wip\n 1 file changed'))).toMatchObject({
      subject: 'wip',
      hash: '1a2b3c4',
      branch: 'feat/list',
    })
  })

  test('has its message from -m, from several -m, or from a heredoc', () => {
    expect(first(ran('git commit -m "fix: a" -m "Because b."', '[main 1a2b3c4] fix: a'))?.body).toBe('Because b.')
    const heredoc = 'git commit -m "$(cat <<\'EOF\'\nfix: a\n\nBecause b.\n\nCo-Authored-By: X <x@y.z>\nEOF\n)"'
    expect(first(ran(heredoc, 'hooks ran\n[main 1a2b3c4] fix: a'))?.body).toBe('Because b.')
  })

  test('has the message of the command even if a hook changed its subject', () => {
    expect(first(ran('git commit -m "fix: a" -m "Because b."', '[main 1a2b3c4] ABC-1 fix: a'))?.body).toBe('Because b.')
  })

  test('counts without that line if a filter hid it, but not if a hook refused it', () => {
    expect(first(ran('git commit -m "fix: a" | tail -0', 'ok'))).toMatchObject({ subject: 'fix: a', hash: null })
    expect(first(ran('git commit -m "fix: a"', 'husky - pre-commit script failed (code 1)'))).toBeUndefined()
    expect(first(ran('git commit -m "fix: a"', 'boom', 1))).toBeUndefined()
    expect(first(ran('git commit --dry-run -m "fix: a"', ''))).toBeUndefined()
  })

  test('lists the paths that were staged with it', () => {
    expect(first(ran('git add src/a.ts docs && git commit -m a', '[main 1a2b3c4] a'))?.staged).toEqual(['src/a.ts', 'docs'])
  })

  test('can occur twice in one shell line', () => {
    const twice = ran(
      'git add a && git commit -m "ci: one" && git add b && git commit -m "docs: two"',
      '[main 1111111] ci: one\n[main 2222222] docs: two',
    )
    expect(work(twice).commits.map((c) => c.subject)).toEqual(['ci: one', 'docs: two'])
  })
})

test('a merge that changed nothing is none', () => {
  expect(work(ran('git merge feat/list', 'Updating 1a2b3c4..5d6e7f8\nFast-forward')).merges).toEqual(['feat/list'])
  expect(work(ran('git merge feat/list', 'Already up to date.')).merges).toEqual([])
})

test('pushes, pull requests, merges and the branch are read', () => {
  const gitWork = work(
    ran('git checkout -b fix/leak', "Switched to a new branch 'fix/leak'"),
    ran('git push -u origin fix/leak', 'To github.com\n * [new branch]      fix/leak -> fix/leak'),
    ran('gh pr create --title "fix: leak" --body b', 'https://github.com/o/r/pull/12'),
    ran('gh pr merge 12 --squash', 'merged'),
  )
  expect(gitWork).toMatchObject({
    branch: 'fix/leak',
    pushed: ['fix/leak'],
    pullRequests: [{ title: 'fix: leak', url: 'https://github.com/o/r/pull/12' }],
    merges: ['12'],
  })
})

test('a conventional subject is split into type, scope and text', () => {
  expect(parseConventionalSubject('fix(api)!: stop it')).toEqual({ type: 'fix', scope: 'api', text: 'stop it' })
  expect(parseConventionalSubject('Stop it: now')).toEqual({ type: null, scope: null, text: 'Stop it: now' })
})
