import { expect, test } from 'bun:test'
import { codeMode } from '../../../test/support/modes.ts'
import { CONCEPTS, OBSERVATION_TYPES } from '../../core/memory.ts'
import { countTokens } from '../../core/tokens.ts'
import { fillPlaceholders, readMode } from './mode.ts'

test('the shipped mode knows every type and concept, and is short', () => {
  const mode = codeMode()
  expect([mode.types, mode.concepts]).toEqual([[...OBSERVATION_TYPES], [...CONCEPTS]])
  expect(countTokens(mode.system + mode.summary)).toBeLessThan(600)
})

test.each([
  ['system = ', 'not valid TOML'],
  ['system = "<observation>"', 'initial'],
  [
    'system = "say something"\ninitial = "{request}"\ncontinuation = "{request}"\nsummary = "s"\ntypes = ["bugfix"]\nconcepts = ["gotcha"]',
    '<observation>',
  ],
  [
    'system = "<observation>"\ninitial = "x"\ncontinuation = "{request}"\nsummary = "s"\ntypes = ["bugfix"]\nconcepts = ["gotcha"]',
    '{request}',
  ],
  [
    'system = "<observation>"\ninitial = "{request}"\ncontinuation = "{request}"\nsummary = "s"\ntypes = ["epic"]\nconcepts = ["gotcha"]',
    'types.0',
  ],
])('the reason why %p is unusable names the problem', (toml, problem) => {
  const read = readMode(toml)
  expect(read.kind === 'unusable' && read.reason).toContain(problem)
})

test('inserted values are not searched for placeholders', () => {
  expect(fillPlaceholders('{a} and {b}', { a: '{b}', b: '2' })).toBe('{b} and 2')
})
