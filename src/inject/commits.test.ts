import { expect, test } from 'bun:test'
import { observation } from '../../test/support/builders.ts'
import type { Observation } from '../core/memory.ts'
import { pairWithCommits } from './commits.ts'

const work = (given: Partial<Observation>) => observation({ tool: 'Edit', filesModified: ['a.ts'], ...given })
const commit = (given: Partial<Observation>) =>
  observation({ tool: 'Bash', subtitle: 'commit abc1234 on main', promptNumber: 2, filesModified: [], ...given })
const told = (...newestFirst: Observation[]) => pairWithCommits(newestFirst).map(({ o, commit }) => (commit ? [o.id, commit.id] : [o.id]))

test('the commit that was asked for behind the work is told with it, at the place of the first of them', () => {
  const between = work({ id: 5, sessionId: 9 })
  expect(told(commit({ id: 2, title: 'Stop the leak' }), between, work({ id: 1, title: 'Closed the file' }))).toEqual([[1, 2], [5]])
})

test('of several changes the one that the commit speaks of has it', () => {
  const [clock, leak] = [work({ id: 1, title: 'Set the clock' }), work({ id: 2, title: 'Stopped the leak in the pool' })]
  expect(told(commit({ id: 3, title: 'Stop the leak in the pool' }), leak, clock)).toEqual([[2, 3], [1]])
})

test('a commit without a hash is known by its words', () => {
  const silent = { subtitle: '', title: 'Stop the leak in the pool' }
  expect(told(commit({ id: 2, ...silent }), work({ id: 1, title: 'Stopped the leak in the pool' }))).toEqual([[1, 2]])
  expect(told(commit({ id: 2, ...silent }), work({ id: 1, title: 'Set the clock' }))).toEqual([[2], [1]])
})

test('what is another session’s, of an earlier turn, or a commit beside a commit stays by itself', () => {
  expect(told(commit({ id: 2 }), work({ id: 1, sessionId: 9 }))).toEqual([[2], [1]])
  expect(told(commit({ id: 2, promptNumber: 3 }), work({ id: 1 }))).toEqual([[2], [1]])
  const committed = work({ id: 1, promptNumber: 2, title: 'Run the suite', facts: ['commit def5678 on main'] })
  expect(told(commit({ id: 2, title: 'Run the suite on pushes' }), committed)).toEqual([[2], [1]])
  expect(told(work({ id: 2 }), observation({ id: 1, type: 'discovery', tool: 'Bash' }))).toEqual([[2], [1]])
})

test('a pull request of work that was committed before is told with it', () => {
  const committed = work({ id: 1, title: 'Stop the leak', facts: ['commit def5678 on main'] })
  const request = commit({ id: 2, title: 'Opened pull request #7: Stop the leak', facts: ['pull request #7 https://git.example/7'] })
  expect(told(request, committed)).toEqual([[1, 2]])
})
