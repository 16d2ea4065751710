/**
 * How good the memory is, measured on what really happened. It knows two measures that anybody can hold against a history of theirs
 * (`newScore` for rankings, `newBriefScore` for briefs), and how to ask a person's own history for all of it. It reads; what it has to take
 * apart it takes apart in a copy. Nothing here asks a model that writes or leaves the machine.
 */
import type { ReadAction } from '../core/action.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Observation, ToolUse } from '../core/memory.ts'
import { countTokens } from '../core/tokens.ts'
import { type SemanticSearch, search } from '../retrieval/search.ts'
import type { Store } from '../store/store.ts'
import { type BriefScore, newBriefScore } from './brief-score.ts'
import { newRankingScore, type RankingScore } from './ranking-score.ts'
import { footprintOf } from './session-footprint.ts'

export { type BriefScore, FOOTPRINT_KINDS, newBriefScore } from './brief-score.ts'
export { newRankingScore, type RankingScore } from './ranking-score.ts'
export { footprintOf } from './session-footprint.ts'

export type Evaluation = {
  /** How many sessions were looked at, and when the first began and the last ended. */
  sessions: number
  from: number | null
  to: number | null
  brief: BriefScore
  /** `guess` is what a random order of the project's sessions would find; without a commit all are null. */
  search: { commits: number; guess: RandomBaseline | null; words: RankingScore | null; meaning: RankingScore | null }
  telling: DistillationCoverage
}

/** What memories say of what the tools did: of the files changed, how many are named; and how long each of the two is. */
export type DistillationCoverage = { filesChanged: number; filesNamed: number; toolTokens: number; memoryTokens: number }

type RandomBaseline = Pick<RankingScore, 'any@1' | 'any@5' | 'any@10'>

export type EvaluationOptions = { project: ProjectKey | null; limit: number }

/**
 * Measures the newest sessions of a history. `copy` is a second store with the same memories: it is taken back in time, session by session,
 * and is of no use afterwards. Tells how far it is as it goes.
 */
export async function* evaluate(
  store: Store,
  copy: Store,
  wish: EvaluationOptions,
  means: { readAction: ReadAction; meaning: SemanticSearch | null },
): AsyncGenerator<{ done: number; of: number; what: string }, Evaluation> {
  const sessions = (await store.sessions.recent(wish.project, wish.limit)).sort((a, b) => b.startedAt - a.startedAt)
  const briefs = newBriefScore()
  const telling: DistillationCoverage = { filesChanged: 0, filesNamed: 0, toolTokens: 0, memoryTokens: 0 }
  const commits: Observation[] = []
  for (const [done, session] of sessions.entries()) {
    yield { done, of: sessions.length, what: 'sessions, the newest first' }
    const observations = await store.observations.ofSession(session.id, MAX_ROWS_PER_SESSION)
    const uses = await store.toolUses.ofSession(session.id, MAX_ROWS_PER_SESSION)
    const asked = (await store.prompts.ofSession(session.id)).filter((prompt) => prompt.origin === 'person')
    const touched = footprintOf(
      session.folder,
      asked.map((prompt) => prompt.text),
      uses.map((use) => ({ action: means.readAction(use, session.agent), error: use.error })),
    )
    addDistillationCoverage(telling, touched.changed, uses, observations)
    commits.push(...observations.filter(isCommit))
    await rewindStore(copy, session.startedAt)
    await briefs.add(copy, { project: session.project, at: session.startedAt, branch: session.branch, footprint: touched })
  }
  const questions = [...Map.groupBy(commits, (commit) => `${commit.project}\n${commit.title}`).values()]
  const sizes = new Map((await store.sessions.projects()).map(({ project, sessions }) => [project, sessions]))
  const guess: RandomBaseline = { 'any@1': 0, 'any@5': 0, 'any@10': 0 }
  const words = newRankingScore()
  const meaning = newRankingScore()
  for (const [done, same] of questions.entries()) {
    yield { done, of: questions.length, what: 'commits' }
    const [ranking, gold] = await rankSessions(store, same, null)
    words.add(ranking, gold)
    const among = sizes.get(same[0]?.project as ProjectKey) ?? 1
    for (const k of [1, 5, 10] as const) guess[`any@${k}`] += chanceOfHit(gold.size, among, k) / questions.length
    if (means.meaning) meaning.add(...(await rankSessions(store, same, means.meaning)))
  }
  const asked = questions.length > 0
  return {
    sessions: sessions.length,
    from: sessions.at(-1)?.startedAt ?? null,
    to: sessions.length > 0 ? Math.max(...sessions.map((session) => session.lastEventAt)) : null,
    brief: briefs.result(),
    search: {
      commits: questions.length,
      guess: asked ? guess : null,
      words: asked ? words.result() : null,
      meaning: asked && means.meaning ? meaning.result() : null,
    },
    telling,
  }
}

/** Of one session, at most so many of each. */
const MAX_ROWS_PER_SESSION = 20_000

function addDistillationCoverage(telling: DistillationCoverage, changed: Set<string>, uses: ToolUse[], observations: Observation[]): void {
  if (uses.length === 0) return
  const named = new Set(observations.flatMap((o) => o.filesModified))
  telling.filesChanged += changed.size
  telling.filesNamed += changed.intersection(named).size
  for (const use of uses) telling.toolTokens += countTokens(use.input) + countTokens(use.output ?? use.error ?? '')
  for (const observation of observations) telling.memoryTokens += observation.tokens
}

/** The rules that tell a turn name the commit, and take its subject for the title. */
const isCommit = (o: Observation) => o.facts.some((fact) => /^commit [0-9a-f]{7,40}\b/.test(fact))

/**
 * Takes out of a store all that was not over by then: what a session that still ran had done so far cannot be told from what it did later.
 * Notes that were changed later go too, for nobody knows what they said before.
 */
async function rewindStore(copy: Store, to: number): Promise<void> {
  await copy.transaction(async () => {
    for (let [last] = await copy.sessions.recent(null, 1); last && last.lastEventAt > to; [last] = await copy.sessions.recent(null, 1))
      await copy.sessions.remove(last.id)
    const newest = () => copy.notes.list({ project: null, hidden: true, now: to, limit: 1 })
    for (let [note] = await newest(); note && note.updatedAt > to; [note] = await newest()) await copy.notes.remove(note.id)
  })
}

/**
 * Which sessions a commit's subject finds, and which made it. Looked for only in what was said: an observation and the command itself hold
 * the subject word for word, and to find that would prove nothing.
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

/** How likely at least one of `right` is among `k` of `n` drawn blindly. */
export function chanceOfHit(right: number, n: number, k: number): number {
  let miss = 1
  for (let drawn = 0; drawn < Math.min(k, n); drawn++) miss *= Math.max(0, n - right - drawn) / (n - drawn)
  return 1 - miss
}
