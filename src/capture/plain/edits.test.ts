import { describe, expect, test } from 'bun:test'
import { edited, turn, wrote } from '../../../test/golden/actions.ts'
import type { PerformedAction } from '../../core/action.ts'
import { changesByFile, describeFileChange, describeReplacedLines, editsOf } from './edits.ts'

const changes = (...actions: PerformedAction[]) => changesByFile(editsOf(turn({ actions }).actions, [], '/home/dev/app'))

describe('the names of a file', () => {
  test('are added, removed or changed', () => {
    const [change] = changes(edited('a.go', 'func keep() {\n\told()\n}\nfunc gone() {}', 'func keep() {\n\tfresh()\n}\nfunc came() {}'))
    expect(change).toMatchObject({ added: ['came'], removed: ['gone'], changed: ['keep'] })
  })

  test('are listed in one line', () => {
    const [change] = changes(edited('a.ts', 'const a = 1', 'const a = 1\nfunction one() {}\nfunction two() {}\nfunction three() {}'))
    expect(describeFileChange(change as NonNullable<typeof change>)).toBe('a.ts: added one, two, three')
  })

  test('are listed if there is only one', () => {
    const only = (action: PerformedAction) => describeFileChange(changes(action)[0] as NonNullable<ReturnType<typeof changes>[0]>)
    expect(only(edited('a.go', 'func keep() {\n\told()\n}', 'func keep() {\n\tfresh()\n}'))).toBe('a.go: changed keep')
    expect(only(edited('a.go', 'func gone() {}\n', '\n'))).toBe('a.go: removed gone')
    expect(only(edited('a.go', '\n', 'func came() {}\n'))).toBe('a.go: added came')
  })

  test('of settings are its keys, and no key around them', () => {
    const [change] = changes(edited('package.json', '{\n  "a": {\n    "x": 1\n  }\n}', '{\n  "a": {\n    "x": 2\n  }\n}'))
    expect(change).toMatchObject({ added: [], removed: [], changed: ['x'] })
  })

  test('are none in a new file of plain text', () => {
    const [change] = changes(wrote('words.txt', 'some words'))
    expect(describeFileChange(change as NonNullable<typeof change>)).toBe('words.txt: new')
  })

  test('of a document are its sections', () => {
    const [change] = changes(edited('README.md', '# App\n\n## Use\nold text', '# App\n\n## Use\nnew text'))
    expect(change?.changed).toEqual(['Use'])
  })

  test('are found without a patch, from the two texts of the edit', () => {
    const bare = edited('a.py', 'def f():\n    return 1', 'def f():\n    return 2')
    if (bare.action.kind === 'edit') bare.action.patch = []
    expect(changes(bare)[0]?.changed).toEqual(['f'])
  })
})

describe('replaced lines', () => {
  test('are shown before and after', () => {
    const found = changes(edited('a.ts', 'f() {\n  return token.exp > now\n}', 'f() {\n  return token.exp * 1000 > now\n}'))
    expect(describeReplacedLines(found, 3)).toEqual(['a.ts: `return token.exp > now` → `return token.exp * 1000 > now`'])
  })

  test('leave out imports, comments and changed indentation', () => {
    const noise = [
      edited('a.ts', "import a from 'a'", "import b from 'b'"),
      edited('b.ts', '// old words', '// new words'),
      edited('c.ts', '  call(x)', '    call(x)'),
    ]
    expect(describeReplacedLines(changes(...noise), 3)).toEqual([])
  })

  test('of code are shown instead of those of tests', () => {
    const found = changes(edited('a.test.ts', 'expect(1)', 'expect(2)'), edited('src/a.ts', 'return 1', 'return 2'))
    expect(describeReplacedLines(found, 3)).toEqual(['a.ts: `return 1` → `return 2`'])
    expect(describeReplacedLines(changes(edited('a.test.ts', 'expect(1)', 'expect(2)')), 3)).toEqual([
      'a.test.ts: `expect(1)` → `expect(2)`',
    ])
  })
})

test('the largest change of code comes first', () => {
  const found = changes(edited('a.ts', 'let a = 1', 'let a = 2'), edited('b.ts', 'b()', 'one()\ntwo()\nthree()\nfour()'))
  expect(found.map(({ path }) => path)).toEqual(['b.ts', 'a.ts'])
})

test('several edits of one file are one change', () => {
  expect(changes(edited('a.ts', 'let a = 1', 'let a = 2'), edited('a.ts', 'let b = 1', 'let b = 2'))).toHaveLength(1)
})

test('an edit that is undone is not a change', () => {
  expect(changes(edited('a.ts', 'let a = 1', 'let a = 2'), edited('a.ts', 'let a = 2', 'let a = 1'))).toEqual([])
})

test('the introduction of a new file is its first heading or comment, not its licence', () => {
  expect(changes(wrote('docs/a.md', '# How to release\n\ntext'))[0]?.introduction).toBe('How to release')
  expect(changes(wrote('a.go', '// Copyright 2020 X\n\n// Package list shows branches.\npackage list'))[0]?.introduction).toBe(
    'Package list shows branches.',
  )
})
