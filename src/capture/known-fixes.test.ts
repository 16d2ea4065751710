import { expect, test } from 'bun:test'
import { edited, ran, turn } from '../../test/golden/actions.ts'
import type { PerformedAction } from '../core/action.ts'
import { recognizableFailures } from './known-fixes.ts'
import { tracesOf } from './traces.ts'

const RED = '(fail) src/cart.test.ts > empties the cart\n 3 pass\n 1 fail'
const edit = edited('src/cart.ts', 'return 1', 'return 2')

const fixesOf = (...actions: PerformedAction[]) => tracesOf(turn({ actions }).actions, '/home/dev/app').fixes ?? []
const signaturesIn = (action: PerformedAction) => recognizableFailures(action, '/home/dev/app').flatMap(({ signatures }) => signatures)

test('a test that fails again is recognised, whatever command runs it', () => {
  const [fix] = fixesOf(ran('bun test', RED, 1), edit, ran('bun test', ' 4 pass\n 0 fail'))
  expect(fix?.files).toEqual(['src/cart.ts'])
  const again = ran('npm test', '(fail) cart > empties the cart\n 1 fail', 1)
  expect(signaturesIn(again)).toEqual(fix?.signatures ?? [])
})

test('an error message is recognised in another folder and on another line', () => {
  const message = (path: string) => `Error: Cannot find module 'left-pad' from '${path}/src/index.ts'`
  const [fix] = fixesOf(ran('bun run build', message('/home/dev/app'), 1), ran('npm install left-pad'), ran('bun run build'))
  expect(fix?.commands).toEqual(['npm install left-pad'])
  expect(signaturesIn(ran('bun run build', message('/tmp/clone'), 1))).toEqual(fix?.signatures ?? [])
})

test('an error that says nothing is not recognised', () => {
  expect(signaturesIn(ran('mise run test', 'FAIL\n[test] ERROR task failed', 1))).toEqual([])
  expect(signaturesIn(ran('git push', "error: failed to push some refs to 'origin'", 1))).toEqual([])
})

test('a migration can be the fix', () => {
  const [fix] = fixesOf(ran('bun test', RED, 1), ran('npx prisma migrate dev'), ran('bun test', ' 4 pass\n 0 fail'))
  expect(fix?.commands).toEqual(['prisma migrate dev'])
})

test('a check that passes on a second try has no fix', () => {
  expect(fixesOf(ran('bun test', RED, 1), ran('ls'), ran('bun test', ' 4 pass\n 0 fail'))).toEqual([])
})

test('a check that never passes again has no fix', () => {
  expect(fixesOf(ran('bun test', RED, 1), edit, ran('pytest', '3 passed in 0.1s'))).toEqual([])
})
