import { expect, test } from 'bun:test'
import { withoutRepositories } from './addresses.ts'

test.each([
  ['see https://github.com/team/app/pull/102 please', 'see pull/102 please'],
  ['https://github.com/team/app/issues/7#issuecomment-1', 'issues/7#issuecomment-1'],
  ['https://gitlab.example.com/group/sub/app/-/merge_requests/5', 'merge_requests/5'],
  ['(https://github.com/team/app)', '()'],
  ['clone git@github.com:team/app.git', 'clone '],
  ['https://linear.app/team/issue/ENT-259/code-attribution', 'issue/ENT-259/code-attribution'],
  ['https://docs.example.com/guide/retry', 'guide/retry'],
  ['src/app/pull.ts is no address', 'src/app/pull.ts is no address'],
])('%p says %p', (text, reduced) => {
  expect(withoutRepositories(text)).toBe(reduced)
})
