/** How finding grows with what is remembered: bench/search.ts [--full | sizes…]. The baseline is plain FTS5: any of the words, by bm25. */
import { Database } from 'bun:sqlite'
import { answer } from '../src/retrieval/answer.ts'
import { search } from '../src/retrieval/search.ts'
import type { Store } from '../src/store/store.ts'
import { BIG, SMALL, seeded, wordMaker, wordOf } from './filled.ts'
import { printGrowth, type Timed } from './growth.ts'

const NOW = 1_800_000_000_000
const NEWEST = {
  project: null,
  kinds: ['observation' as const],
  since: 0,
  before: Number.MAX_SAFE_INTEGER,
  limit: 1,
}

/** Most of what there is, a part, one thing that is old, and nothing at all. */
const FILTERS = [
  'source:plain',
  'source:person',
  'source:nobody',
  'kind:summary',
  'type:change',
  'session:session-0',
  'tag:none',
  'branch:none',
]

await printGrowth('Search', async (store, path) => {
  const random = seeded(11)
  const words = wordMaker(random)
  // Three of the commonest: the first stands in nearly every memory, the last in half of them.
  const common = () =>
    [0, 1, 2, 3, 5, 8]
      .map(wordOf)
      .sort(() => random() - 0.5)
      .slice(0, 3)
      .join(' ')
  const db = new Database(path, { readonly: true })
  const plain = db.prepare<{ rowid: number }, [string]>(
    'SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY bm25(fulltext) LIMIT 20',
  )
  const plainly = async (question: string) => plain.all(question.split(' ').join(' OR '))
  const lastDay = ((await store.documents.newest(NEWEST))[0]?.at ?? 0) - 86_400_000
  return {
    'plain FTS5, common words': { run: () => plainly(common()), rounds: 7 },
    'plain FTS5, ordinary question': { run: () => plainly(words(7)), rounds: 7 },
    'common words, all projects': { run: () => search(store, common()), goals: { 100000: 10, 1000000: 50 } },
    'common words, a large project': { run: () => search(store, common(), { project: BIG }), goals: { 100000: 10, 1000000: 50 } },
    'common words, a small project': { run: () => search(store, common(), { project: SMALL }) },
    'common words, the last day': { run: () => search(store, common(), { since: lastDay }) },
    'ordinary question, all projects': { run: () => search(store, words(7)), goals: { 100000: 10, 1000000: 50 } },
    'ordinary question, a large project': { run: () => search(store, words(7), { project: BIG }) },
    'ordinary question, a small project': { run: () => search(store, words(7), { project: SMALL }) },
    'one word that nobody has written': { run: () => search(store, `${words(1)}qx`) },
    ...filtered(store, { '': () => '', ', common words': common, ', seven words': () => words(7) }),
  }
})

/** Every filter alone and with words. */
function filtered(store: Store, asked: Record<string, () => string>): Record<string, Timed> {
  const timed = [...FILTERS, `path:src/${wordOf(200)}/`, 'path:src/none.ts'].flatMap((filter) =>
    Object.entries(asked).map(([name, words]): [string, Timed] => {
      const run = () => answer(store, `${words()} ${filter}`, { project: null, limit: 20, offset: 0 }, NOW)
      return [filter + name, { run, rounds: 20, goals: { 1000000: 50 } }]
    }),
  )
  return Object.fromEntries(timed)
}
