/**
 * What spelling correction and the author signal gain. Asks LoCoMo's and CommitRecall's questions with one typo each (seeded, so every run asks the
 * same), with and without correction; and as they are, with and without the author signal. The prompts of the real transcripts have no right answers, so
 * for them only the pages that the author signal changes are counted.
 */
import { parseArguments } from '../scripts/arguments.ts'
import { distinctiveWordsOf } from '../src/retrieval/query-words.ts'
import { WEIGHTS } from '../src/retrieval/weights.ts'
import type { Store } from '../src/store/store.ts'
import { replay, turnsOf } from './brief.ts'
import { hasData, NO_DATA } from './data.ts'
import { byDefault, type SearchMethod } from './search-methods.ts'
import { openCommitRecall, scoreLocomo } from './sets.ts'

const MAX_QUERY_CHARACTERS = 4000

if (import.meta.main) {
  parseArguments('bin/with-bun eval/typos.ts', {})
  if (hasData) await printTable()
  else console.log(NO_DATA)
}

async function printTable(): Promise<void> {
  const commitRecall = await openCommitRecall()
  const row = async (name: string, method: SearchMethod) => {
    const [locomo, { sessions }] = [await scoreLocomo(method), await commitRecall.score(method)]
    const percent = (share: number) => (100 * share).toFixed(1)
    console.log(
      `| ${name} | ${percent(locomo['any@5'])} | ${percent(locomo['any@10'])} | ${percent(sessions['any@5'])} | ${sessions.mrr.toFixed(3)} |`,
    )
  }
  console.log('| questions | LoCoMo any@5 | any@10 | CommitRecall any@5 | MRR |\n|---|---|---|---|---|')
  await row('as they are', byDefault)
  await row('as they are, without the author signal', withoutAuthor(byDefault))
  await row('one typo each', misspelled(byDefault))
  await row('one typo each, without correction', misspelled(withoutCorrection(byDefault)))
  commitRecall[Symbol.dispose]()
  const { asked, changed } = await countPagesChangedByAuthor()
  console.log(
    `\nReal transcripts: of ${asked} prompts, asked before their session, the author signal changes the first ten hits of ${changed}.`,
  )
}

/** Asks each prompt of the real sessions as a query, in its project as it was before the session. */
async function countPagesChangedByAuthor(): Promise<{ asked: number; changed: number }> {
  let [asked, changed] = [0, 0]
  await replay(async (store, project, session) => {
    if ((await store.documents.count(project)) === 0) return
    const [find, findWithout] = [await byDefault(store), await withoutAuthor(byDefault)(store)]
    const page = async (search: typeof find, prompt: string) =>
      (await search(prompt.slice(0, MAX_QUERY_CHARACTERS), { project, limit: 10 })).map(({ id }) => id).join(' ')
    for (const { prompt } of turnsOf(session)) {
      asked++
      if ((await page(find, prompt)) !== (await page(findWithout, prompt))) changed++
    }
  })
  return { asked, changed }
}

function misspelled(method: SearchMethod): SearchMethod {
  return async (store) => {
    const find = await method(store)
    return (query, options) => find(withTypo(query), options)
  }
}

/** A query with one typo in one of its telling words: a letter missing, doubled or wrong, or two swapped; never among the first two letters. */
export function withTypo(query: string): string {
  const random = seeded(query)
  const words = distinctiveWordsOf(query).filter((word) => /^[a-z]{5,20}$/.test(word))
  const word = words[Math.floor(random() * words.length)]
  if (!word) return query
  const at = 2 + Math.floor(random() * (word.length - 3))
  const [before, letter, next, after] = [word.slice(0, at), word[at] ?? '', word[at + 1] ?? '', word.slice(at + 2)]
  const typos = [
    before + next + after,
    before + letter + letter + next + after,
    `${before}${'etaoinshr'[Math.floor(random() * 9)]}${next}${after}`,
    before + next + letter + after,
  ]
  return query.replace(new RegExp(`\\b${word}\\b`, 'i'), typos[Math.floor(random() * typos.length)] ?? word)
}

/** Numbers from 0 to 1 that depend on the text only. */
function seeded(text: string): () => number {
  let state = 0
  for (const character of text) state = (Math.imul(state, 31) + character.charCodeAt(0)) | 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    return (state >>> 0) / 2 ** 32
  }
}

/** Every word counts as known, so none is corrected. */
function withoutCorrection(method: SearchMethod): SearchMethod {
  return (store) => {
    const { documents } = store
    const knownWords = async (list: string[]) => (list.every((word) => /^[a-z]{5,20}$/.test(word)) ? list : documents.knownWords(list))
    const uncorrected: Store = { ...store, documents: { ...documents, knownWords } }
    return method(uncorrected)
  }
}

function withoutAuthor(method: SearchMethod): SearchMethod {
  return async (store) => {
    const find = await method(store)
    const weights: { author: number } = WEIGHTS
    const { author } = weights
    return async (query, options) => {
      weights.author = 0
      try {
        return await find(query, options)
      } finally {
        weights.author = author
      }
    }
  }
}
