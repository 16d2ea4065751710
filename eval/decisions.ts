/**
 * Decision coverage: bug reports whose fix depends on a rule that an earlier chat settled. Scores how much of the rule is in the text that is shown
 * with the report as a prompt, whether an amended rule comes before the one it replaced, and whether nothing is shown when no chat settled it.
 */
import { asProjectKey } from '../src/core/ids.ts'
import { recallFor } from '../src/inject/brief.ts'
import { findReplacedThread } from '../src/retrieval/replacements.ts'
import { search } from '../src/retrieval/search.ts'
import type { Store } from '../src/store/store.ts'
import { type DecisionQuestion, decisionSet } from './data.ts'
import { importedStore } from './ingest.ts'
import { meaningIn, shippedTable } from './meaning.ts'
import { transcriptOf } from './transcripts.ts'

export type DecisionScore = {
  asked: number
  silent: number
  words: number
  numbers: number
  tokens: number
  newerFirst: number
  marked: number
}

export type DecisionScores = { settled: DecisionScore; amended: DecisionScore; absent: DecisionScore }

export async function scoreDecisions(show: (line: string) => void = () => {}): Promise<DecisionScores> {
  const { sessions, questions } = decisionSet()
  const decoys = sessions.filter(({ id }) => id.startsWith('decoy-'))
  const chatsOf = (of: DecisionQuestion[]) =>
    sessions.filter(({ id }) => of.some(({ gold }) => gold.includes(id)) || id.startsWith('decoy-'))
  const from = (source: string) => questions.filter((question) => question.source === source)
  return {
    settled: await scoreIn(from('conversation'), chatsOf(from('conversation')), show),
    amended: await scoreIn(from('conversation-amended'), chatsOf(from('conversation-amended')), show),
    absent: await scoreIn(from('conversation'), decoys, show),
  }
}

async function scoreIn(
  questions: DecisionQuestion[],
  chats: ReturnType<typeof decisionSet>['sessions'],
  show: (line: string) => void,
): Promise<DecisionScore> {
  const project = asProjectKey('decisions')
  using filled = await importedStore(
    chats.map((chat) => transcriptOf({ ...chat, exchanges: chat.exchanges.map((one) => ({ tools: [], ...one })) })),
    project,
  )
  const { store } = filled
  await linkReplacements(store)
  const meaning = await meaningIn(store, shippedTable)
  const names = new Map([...store.sessions.each()].map(({ id, contentSessionId }) => [id, contentSessionId as string]))
  const rows = []
  for (const { q, policy, gold, id } of questions) {
    const { text } = await recallFor(store, { project, id: null }, q, Date.parse('2026-03-01'), 1000, meaning)
    const hits = await search(store, q, { project, limit: 20 }, meaning)
    const ranked = [...new Set(hits.map((hit) => names.get(hit.sessionId ?? -1)))]
    const ranks = gold.map((one) => ranked.indexOf(one) + 1 || 99)
    const asked = new Set(words(q))
    const rule = words(policy)
    const own = rule.filter((word) => !asked.has(word))
    const numbers = rule.filter((word) => /^\d/.test(word))
    const row = {
      silent: text === '',
      words: share(own, text),
      numbers: share(numbers, text),
      tokens: Math.ceil(text.length / 4),
      newerFirst: ranks.length > 1 && (ranks.at(-1) ?? 99) < (ranks[0] ?? 99),
      marked: ranks.length > 1 && /replaced/i.test(text),
    }
    rows.push(row)
    show(`\n>> ${id} ${JSON.stringify(row)}\nrule: ${policy}\n${text}`)
  }
  return {
    asked: rows.length,
    silent: rows.filter((row) => row.silent).length,
    words: mean(rows.map((row) => row.words)),
    numbers: mean(rows.map((row) => row.numbers)),
    tokens: Math.round(mean(rows.map((row) => row.tokens))),
    newerFirst: rows.filter((row) => row.newerFirst).length,
    marked: rows.filter((row) => row.marked).length,
  }
}

/** What the worker does in a job after distilling. */
async function linkReplacements(store: Store): Promise<void> {
  for (const { id } of [...store.sessions.each()])
    for (const thread of await store.threads.ofSession(id)) {
      const replaced = await findReplacedThread(store, thread)
      if (replaced) await store.threads.setReplaced(replaced.id, thread.id)
    }
}

const STOP_WORDS = new Set(
  'the a an of to and or in is are be by for on with not no only exactly must at as it its from into after before than then when ever never any all each per via same also this that if else one two both keep keeps kept over under up down apply applies rule rules set'.split(
    ' ',
  ),
)

/** The words of a rule by their first five letters, and its numbers. */
function words(text: string): string[] {
  const all = (text.match(/[A-Za-z_]{3,}|\d+(?:\.\d+)?/g) ?? []).map((word) => word.toLowerCase()).filter((word) => !STOP_WORDS.has(word))
  return [...new Set(all.map((word) => (/^\d/.test(word) ? word : word.slice(0, 5))))]
}

/** Null when there is nothing to look for. */
function share(wanted: string[], text: string): number | null {
  const present = new Set(words(text))
  return wanted.length === 0 ? null : wanted.filter((word) => present.has(word)).length / wanted.length
}

function mean(values: (number | null)[]): number {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? 0 : known.reduce((a, b) => a + b, 0) / known.length
}

if (import.meta.main) {
  const scores = await scoreDecisions(process.argv.includes('--show') ? console.log : undefined)
  console.table(scores)
}
