/**
 * Measures the quality of the memory on a person's own history: `newRankingScore` for searches, `newBriefScore` for briefs, and `evaluate` for both.
 * It only reads the store; it deletes only in a copy. Nothing here calls a text model or the network.
 */
import type { Action, ReadAction } from '../core/action.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Observation, Prompt, ToolUse } from '../core/memory.ts'
import { countTokens } from '../core/tokens.ts'
import { type SemanticSearch, search } from '../retrieval/search.ts'
import type { Store } from '../store/store.ts'
import { type BriefScore, type EvaluatedSession, newBriefScore } from './brief-score.ts'
import { newRankingScore, type RankingScore } from './ranking-score.ts'

export { type BriefScore, type EvaluatedSession, newBriefScore, type UsageScore } from './brief-score.ts'
export { newRankingScore, type RankingScore } from './ranking-score.ts'
export { laterPassages, markRecurring, partWeights } from './recurrence.ts'

export type Evaluation = {
  /** How many sessions were measured, from when to when. */
  sessions: number
  from: number | null
  to: number | null
  brief: BriefScore
  /** `guess`: the score of a random order of the project's sessions. Without commits, all three are null. */
  search: { commits: number; guess: RandomBaseline | null; words: RankingScore | null; meaning: RankingScore | null }
  distillation: DistillationCoverage
}

/** How many of the changed files the memories name, and the length of the tool data and of the memories. */
export type DistillationCoverage = { filesChanged: number; filesNamed: number; toolTokens: number; memoryTokens: number }

type RandomBaseline = Pick<RankingScore, 'any@1' | 'any@5' | 'any@10'>

export type EvaluationOptions = { project: ProjectKey | null; limit: number }

/**
 * Measures the newest sessions of a history, and yields its progress. `copy` is a second store with the same memories; it is rewound session by
 * session and is useless afterwards.
 */
export async function* evaluate(
  store: Store,
  copy: Store,
  options: EvaluationOptions,
  deps: { readAction: ReadAction; meaning: SemanticSearch | null },
): AsyncGenerator<{ done: number; of: number; what: string }, Evaluation> {
  const sessions = (await store.sessions.recent(options.project, options.limit)).sort((a, b) => b.startedAt - a.startedAt)
  const briefs = newBriefScore()
  const coverage: DistillationCoverage = { filesChanged: 0, filesNamed: 0, toolTokens: 0, memoryTokens: 0 }
  const commits: Observation[] = []
  for (const [done, session] of sessions.entries()) {
    yield { done, of: sessions.length, what: 'sessions, newest first' }
    const observations = await store.observations.ofSession(session.id, MAX_ROWS_PER_SESSION)
    const uses = await store.toolUses.ofSession(session.id, MAX_ROWS_PER_SESSION)
    const did = await Promise.all(uses.map(async (use) => ({ ...use, action: await deps.readAction(use, session.agent) })))
    addDistillationCoverage(coverage, changedFiles(session.folder, did), uses, observations)
    commits.push(...observations.filter(isCommit))
    await rewindStore(copy, session.startedAt)
    const { project, startedAt: at, branch } = session
    // The copy has no search by meaning: vectors of the whole history would find what came later.
    await briefs.add(copy, { project, at, branch, turns: turnsOf(await store.prompts.ofSession(session.id), did) }, null)
  }
  const questions = [...Map.groupBy(commits, (commit) => `${commit.project}\n${commit.title}`).values()]
  const sizes = new Map((await store.sessions.projects()).map(({ project, sessions }) => [project, sessions]))
  const guess: RandomBaseline = { 'any@1': 0, 'any@5': 0, 'any@10': 0 }
  const words = newRankingScore()
  const meaning = newRankingScore()
  for (const [done, sameTitle] of questions.entries()) {
    yield { done, of: questions.length, what: 'commits' }
    const [ranking, gold] = await rankSessions(store, sameTitle, null)
    words.add(ranking, gold)
    const sessionCount = sizes.get(sameTitle[0]?.project as ProjectKey) ?? 1
    for (const k of [1, 5, 10] as const) guess[`any@${k}`] += chanceOfHit(gold.size, sessionCount, k) / questions.length
    if (deps.meaning) meaning.add(...(await rankSessions(store, sameTitle, deps.meaning)))
  }
  const hasCommits = questions.length > 0
  return {
    sessions: sessions.length,
    from: sessions.at(-1)?.startedAt ?? null,
    to: sessions.length > 0 ? Math.max(...sessions.map((session) => session.lastEventAt)) : null,
    brief: briefs.result(),
    search: {
      commits: questions.length,
      guess: hasCommits ? guess : null,
      words: hasCommits ? words.result() : null,
      meaning: hasCommits && deps.meaning ? meaning.result() : null,
    },
    distillation: coverage,
  }
}

