import { expect, test } from 'bun:test'
import { growth, LINEAR } from '../../test/support/growth.ts'
import { changedValues, isAboutValueOf, valuesIn } from './changed-values.ts'

test.each([
  ['Retries now wait for at most 30 s instead of 10 s. All tests pass.', ['10s']],
  ['I raised the timeout of the upload from 5 seconds to 20 seconds.', ['5s']],
  ['The cache keeps entries for 2 days rather than 7 days.', ['7days']],
  ['`MAX_TOKENS` is now 700 (was 500).', ['500']],
  ['Bumped bun from 1.3.2 to 1.4.4.', ['1.3.2']],
  ['The header is `X-Request-Id` instead of `X-Trace`.', ['x-trace']],
  ['The port is no longer 8080, but 9090.', ['8080']],
])('%s changes a value', (text, old) => {
  expect(changedValues(text).map((one) => one.old)).toEqual(old)
})

test.each([
  'We retry with full jitter instead of fixed delays: four tries, at most 10 s.',
  'It took 3 s instead of 2 days.',
  'Read lines 10 to 20 from 5 files.',
  'The test passes 10 times out of 10.',
  'Phase 13 depends on phase 12, not 12.1.',
  'The number of retries was changed from 2 to 3.',
  'The wait was changed from 10 s to 10 seconds.',
  'It expects 1 rewind point instead of 2.',
  'The function takes `CheckpointId` instead of `string`.',
  'It now shows 71.4 % instead of 100 %.',
  '',
])('%s changes no value', (text) => {
  expect(changedValues(text)).toEqual([])
})

test('values are compared without spaces, case and long units', () => {
  expect([...valuesIn('four tries, at most 10 seconds, `Cache-Control`, v2.1')]).toEqual(['10s', 'cache-control', 'v2.1'])
})

test('a change is about the value in a sentence that shares a word, in any form, and not one that fits every value', () => {
  const [change] = changedValues('Retries now wait for at most 30 s instead of 10 s.')
  const isAbout = (text: string) => change !== undefined && isAboutValueOf(change, text)
  expect(isAbout('We retry with jitter, at most 10 s.')).toBe(true)
  expect(isAbout('We retry with jitter. The upload takes 10 s.')).toBe(false)
  expect(isAbout('The default limit is at most 10 s.')).toBe(false)
})

test('reading a long text full of numbers takes linear time', () => {
  const text = '1 from 2 to 3 instead of 4, '.repeat(200)
  expect(growth(changedValues, text)).toBeLessThan(LINEAR)
  expect(growth(valuesIn, text)).toBeLessThan(LINEAR)
})
