import { compareSuites } from '../core/check-command.ts'
import type { OpenFailure, PassedTestRun } from '../core/memory.ts'

/** How many turns with passing tests are checked for failures that they fixed. */
export const MAX_PASSING_TURNS = 50

/** Another session may have continued the work: a later run of the same tests, or of all tests by what may be the same program, that passed. */
export function isFixedBy(failure: OpenFailure, pass: PassedTestRun): boolean {
  return pass.at > failure.at && (pass.command === failure.command || (pass.isWhole && compareSuites(pass, failure) !== 'other'))
}
