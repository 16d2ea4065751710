/**
 * Inject decides which few memories the model sees, and words them. Everything it writes is recalled text, so it is data: neutralised, one
 * line each, inside one tagged block. Capture removes that block again, so that no memory is made of a memory.
 */
import type { ProjectKey } from '../core/ids.ts'
import type { Observation, OpenFailure, Prompt, Summary } from '../core/memory.ts'
import type { Store, WithBranch } from '../store/store.ts'
import { orderByAge } from './effective-age.ts'
import { notesFor } from './notes.ts'
import type { Budget, InjectedBrief } from './page.ts'
import type { Repairs } from './repairs.ts'
import type { ResumedKnowledge } from './session-knowledge.ts'
import type { SummaryInBrief } from './write-brief.ts'

export { BRIEF_BUDGET, type Budget, type InjectedBrief, OPEN_PROMPT_REASON } from './page.ts'
export { MAX_RECALL_TOKENS, RECALL_THRESHOLDS, type RecallThresholds, recallFor, relevantHits } from './recall.ts'
export { rulesFor } from './rules.ts'
export { knowledgeOf } from './session-knowledge.ts'

export type SessionBriefOptions = {
  project: ProjectKey
  now: number
  budget?: Budget
  /** The command that the person types for us, for the line about finding more. */
  command?: string
  /** Null if unknown. */
  branch?: string | null
  /** The knowledge of a resumed session; null for a new one. */
  knowledge?: ResumedKnowledge | null
}

/**
 * The brief that opens a session: the last work on its branch, the files, and an index of recent work. A resumed session gets only what is
 * new to it, and an empty text if nothing is.
 */
export async function briefFor(store: Store, options: SessionBriefOptions): Promise<InjectedBrief> {
  const { project, now, branch = null, knowledge = null } = options
  const summaries = await store.summaries.recent(project, MAX_SUMMARY_CANDIDATES)
  const { last, elsewhere } = await chooseSummaries(store, summaries, options)
  const recent = await store.observations.recent(project, MAX_OBSERVATION_CANDIDATES)
  const onBranch = branch === null ? [] : await store.observations.recentOn(project, branch, MAX_BRANCH_CANDIDATES)
  const resumed = knowledge && { knowledge, repairs: await (await import('./repairs.ts')).repairsOf(store, knowledge.sessions) }
  const material = {
    project,
    branch,
    notes: await notesFor(store, project, now),
    last: last && (await describeSummary(store, project, last, resumed)),
    elsewhere: elsewhere && (await describeSummary(store, project, elsewhere, resumed)),
    open: knowledge ? null : unansweredPrompt(await store.prompts.newest(project), summaries[0] ?? null),
    observations: orderByAge([...recent, ...onBranch], branch, now),
    results: await (await loadResults()).recentResults(store, project, MAX_RESULTS),
  }
  const { writeBrief } = await import('./write-brief.ts')
  if (!resumed) return writeBrief(material, options)
  const notNews = await observationsWithoutNews(store, material.observations, resumed)
  return writeBrief(material, { ...options, knowledge: { ...resumed.knowledge, notNews } })
}

/** Loaded with the first brief: a worker that catches up needs none. */
const loadResults = () => import('./results.ts')

type Resumed = { knowledge: ResumedKnowledge; repairs: Repairs }

/** Observations with new ids that a resumed session knows anyway: failures that it has repaired, and old turns that a model has distilled again. */
async function observationsWithoutNews(store: Store, all: Observation[], { knowledge, repairs }: Resumed): Promise<Map<number, string>> {
  const { sessions, briefed } = knowledge
  const others = all.filter((o) => !sessions.has(o.sessionId) && o.id > briefed.until)
  const notNews = new Map([...(await repairs.among(others))].map((id) => [id, 'this session has repaired it']))
  for (const { id, sessionId, promptNumber, at } of others) {
    const wasDistilledBefore =
      at < briefed.at - SUMMARY_DELAY_MS && (await store.distilledTurns.fingerprint(sessionId, promptNumber)) !== null
    if (wasDistilledBefore) notNews.set(id, 'its turn is older than this session’s last brief')
  }
  return notNews
}

