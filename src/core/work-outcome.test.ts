import { expect, test } from 'bun:test'
import { describeOutcomes, type WorkOutcome } from './work-outcome.ts'

const outcome = (given: Partial<WorkOutcome>): WorkOutcome => ({
  id: 'P9',
  text: 'Mask by suffix.',
  of: 'this work',
  replaced: null,
  ...given,
})

test('an outcome is said once in a list, and then only named', () => {
  expect(describeOutcomes([outcome({}), null, outcome({}), outcome({ of: 'newer work' }), outcome({ of: 'newer work' })])).toEqual([
    'Outcome of this work (P9): Mask by suffix.',
    '',
    'Outcome of this work: P9, above.',
    'Replaced by P9: Mask by suffix.',
    'Replaced by P9, above.',
  ])
})

test('a result says which one it replaced', () => {
  expect(describeOutcomes([outcome({ of: 'this turn', replaced: 'P3' }), outcome({ replaced: 'P3' })])).toEqual([
    'This replaced P3.',
    'Outcome of this work (P9, replaced P3): Mask by suffix.',
  ])
})
