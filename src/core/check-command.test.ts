import { expect, test } from 'bun:test'
import { compareSuites } from './check-command.ts'

test.each([
  ['make test', 'make test', 'same'],
  ['node --test src', 'node --test src/a.test.js', 'same'],
  ['python3 -m pytest', 'pytest tests/a.py', 'same'],
  ['go test ./...', 'go vet ./...', 'other'],
  ['pytest', 'node --test', 'other'],
  ['npm test', 'pytest', 'other'],
  ['npm test', 'vitest run', 'unclear'],
  ['node check.js', 'jest', 'unclear'],
  ['make test', 'cargo test', 'unclear'],
])('a passing %p says about a failed %p: %s', (passed, failed, answer) => {
  expect<string>(compareSuites({ command: passed }, { command: failed })).toBe(answer)
})

test('the program that a script ran counts, if its output names it', () => {
  expect(compareSuites({ command: 'npm test', runner: 'jest' }, { command: 'jest a.test.js' })).toBe('same')
  expect(compareSuites({ command: 'npm test', runner: 'mocha' }, { command: 'jest a.test.js' })).toBe('other')
})