/** More than the page can hold. */
const MAX_RESULTS = 40
const MAX_SUMMARY_CANDIDATES = 12
/** More than the budget can hold. */
const MAX_OBSERVATION_CANDIDATES = 120
/** Older work on the session's own branch, in addition. */
const MAX_BRANCH_CANDIDATES = 40

/** The last summary, preferably of the session's own branch, and the newest one if that is from elsewhere. */
async function chooseSummaries(
  store: Store,
  newestFirst: WithBranch<Summary>[],
  { project, branch = null, knowledge = null }: SessionBriefOptions,
): Promise<{ last: WithBranch<Summary> | null; elsewhere: WithBranch<Summary> | null }> {
  if (knowledge) {
    const unknown = newestFirst.filter((summary) => isNewSummary(summary, knowledge))
    return { last: mostInformativeSummary(unknown), elsewhere: null }
  }
  const newest = mostInformativeSummary(newestFirst)
  const onBranch = branch === null ? [] : await store.summaries.recentOn(project, branch, MAX_SUMMARY_CANDIDATES)
  const own = mostInformativeSummary(onBranch)
  return own && own.id !== newest?.id ? { last: own, elsewhere: newest } : { last: newest, elsewhere: null }
}

/** Of the newest session, its newest summary that says what was done: a session often ends with a mere question. */
function mostInformativeSummary(newestFirst: WithBranch<Summary>[]): WithBranch<Summary> | null {
  const [newest] = newestFirst
  const ofSession = newestFirst.filter((summary) => summary.sessionId === newest?.sessionId)
  return ofSession.find((summary) => summary.completed || summary.nextSteps) ?? newest ?? null
}

/** Whether another session wrote it after the resumed session's last brief. */
function isNewSummary(summary: Summary, { sessions, shown, briefed }: ResumedKnowledge): boolean {
  return !sessions.has(summary.sessionId) && !shown.has(`summary:${summary.id}`) && summary.at > briefed.at - SUMMARY_DELAY_MS
}

/** A summary is dated by its answer and written moments later. */
const SUMMARY_DELAY_MS = 60_000

async function describeSummary(
  store: Store,
  project: ProjectKey,
  summary: WithBranch<Summary>,
  resumed: Resumed | null,
): Promise<SummaryInBrief> {
  const session = await store.sessions.get(summary.sessionId)
  const failures = await store.prompts.openFailuresBefore(summary.sessionId, Number.MAX_SAFE_INTEGER)
  const { stillFailing } = await import('./passing-tests.ts')
  const failing = (await stillFailing(store, project, summary.branch, failures)).filter((failure) => isNewFailure(failure, resumed))
  const isSettled = failures.some((failure) => failure.promptNumber === summary.promptNumber && resumed?.repairs.include(failure))
  const current = isSettled ? { ...summary, nextSteps: '' } : summary
  const result = await (await loadResults()).resultOf(store, summary)
  return { summary: current, session: session?.contentSessionId ?? null, title: session?.title ?? null, result, failing }
}

/** A resumed session knew of a failure at its last brief, or could have; and it may have repaired a later one. */
function isNewFailure(failure: OpenFailure, resumed: Resumed | null): boolean {
  return resumed === null || (failure.at > resumed.knowledge.briefed.at && !resumed.repairs.include(failure))
}

/** The last prompt, if it asks for something and has no answer: the agent was stopped, or is still working. */
function unansweredPrompt(prompt: Prompt | null, newest: Summary | null): Prompt | null {
  const isOpen = prompt !== null && !prompt.answer?.trim() && prompt.at > (newest?.at ?? 0)
  return isOpen && !/^(?:\/\S+)?$/.test(prompt.text.trim()) ? prompt : null
}
