import { describe, expect, test } from 'bun:test'
import { observation, storedPrompt } from '../../test/support/builders.ts'
import { chooseRecentWork, isSmallWork, topicOf } from './recent-work.ts'
import type { WorkResult } from './results.ts'

const DAY = 86_400_000
const NOW = 100 * DAY
const LONG = 'The retry module waits 250 ms, then 500 ms, then a second, and gives up after four tries. '.repeat(5)

const result = (id: number, title: string, answer: string, daysAgo: number, branch: string | null = 'main'): WorkResult => ({
  thread: { id, sessionId: id, first: 1, last: 1, outcome: 1, replacedBy: null },
  session: `s${id}`,
  title,
  outcome: storedPrompt({ id, sessionId: id, number: 1, answer, at: NOW - daysAgo * DAY }),
  branch,
})

const places = (results: WorkResult[], branch: string | null) => {
  const { quoted, indexed, left } = chooseRecentWork(results, [], branch, NOW)
  const ids = (of: typeof quoted) => of.map((one) => one.result.outcome.id)
  return { quoted: ids(quoted), indexed: ids(indexed), left: ids(left) }
}

test('of a branch that everyone works on, the latest work is quoted, the week before it is named, and older work is not', () => {
  const results = [0, 1, 3, 5, 6, 40].map((days, n) => result(n + 1, `Work ${n}`, LONG, days))
  expect(places(results, 'main')).toEqual({ quoted: [1, 2], indexed: [3, 4, 5], left: [6] })
})

test('each result has the reason for its place', () => {
  const whyOf = (results: WorkResult[], branch: string | null) => {
    const { quoted, indexed, left } = chooseRecentWork(results, [], branch, NOW)
    return [...quoted, ...indexed, ...left].map(({ why }) => why)
  }
  expect(whyOf([result(1, 'The pelican ledger', LONG, 50, 'other')], 'pelican-ledger')).toEqual([
    'its subject is in the name of this branch',
  ])
  expect(whyOf([result(1, 'Geese', 'Created a file.', 0.2)], 'main')).toEqual(['small work'])
  expect(whyOf([result(1, 'Retry', LONG, 9, 'login')], 'login')).toEqual(['work on this branch'])
  expect(whyOf([result(1, 'Retry', LONG, 0), result(2, 'Ledger', LONG, 3)], 'main')).toEqual(['recent work', 'recent work'])
  expect(whyOf([result(1, 'Retry', LONG, 1, 'other')], 'login')).toEqual(['work on another branch'])
  expect(whyOf([result(1, 'Retry', LONG, 1, 'other'), result(2, 'Ledger', LONG, 9, 'other')], 'main')).toEqual([
    'recent work',
    'more than 2 days old',
  ])
  const many = [0, 0.1, 0.2, 0.3, 0.4, 0.5].map((days, n) => result(n + 1, `Work ${n}`, LONG, days))
  expect(whyOf(many, 'main').at(-1)).toBe('recent work, but enough is shown')
})

test('old work on the own branch is named, not quoted', () => {
  expect(places([result(1, 'Newest', LONG, 0, 'login'), result(2, 'Retry', LONG, 20, 'login')], 'login')).toEqual({
    quoted: [1],
    indexed: [2],
    left: [],
  })
})

test('a project that rested continues where it stopped', () => {
  expect(places([result(1, 'Retry', LONG, 60), result(2, 'Ledger', LONG, 63)], 'main')).toEqual({ quoted: [1], indexed: [2], left: [] })
})

test('on a branch of its own, work on other branches is left out, unless the name of the branch speaks of it', () => {
  const results = [
    result(1, 'Anything', LONG, 1, 'other'),
    result(2, 'The pelican ledger', LONG, 50, 'other'),
    result(3, 'Own work', LONG, 9, 'someone/pelican-ledger'),
  ]
  expect(places(results, 'someone/pelican-ledger')).toEqual({ quoted: [2, 3], indexed: [], left: [1] })
  expect(places(results, 'brand-new')).toEqual({ quoted: [], indexed: [], left: [1, 2, 3] })
})

test('the topic of a branch has neither the person who made it nor words that much of the work has', () => {
  const results = [1, 2, 3, 4].map((id) => result(id, 'The ledger', LONG, id))
  expect([...topicOf('someone/ledger-pelicans', results)]).toEqual(['pelica'])
  expect(topicOf('main', results).size).toBe(0)
  expect(topicOf(null, results).size).toBe(0)
})

describe('small work', () => {
  const trial = result(1, 'Write about geese', 'Done - created `docs/geese.md` with an overview of geese.', 0.2)

  test('is a short answer about one file; it is named for a day, on its own branch', () => {
    expect(isSmallWork(trial, [])).toBe(true)
    expect(places([trial], 'main')).toEqual({ quoted: [], indexed: [1], left: [] })
    expect(places([{ ...trial, branch: 'test' }], 'main')).toEqual({ quoted: [], indexed: [], left: [1] })
    expect(places([result(1, trial.title, trial.outcome.answer ?? '', 2)], 'main')).toEqual({ quoted: [], indexed: [], left: [1] })
  })

  test('is not a long thread that changed a file', () => {
    const long = { ...trial, thread: { ...trial.thread, last: 5 } }
    const changed = observation({ sessionId: 1, promptNumber: 4, filesModified: ['a.ts'] })
    expect([isSmallWork(long, []), isSmallWork(long, [changed]), isSmallWork(trial, [{ ...changed, promptNumber: 1 }])]).toEqual([
      true,
      false,
      true,
    ])
  })

  test('is not what changed several files, says a lot, settles something or gives a reason', () => {
    const changed = observation({ sessionId: 1, promptNumber: 1, filesModified: ['a.ts', 'b.ts'] })
    expect(isSmallWork(trial, [changed])).toBe(false)
    expect(isSmallWork(result(1, 'Retry', LONG, 1), [])).toBe(false)
    expect(isSmallWork(result(1, 'Cache', 'Settled: the cache is a JSON file in the home folder.', 1), [])).toBe(false)
    expect(isSmallWork(result(1, 'Cache', 'It is a JSON file, because the native build breaks.', 1), [])).toBe(false)
  })
})
