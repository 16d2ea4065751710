import { expect, test } from 'bun:test'
import { describeInjectionEvent } from './injection-event.ts'

test('an injection is named by when it happened', () => {
  expect(describeInjectionEvent('SessionStart')).toBe('At the start of a session')
  expect(describeInjectionEvent('file:src/a.ts')).toBe('When src/a.ts was opened')
  expect(describeInjectionEvent('error:P7')).toBe('After an error that was fixed before')
  expect(describeInjectionEvent('SomethingNew')).toBe('SomethingNew')
})
