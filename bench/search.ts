/**
 * Measures search in stores of growing size: bench/search.ts [--full | sizes…]. Queries go through `answerQuery`, by words and by meaning with the
 * built-in word vectors. The baseline is plain FTS5: any of the words, ranked by bm25.
 */
import { Database } from 'bun:sqlite'
import { meaningOf } from '../eval/meaning.ts'
import type { ProjectKey } from '../src/core/ids.ts'
import { answerQuery } from '../src/retrieval/answer.ts'
import type { SemanticSearch } from '../src/retrieval/search.ts'
import { type Measurement, printGrowth } from './growth.ts'
import { BIG_PROJECT, SMALL_PROJECT, seededRandom, wordMaker, wordOfRank } from './sample-store.ts'

const DAY_MS = 86_400_000
const GOALS = { 100000: 10, 1000000: 50 }

/** Filters that allow most documents, some, a single old one, and none. */
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

await printGrowth('Search', async ({ store, path, vectors }) => {
  const random = seededRandom(11)
  const words = wordMaker(random)
  // Three of the commonest words: the first is in nearly every memory, the last in half of them.
  const common = () =>
    [0, 1, 2, 3, 5, 8]
      .map(wordOfRank)
      .sort(() => random() - 0.5)
      .slice(0, 3)
      .join(' ')
  const db = new Database(path, { readonly: true })
  const plain = db.prepare<{ rowid: number }, [string]>(
    'SELECT rowid FROM fulltext WHERE fulltext MATCH ? ORDER BY bm25(fulltext) LIMIT 20',
  )
  const plainly = async (question: string) => plain.all(question.split(' ').join(' OR '))
  const [newest] = await store.observations.recent(BIG_PROJECT, 1)
  const last = newest?.at ?? 0
  const aDay = new Date(last - 3 * DAY_MS).toISOString().slice(0, 10)
  const shipped = meaningOf(vectors)
  const ask = (question: string, project: ProjectKey | null = null, meaning: SemanticSearch | null = shipped) =>
    answerQuery(store, question, { project, limit: 20, offset: 0 }, last + DAY_MS, meaning)
  return {
    'plain FTS5, common words': { run: () => plainly(common()), rounds: 7 },
    'plain FTS5, ordinary question': { run: () => plainly(words(7)), rounds: 7 },
    'common words, all projects': { run: () => ask(common()), goals: GOALS },
    'common words, by words alone': { run: () => ask(common(), null, null) },
    'common words, a large project': { run: () => ask(common(), BIG_PROJECT), goals: GOALS },
    'common words, a small project': { run: () => ask(common(), SMALL_PROJECT) },
    'common words, since a day': { run: () => ask(`${common()} since:${aDay}`) },
    'common words, a day in the text': { run: () => ask(`${common()} on ${aDay}`) },
    'ordinary question, all projects': { run: () => ask(words(7)), goals: GOALS },
    'ordinary question, by words alone': { run: () => ask(words(7), null, null) },
    'ordinary question, a large project': { run: () => ask(words(7), BIG_PROJECT) },
    'ordinary question, a small project': { run: () => ask(words(7), SMALL_PROJECT) },
    'recent work, newest first': { run: () => ask('what did I do last week', BIG_PROJECT) },
    'one unknown word': { run: () => ask(`${words(1)}qx`) },
    ...filtered(ask, { '': () => '', ', common words': common, ', seven words': () => words(7) }),
  }
})

/** Every filter alone and with words. */
function filtered(ask: (question: string) => Promise<unknown>, queries: Record<string, () => string>): Record<string, Measurement> {
  const timed = [...FILTERS, `path:src/${wordOfRank(200)}/`, 'path:src/none.ts'].flatMap((filter) =>
    Object.entries(queries).map(([name, words]): [string, Measurement] => [
      filter + name,
      { run: () => ask(`${words()} ${filter}`), rounds: 20, goals: { 1000000: 50 } },
    ]),
  )
  return Object.fromEntries(timed)
}
