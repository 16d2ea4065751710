import { expect, test } from 'bun:test'
import { ran } from '../../../test/golden/actions.ts'
import type { WorkStep } from '../../core/work.ts'
import { workStepsOf } from './work-steps.ts'

const GIT: [string, WorkStep[]][] = [
  ['git add src/cart.ts', [{ kind: 'stage', paths: ['src/cart.ts'] }]],
  ['git add -A', [{ kind: 'stage', paths: null }]],
  ['git -C . add .', [{ kind: 'stage', paths: null }]],
  ['git checkout main', []],
  ['git checkout main src/cart.ts', [{ kind: 'discard', paths: ['src/cart.ts'] }]],
  ['git checkout HEAD~1 -- src/cart.ts', [{ kind: 'discard', paths: ['src/cart.ts'] }]],
  ['git restore -s HEAD~1 src/cart.ts', [{ kind: 'discard', paths: ['src/cart.ts'] }]],
  ['git clean -fd', [{ kind: 'clean' }]],
  ['git clean -n', []],
  ['git stash', [{ kind: 'stash', paths: null }]],
  ['git stash -u', [{ kind: 'stash', paths: null, takesNew: true }]],
  ['git stash push -- src/cart.ts', [{ kind: 'stash', paths: ['src/cart.ts'] }]],
  ['git stash list', []],
  ['git rm --cached src/cart.ts', []],
  ['git reset --hard --dry-run', []],
]
test.each(GIT)('%s', (command, steps) => {
  expect(workStepsOf(null, [ran(command)], '/home/dev/app')).toEqual(steps)
})

test('a stash that meets a conflict is applied, whatever else the line runs', () => {
  const popped = ran('git fetch && git stash pop', 'CONFLICT (content): Merge conflict in src/cart.ts', 1)
  expect(workStepsOf(null, [popped], '/home/dev/app')).toEqual([{ kind: 'unstash', keeps: true }])
})
