import { expect, test } from 'bun:test'
import { edited, turn } from '../../../test/golden/actions.ts'
import { changesByFile, editsOf } from './edits.ts'
import { classifyChange } from './observation-types.ts'

const code = edited('src/a.ts', 'const a = 1', 'const a = 2')
const docs = edited('docs/a.md', 'old words', 'new words')
const evidence = { isRepair: false, subject: null as string | null, request: 'Change the list', answer: '', title: 'The list' }
const typeOf = (given: Partial<typeof evidence>, action = code) =>
  classifyChange({ ...evidence, ...given, changes: changesByFile(editsOf(turn({ actions: [action] }).actions, [], '/home/dev/app')) })

test('a request that says what is broken asks for a fix, unless it asks for something new', () => {
  expect(typeOf({ request: 'The order of the list is wrong.' })).toBe('bugfix')
  expect(typeOf({ request: 'Correct the bug in the list.' })).toBe('bugfix')
  expect(typeOf({ request: 'Add a retry, it fails without one.' })).toBe('change')
  expect(typeOf({ request: 'The guide is wrong.' }, docs)).toBe('change')
})

test('the subject of a commit counts more than the request, but a document is no feature', () => {
  expect(typeOf({ subject: 'feat: sort the list', request: 'Fix the list' })).toBe('feature')
  expect(typeOf({ subject: 'Add a guide' }, docs)).toBe('change')
  expect(typeOf({ subject: 'Avoid a crash' })).toBe('bugfix')
})

test('a title that says what was wrong describes a fix; one that says what fails does not', () => {
  expect(typeOf({ title: 'The time zone was wrong in the list' })).toBe('bugfix')
  expect(typeOf({ title: 'The build fails' })).toBe('change')
})
