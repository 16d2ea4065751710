import { expect, test } from 'bun:test'
import { temporaryStore } from '../../test/support/builders.ts'
import type { Hit } from '../core/hit.ts'
import { asProjectKey } from '../core/ids.ts'
import type { NewCommit } from '../store/store.ts'
import { describeCommits } from './commit-lines.ts'

const NOW = Date.UTC(2026, 10, 17)
const DAY = 86_400_000

const commit = (letter: string, daysAgo: number, given: Partial<NewCommit> = {}): NewCommit => ({
  hash: letter.repeat(40),
  subject: `Change ${letter}`,
  body: 'The retry waits 250 ms, because the museum answers slowly.',
  files: ['src/retry.ts'],
  fileCount: 1,
  author: 'dev',
  at: NOW - daysAgo * DAY,
  type: 'decision',
  reverts: null,
  ...given,
})

async function describedHits(commits: NewCommit[], order: (number | null)[]) {
  using t = await temporaryStore()
  await t.store.transaction(() => t.store.commits.add(asProjectKey('app'), commits))
  const hits = order.map(
    (id) =>
      ({
        kind: id === null ? 'note' : 'commit',
        id: String(id ?? 'n'),
        at: id === null ? NOW : (commits[id - 1]?.at ?? 0),
        tokens: 9,
      }) as Hit,
  )
  const described = await describeCommits(t.store, hits, NOW)
  return { ids: described.hits.map(({ id }) => id), lines: hits.map((hit) => described.lines.get(hit)) }
}

test('the newest commit takes the first place of a commit, and other memories keep theirs', async () => {
  const { ids } = await describedHits([commit('a', 9), commit('b', 2), commit('c', 5)], [1, null, 2, 3])
  expect(ids).toEqual(['2', 'n', '3', '1'])
})

test('a commit is shown with its date, its author and what it settled', async () => {
  const { lines } = await describedHits([commit('a', 9)], [1, null])
  expect(lines).toEqual([
    'C1 · 9d · Change a — settled in commit aaaaaaa on 2026-11-08 by dev: The retry waits 250 ms, because the museum answers slowly. · ~9t',
    undefined,
  ])
})

test('an older commit names the later one that changed the same file', async () => {
  const other = commit('c', 1, { files: ['README.md', 'docs/museum.md'] })
  const { lines } = await describedHits([commit('a', 9, { files: ['src/a.ts', 'src/retry.ts'] }), commit('b', 2), other], [1, 2, 3])
  expect(lines[0]).toContain(' by dev, before C2 changed the same file: ')
  expect(lines[1]).not.toContain('changed the same file')
  expect(lines[2]).not.toContain('changed the same file')
})