const MAX_ROWS_PER_SESSION = 20_000

type PerformedUse = Pick<ToolUse, 'promptNumber' | 'error'> & { action: Action }

/** The person's prompts, each with its answer and the words of what its tools did. */
function turnsOf(prompts: Prompt[], uses: PerformedUse[]): EvaluatedSession['turns'] {
  const byTurn = Map.groupBy(
    uses.filter((use) => use.error === null),
    (use) => use.promptNumber,
  )
  return prompts
    .filter((prompt) => prompt.origin === 'person')
    .map(({ text, answer, number }) => ({
      prompt: text,
      followed: [...(byTurn.get(number) ?? []).map(({ action }) => wordsOfAction(action)), answer ?? ''],
    }))
}

/** The words that an agent wrote or ran in an action; none for what it only read. */
export function wordsOfAction(action: Action): string {
  if (action.kind === 'edit') return action.added
  if (action.kind === 'write') return action.content
  if (action.kind === 'command') return `${action.purpose ?? ''}\n${action.command}`
  return action.kind === 'delegate' ? action.task : action.kind === 'plan' ? action.text : ''
}

/** The files inside a folder that tools changed. A failed tool changed none. */
function changedFiles(folder: string, uses: PerformedUse[]): Set<string> {
  const changes = uses.flatMap(({ action, error }) =>
    error === null && (action.kind === 'edit' || action.kind === 'write') ? [action.file] : [],
  )
  return new Set(changes.flatMap((file) => (file.startsWith(`${folder}/`) ? [file.slice(folder.length + 1)] : [])))
}

function addDistillationCoverage(coverage: DistillationCoverage, changed: Set<string>, uses: ToolUse[], observations: Observation[]): void {
  if (uses.length === 0) return
  const named = new Set(observations.flatMap((o) => o.filesModified))
  coverage.filesChanged += changed.size
  coverage.filesNamed += changed.intersection(named).size
  for (const use of uses) coverage.toolTokens += countTokens(use.input) + countTokens(use.output ?? use.error ?? '')
  for (const observation of observations) coverage.memoryTokens += observation.tokens
}

/** The rule-based distiller stores a commit as a fact, and its subject as the title. */
const isCommit = (o: Observation) => o.facts.some((fact) => /^commit [0-9a-f]{7,40}\b/.test(fact))

/**
 * Deletes every session that had not ended before `to`, which is when the measured session started: what a running session had done by then cannot be separated from the rest. Also deletes notes that
 * changed later, because their earlier text is unknown.
 */
async function rewindStore(copy: Store, to: number): Promise<void> {
  await copy.transaction(async () => {
    for (let [last] = await copy.sessions.recent(null, 1); last && last.lastEventAt >= to; [last] = await copy.sessions.recent(null, 1))
      await copy.sessions.remove(last.id)
    const newest = () => copy.notes.list({ project: null, hidden: true, now: to, limit: 1 })
    for (let [note] = await newest(); note && note.updatedAt > to; [note] = await newest()) await copy.notes.remove(note.id)
  })
}

/**
 * The sessions that a commit's subject finds, and those that made the commit. Searches prompts only: an observation and the command contain the
 * subject word for word, so finding those would prove nothing.
 */
async function rankSessions(
  store: Store,
  commits: Observation[],
  meaning: SemanticSearch | null,
): Promise<[ranking: string[], gold: Set<string>]> {
  const [first] = commits
  const hits = first
    ? await search(store, first.title, { project: first.project, kinds: ['prompt'], skipsActivity: true, limit: 60 }, meaning)
    : []
  return [[...new Set(hits.map((hit) => String(hit.sessionId)))], new Set(commits.map((commit) => String(commit.sessionId)))]
}

/** The probability that `k` random draws from `n` contain at least one of `right`. */
export function chanceOfHit(right: number, n: number, k: number): number {
  let miss = 1
  for (let drawn = 0; drawn < Math.min(k, n); drawn++) miss *= Math.max(0, n - right - drawn) / (n - drawn)
  return 1 - miss
}
