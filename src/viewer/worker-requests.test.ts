import { expect, test } from 'bun:test'
import { describeFailure, filterValue } from './worker-requests.ts'

test('a failure says what to do: start the worker, sign in again, or what the worker refused', () => {
  for (const kind of ['unreachable', 'late'] as const)
    expect(describeFailure({ kind, reason: 'ECONNREFUSED' } as Parameters<typeof describeFailure>[0])).toContain('recollect start')
  expect(describeFailure({ kind: 'refused', status: 401, reason: 'no cookie' })).toContain('recollect view')
  expect(describeFailure({ kind: 'refused', status: 400, reason: 'a note needs a text' })).toBe('a note needs a text')
})

test('an empty filter in the address is no filter', () => {
  expect([filterValue(''), filterValue('app')]).toEqual([undefined, 'app'])
})
