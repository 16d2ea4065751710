/**
 * Decision coverage: bug reports whose fix depends on a rule that an earlier chat or commit settled. Scores how much of the rule is in the text that is shown
 * with the report as a prompt, whether an amended rule comes before the one it replaced, and whether nothing is shown when nothing settled it.
 */
import { join } from 'node:path'
import { parseArguments } from '../scripts/arguments.ts'
import { asProjectKey } from '../src/core/ids.ts'
import { recallFor } from '../src/inject/brief.ts'
import { findReplacedThread } from '../src/retrieval/replacements.ts'
import { search } from '../src/retrieval/search.ts'
import type { Store } from '../src/store/store.ts'
import { zeroImportCounts } from '../src/worker/import-counts.ts'
import { importGitHistory } from '../src/worker/import-git.ts'
import { someServices } from '../test/support/services.ts'
import { type DecisionQuestion, type DecisionSet, decisionSet, hasData, NO_DATA } from './data.ts'
import { importInto } from './ingest.ts'
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

/** Rules settled in a chat; settled and amended in a later chat; settled in a commit; settled nowhere. */
export type DecisionScores = Record<'settled' | 'amended' | 'history' | 'absent', DecisionScore>

export async function scoreDecisions(show: (line: string) => void = () => {}): Promise<DecisionScores> {
  const set = decisionSet()
  const decoys = set.sessions.filter(({ id }) => id.startsWith('decoy-'))
  const chatsOf = (of: DecisionQuestion[]) =>
    set.sessions.filter(({ id }) => of.some(({ gold }) => gold.includes(id)) || id.startsWith('decoy-'))
  const from = (source: string) => set.questions.filter((question) => question.source === source)
  const [settled, amended] = [from('conversation'), from('conversation-amended')]
  return {
    settled: await scoreIn(settled, chatsOf(settled), null, show),
    amended: await scoreIn(amended, chatsOf(amended), null, show),
    history: await scoreIn(from('history'), decoys, set, show),
    absent: await scoreIn(settled, decoys, null, show),
  }
}

/** Asks the questions in a project with these chats and, if given, a repository with the set's commits. */
async function scoreIn(
  questions: DecisionQuestion[],
  chats: DecisionSet['sessions'],
  history: DecisionSet | null,
  show: (line: string) => void,
): Promise<DecisionScore> {
  const project = asProjectKey('decisions')
  await using at = await someServices()
  const { store } = at
  await importInto(
    store,
    chats.map((chat) => transcriptOf({ ...chat, exchanges: chat.exchanges.map((one) => ({ tools: [], ...one })) })),
    project,
  )
  if (history) {
    const folder = join(at.folder, 'repository')
    await writeRepository(folder, history)
    for await (const _ of importGitHistory(at.desk, { folder, since: null, project }, zeroImportCounts()));
  }
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

/**
 * A real repository with the set's commits. The commits that settle a rule are spread over the first half of the history, and later commits to
 * the same files over the second.
 */
async function writeRepository(folder: string, { commits, decisions }: DecisionSet): Promise<void> {
  const history = commits.toReversed().map(({ subject, body, at, files }) => ({
    at: Date.parse(at) / 1000,
    message: `${subject}\n\n${body}`,
    file: files[0] ?? 'README.md',
  }))
  const step = Math.floor(history.length / (decisions.length * 2 + 2))
  for (const [i, { subject, body, file = 'README.md', later_subject: later = 'perf: simplify' }] of decisions.entries()) {
    history.splice(step * (i + 1), 0, { at: 0, message: `${subject}\n\n${body}`, file })
    history.splice(step * (decisions.length + i + 2), 0, { at: 0, message: `${later}\n`, file })
  }
  let seconds = 0
  const stream = history.map(({ at, message, file }, i) => {
    seconds = Math.max(seconds + 60, at)
    return [
      `commit refs/heads/main\nmark :${i + 1}\ncommitter someone <someone@example.com> ${seconds} +0000`,
      `data ${Buffer.byteLength(message)}\n${message}`,
      ...(i > 0 ? [`from :${i}`] : []),
      `M 100644 inline ${file.replace(/[^\w./-]/g, '_')}\ndata ${String(i).length + 1}\n${i}\n\n`,
    ].join('\n')
  })
  await Bun.$`git init -q -b main ${folder}`.quiet()
  await Bun.$`git -C ${folder} fast-import --quiet < ${new Response(stream.join(''))}`.quiet()
}

/** The work of the job that follows distilling. */
export async function linkReplacements(store: Store): Promise<void> {
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
  const { values } = parseArguments('bin/with-bun eval/decisions.ts [--show]', { show: { type: 'boolean', default: false } } as const)
  if (hasData) console.table(await scoreDecisions(values.show ? console.log : undefined))
  else console.log(NO_DATA)
}
