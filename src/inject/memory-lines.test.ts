import { describe, expect, test } from 'bun:test'
import { observation, summary } from '../../test/support/builders.ts'
import type { Summary } from '../core/memory.ts'
import { factLines, observationLine, summaryLines } from './memory-lines.ts'

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

test('a count that changed in prose is not told, a number that changed in code is', () => {
  const facts = [
    'STATE.md: `8 pending todo(s):` → `10 pending todo(s):`',
    'src/a.ts: `const wait = 8` → `const wait = 10`',
    'a.md: `8 days` → `8 weeks`',
  ]
  expect(factLines(observation({ facts }))).toEqual([`  - ${facts[1]}`, `  - ${facts[2]}`])
})

test('of a line and what it became nothing is told when either is cut, for that may be what differs', () => {
  const whole = 'clock.ts: `a * 1000` → `a`'
  const facts = ['clock.ts: `return readClock(…` → `return readClock(…`', 'clock.ts: `a` → `return readClock(…`', whole]
  expect(factLines(observation({ facts }))).toEqual([`  - ${whole}`])
})

test('a branch with a long name is named once for the lines that follow each other on it', () => {
  const on = (branch: string) => ({ ...observation({ title: 'Fixed' }), branch })
  const line = (branch: string, above: string) => observationLine(on(branch), 10_000_000, 'main', null, on(above)).split(' · ')[3]
  expect(line('team/some-long-branch', 'team/some-long-branch')).toBe('Fixed (as above)')
  expect(line('team/some-long-branch', 'other')).toBe('Fixed (team/some-long-branch)')
  expect(line('next', 'next')).toBe('Fixed (next)')
})

describe('a summary says what adds something', () => {
  const lines = (given: Partial<Summary>, title = '') =>
    summaryLines(summary({ request: 'Set the clock right', completed: '', ...given }), title)

  test.each(['commit', 'yes please', 'Commit this and push', 'ok, go ahead!'])('%s is not what was done', (request) => {
    expect(lines({ request, completed: 'The clock is right' })).toEqual(['- Done: The clock is right'])
  })

  test('what the title and what was done say is not said again, nor are commits', () => {
    const completed = 'Set the clock right'
    expect(lines({ completed, notes: 'commits: Set the clock right' }, 'Clock')).toEqual(['- Done: Set the clock right'])
    expect(lines({ completed: 'Divided by 1000', notes: 'pull request #7' })).toEqual([
      '- Asked: Set the clock right',
      '- Done: Divided by 1000',
      '- Notes: pull request #7',
    ])
  })

  test('what was looked at is told where nothing came of it', () => {
    const investigated = 'Read src/clock.ts'
    expect(lines({ investigated })).toEqual(['- Asked: Set the clock right', '- Looked at: Read src/clock.ts'])
    expect(lines({ investigated, learned: 'exp is in seconds' })).toEqual(['- Asked: Set the clock right', '- Learned: exp is in seconds'])
  })
})
