import { describe, expect, test } from 'bun:test'
import { observation } from '../../test/support/builders.ts'
import { factLines, observationLine } from './lines.ts'

const said = (title: string, subtitle: string, filesModified: string[] = []) =>
  observationLine(observation({ title, subtitle, filesModified }), 10_000_000).split(' · ').slice(3, -1).join(' · ')

describe('a subtitle is told where it adds something', () => {
  test.each([
    ['Only src/ stays as it was', 'Only `src/` stays as it was.', 'Only src/ stays as it was'],
    [
      'Review of the suite: I read the source of the cache',
      'I read the source of the cache, and the tokens',
      'Review of the suite: I read the source of the cache',
    ],
    ['Fixed a test: writer.go: changed isControl', 'src/writer.go: changed isControl', 'Fixed a test: writer.go: changed isControl'],
    ['Fixed the clock', 'src/clock.ts: changed now', 'Fixed the clock — src/clock.ts: changed now'],
    ['Fixed the clock', '', 'Fixed the clock'],
  ])('%s, %s', (title, subtitle, line) => {
    expect(said(title, subtitle)).toBe(line)
  })

  test('a file that only the subtitle named is named still', () => {
    expect(said('clock.ts: changed now', 'src/clock.ts: changed now', ['src/clock.ts'])).toBe('clock.ts: changed now [src/clock.ts]')
  })
})

describe('what was asked is told where the answer leans on it', () => {
  test.each([
    ['The shares table reveals who shared with whom', 'The shares table reveals who shared with whom'],
    [
      'It would have caught the problem at once in development',
      'It would have caught the problem at once in development — Asked: and in CI?',
    ],
    ['Hooks fire twice', 'Hooks fire twice — Asked: and in CI?'],
  ])('%s', (title, line) => {
    expect(said(title, 'Asked: and in CI?')).toBe(line)
  })
})

test('a fact that stands in the line does not stand below it again', () => {
  const o = observation({ title: 'Fixed', subtitle: 'commit abc1234 on main', facts: ['commit abc1234 on main', 'The clock was wrong'] })
  expect(factLines(o)).toEqual(['  - The clock was wrong'])
})
