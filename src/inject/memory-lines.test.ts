import { describe, expect, test } from 'bun:test'
import { observation, summary } from '../../test/support/builders.ts'
import type { Summary } from '../core/memory.ts'
import { failingLines, observationLine, summaryLines } from './memory-lines.ts'

const said = (title: string, subtitle: string, filesModified: string[] = []) =>
  observationLine(observation({ title, subtitle, filesModified }), 10_000_000).split(' · ').slice(3, -1).join(' · ')

describe('a subtitle is shown if it adds something', () => {
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

  test('a file that only the hidden subtitle mentioned is still shown', () => {
    expect(said('clock.ts: changed now', 'src/clock.ts: changed now', ['src/clock.ts'])).toBe('clock.ts: changed now [src/clock.ts]')
  })
})

describe('the question is shown if the answer makes no sense without it', () => {
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

describe('work with its commit', () => {
  const work = observation({ id: 1, title: 'Set the clock right', filesModified: ['src/clock.ts', 'src/day.ts', 'src/night.ts'] })
  const line = (title: string, o = work) =>
    observationLine(o, 10_000_000, null, observation({ id: 2, title }))
      .split(' · ')
      .slice(3, -1)
      .join(' · ')

  test('names the commit by its title if that adds something, else only by its id', () => {
    expect(line('Stop the leak')).toBe('Set the clock right — #2: Stop the leak [src/clock.ts]')
    expect(line('Set the clock right')).toBe('Set the clock right (also #2) [src/clock.ts]')
  })

  test('names one file with its commit, two without, and none that the title names', () => {
    expect(said('Set the clock right', '', work.filesModified)).toBe('Set the clock right [src/clock.ts, src/day.ts]')
    expect(line('Stop the leak', { ...work, title: 'Set src/clock.ts right' })).toBe('Set src/clock.ts right — #2: Stop the leak')
  })
})

test('consecutive lines on a branch with a long name show the name once', () => {
  const on = (branch: string) => ({ ...observation({ title: 'Fixed' }), branch })
  const line = (branch: string, above: string) => observationLine(on(branch), 10_000_000, 'main', null, on(above)).split(' · ')[3]
  expect(line('team/some-long-branch', 'team/some-long-branch')).toBe('Fixed (as above)')
  expect(line('team/some-long-branch', 'other')).toBe('Fixed (team/some-long-branch)')
  expect(line('next', 'next')).toBe('Fixed (next)')
})

test('the two latest failures are shown with the names of their tests, unless the next steps mention them', () => {
  const failure = (command: string, ...names: string[]) => ({ command, names, error: '', at: 10_000_000, promptNumber: 1 })
  const failing = [failure('go test', 'a'), failure('bun test', 'b', 'c', 'd', 'e'), failure('npm test'), failure('pytest', 'f')]
  const lines = (nextSteps: string) =>
    failingLines(failing, summary({ nextSteps }), 10_000_000).map((line) => line.split(': ').slice(1).join(': '))
  expect(lines('')).toEqual(['`pytest`: f', '`bun test`: b; c; d'])
  expect(lines('Run `pytest` again')).toEqual(['`bun test`: b; c; d', '`go test`: a'])
})

describe('a summary shows the fields that add something', () => {
  const lines = (given: Partial<Summary>, title = '') =>
    summaryLines(summary({ request: 'Set the clock right', completed: '', ...given }), title)

  test.each(['commit', 'yes please', 'Commit this and push', 'ok, go ahead!'])('%s does not say what the work was about', (request) => {
    expect(lines({ request, completed: 'The clock is right' })).toEqual(['- Done: The clock is right'])
  })

  test('fields that repeat the title or the result are left out, and so are commits', () => {
    const completed = 'Set the clock right'
    expect(lines({ completed, notes: 'commits: Set the clock right' }, 'Clock')).toEqual(['- Done: Set the clock right'])
    expect(lines({ completed: 'Divided by 1000', notes: 'pull request #7' })).toEqual([
      '- Asked: Set the clock right',
      '- Done: Divided by 1000',
      '- Notes: pull request #7',
    ])
  })

  test('a plan is not called done', () => {
    expect(lines({ completed: 'Plan: Warm the cache' }, 'Set the clock right')).toEqual(['- Planned: Warm the cache'])
  })

  test('investigated files are shown if there is no result', () => {
    const investigated = 'Read src/clock.ts'
    expect(lines({ investigated })).toEqual(['- Asked: Set the clock right', '- Looked at: Read src/clock.ts'])
    expect(lines({ investigated, learned: 'exp is in seconds' })).toEqual(['- Asked: Set the clock right', '- Learned: exp is in seconds'])
  })
})
