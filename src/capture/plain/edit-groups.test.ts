import { describe, expect, test } from 'bun:test'
import { edited, ran, turn } from '../../../test/golden/actions.ts'
import type { PerformedAction } from '../../core/action.ts'
import { groupEdits } from './edit-groups.ts'
import { readTurnFacts } from './turn-facts.ts'

/** The files of each group, with what it is. */
const groups = (...actions: PerformedAction[]) =>
  groupEdits(readTurnFacts(turn({ actions }))).map(({ edits, commit, isRepair }) => {
    const files = edits.map(({ path }) => path).join(' ')
    return `${isRepair ? 'repair: ' : ''}${files}${commit ? ` (${commit.subject})` : ''}`
  })

const edit = (file: string) => edited(file, 'return one', 'return two')
const RED = '(fail) cart > is empty [0.1ms]\n 3 pass\n 1 fail'
const green = ran('bun test', ' 4 pass\n 0 fail')

describe('a repair is a group of its own', () => {
  test('if a test failed before and the turn also changed other code', () => {
    expect(groups(ran('bun test', RED, 1), edit('src/cart.ts'), green, edit('src/user.ts'))).toEqual(['src/user.ts', 'repair: src/cart.ts'])
  })

  test('if a test failed on code of the turn and needed another change of code', () => {
    expect(groups(edit('src/user.ts'), ran('bun test', RED, 1), edit('src/cart.ts'), green)).toEqual(['src/user.ts', 'repair: src/cart.ts'])
  })
})

describe('a fix belongs to the rest of the turn', () => {
  test('if nothing else was changed but documents and tests', () => {
    expect(groups(ran('bun test', RED, 1), edit('src/cart.ts'), green, edit('docs/cart.md'))).toEqual(['repair: src/cart.ts docs/cart.md'])
  })

  test.each([
    ['a linter', 'eslint .', "src/a.ts\n  3:5  error  'x' is unused  no-unused\n\n✖ 1 problem (1 error, 0 warnings)"],
    ['a commit hook', 'git commit -m x', 'husky - pre-commit hook exited with code 1 (error)'],
    ['an install', 'npm install', 'npm error code ERESOLVE'],
  ])('if only %s complained', (_, command, output) => {
    expect(groups(ran(command, output, 1), edit('src/cart.ts'), ran(command), edit('src/user.ts')).join(' ')).not.toContain('repair')
  })

  test('if the failed run named no test', () => {
    expect(groups(edit('src/user.ts'), ran('bun test', 'panic: out of memory', 1), edit('src/cart.ts'), green)).toEqual([
      'src/user.ts src/cart.ts',
    ])
  })

  test('if a test was written first, in order to fail', () => {
    expect(groups(edit('src/cart.test.ts'), ran('bun test', RED, 1), edit('src/cart.ts'), green)).toEqual(['src/cart.test.ts src/cart.ts'])
  })
})

test('a commit has the edits that it staged, and the next commit the rest', () => {
  const commit = (add: string, subject: string) => ran(`git add ${add} && git commit -m "${subject}"`, `[main 1234567] ${subject}`)
  expect(groups(edit('src/cart.ts'), edit('src/user.ts'), commit('src/user.ts', 'Users'), commit('.', 'The rest'))).toEqual([
    'src/user.ts (Users)',
    'src/cart.ts (The rest)',
  ])
  expect(groups(edit('src/cart.ts'), commit('.', 'Carts'), edit('src/user.ts'))).toEqual(['src/cart.ts (Carts)', 'src/user.ts'])
})
