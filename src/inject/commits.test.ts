import { expect, test } from 'bun:test'
import { observation } from '../../test/support/builders.ts'
import type { Observation } from '../core/memory.ts'
import { carriedOutPlans, pairWithCommits } from './commits.ts'

const work = (given: Partial<Observation>) => observation({ tool: 'Edit', filesModified: ['a.ts'], ...given })
const commit = (given: Partial<Observation>) =>
  observation({ tool: 'Bash', subtitle: 'commit abc1234 on main', promptNumber: 2, filesModified: [], ...given })
const paired = (...newestFirst: Observation[]) => pairWithCommits(newestFirst).map(({ o, commit }) => (commit ? [o.id, commit.id] : [o.id]))

test('work and the commit that the next prompt asked for are paired, at the position of the first', () => {
  const between = work({ id: 5, sessionId: 9 })
  expect(paired(commit({ id: 2, title: 'Stop the leak' }), between, work({ id: 1, title: 'Closed the file' }))).toEqual([[1, 2], [5]])
})

test('a commit is paired with the change that its title describes', () => {
  const [clock, leak] = [work({ id: 1, title: 'Set the clock' }), work({ id: 2, title: 'Stopped the leak in the pool' })]
  expect(paired(commit({ id: 3, title: 'Stop the leak in the pool' }), leak, clock)).toEqual([[2, 3], [1]])
})

test('a commit without a hash is recognised by its words', () => {
  const silent = { subtitle: '', title: 'Stop the leak in the pool' }
  expect(paired(commit({ id: 2, ...silent }), work({ id: 1, title: 'Stopped the leak in the pool' }))).toEqual([[1, 2]])
  expect(paired(commit({ id: 2, ...silent }), work({ id: 1, title: 'Set the clock' }))).toEqual([[2], [1]])
})

test('work of another session or an earlier turn, and a second commit, are not paired', () => {
  expect(paired(commit({ id: 2 }), work({ id: 1, sessionId: 9 }))).toEqual([[2], [1]])
  expect(paired(commit({ id: 2, promptNumber: 3 }), work({ id: 1 }))).toEqual([[2], [1]])
  const committed = work({ id: 1, promptNumber: 2, title: 'Run the suite', facts: ['commit def5678 on main'] })
  expect(paired(commit({ id: 2, title: 'Run the suite on pushes' }), committed)).toEqual([[2], [1]])
  expect(paired(work({ id: 2 }), observation({ id: 1, type: 'discovery', tool: 'Bash' }))).toEqual([[2], [1]])
})

test('a plan is carried out by later work of the same title that changed files', () => {
  const plan = work({ id: 1, title: 'Plan: Stop the leak', at: 2000, filesModified: [] })
  const done = (given: Partial<Observation>) =>
    carriedOutPlans([plan, work({ id: 2, title: 'Stop the leak', at: 3000, ...given })]).map(([of, by]) => [of.id, by.id])
  expect(done({})).toEqual([[1, 2]])
  expect(done({ title: 'Set the clock' })).toEqual([])
  expect(done({ at: 1000 })).toEqual([])
  expect(done({ filesModified: [] })).toEqual([])
})

test('a pull request is paired with the work that was committed before', () => {
  const committed = work({ id: 1, title: 'Stop the leak', facts: ['commit def5678 on main'] })
  const request = commit({ id: 2, title: 'Opened pull request #7: Stop the leak', facts: ['pull request #7 https://git.example/7'] })
  expect(paired(request, committed)).toEqual([[1, 2]])
})
