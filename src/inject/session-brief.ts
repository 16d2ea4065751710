import type { ProjectKey } from '../core/ids.ts'
import { NO_WORDS, type Observation, type OpenFailure, type Prompt, type Summary } from '../core/memory.ts'
import type { Store, WithBranch } from '../store/store.ts'
import type { SessionBriefOptions } from './brief.ts'
import { likelyShown, writeWithMarks } from './code-marks.ts'
import { orderByAge } from './effective-age.ts'
import type { SummaryInBrief } from './last-session.ts'
import { notesFor } from './notes.ts'
import type { InjectedBrief } from './page.ts'
import { stillFailing } from './passing-tests.ts'
import { isSharedBranch, isSmallWork } from './recent-work.ts'
import { type Repairs, repairsOf } from './repairs.ts'
import { recentResults, resultOf } from './results.ts'
import type { ResumedKnowledge } from './session-knowledge.ts'
import { writeBrief } from './write-brief.ts'

/** Gathers what a brief may show, and writes it. */
export async function writeSessionBrief(store: Store, options: SessionBriefOptions): Promise<InjectedBrief> {
  const { project, now, branch = null, knowledge = null } = options
  const recent = await store.observations.recent(project, MAX_OBSERVATION_CANDIDATES)
  const results = await recentResults(store, project, recent, MAX_RESULTS)
  const summaries = await store.summaries.recent(project, MAX_SUMMARY_CANDIDATES)
  const isSmall = (summary: Summary) => {
    const ofSession = results.filter(({ thread }) => thread.sessionId === summary.sessionId)
    return ofSession.length > 0 && ofSession.every((result) => isSmallWork(result, recent))
  }
  const { last, elsewhere } = await chooseSummaries(store, summaries, options, isSmall)
  const onBranch = branch === null ? [] : await store.observations.recentOn(project, branch, MAX_BRANCH_CANDIDATES)
  const resumed = knowledge && { knowledge, repairs: await repairsOf(store, knowledge.sessions) }
  const material = {
    project,
    branch,
    notes: await notesFor(store, project, now, options.maxNotes),
    last: last && (await describeSummary(store, project, last, recent, resumed)),
    elsewhere: elsewhere && (await describeSummary(store, project, elsewhere, recent, resumed)),
    open: knowledge ? null : unansweredPrompt(await store.prompts.newest(project), summaries[0] ?? null),
    observations: orderByAge([...recent, ...onBranch], branch, now),
    results,
  }
  const { checkCode = null } = options
  if (!resumed) return writeWithMarks((marks) => writeBrief(material, { ...options, marks }), checkCode, likelyShown(material))
  const notNews = await observationsWithoutNews(store, material.observations, resumed)
  return writeWithMarks((marks) => writeBrief(material, { ...options, knowledge: { ...resumed.knowledge, notNews }, marks }), checkCode)
}

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

/**
 * The last summary and the newest one, if that is from another branch. A session's own branch comes first, unless it is a branch that everyone
 * works on and the project has moved on elsewhere. Small work that is a day old, or was done elsewhere, is passed over.
 */
async function chooseSummaries(
  store: Store,
  newestFirst: WithBranch<Summary>[],
  { project, now, branch = null, knowledge = null }: SessionBriefOptions,
  isSmall: (summary: Summary) => boolean,
): Promise<{ last: WithBranch<Summary> | null; elsewhere: WithBranch<Summary> | null }> {
  if (knowledge) {
    const unknown = newestFirst.filter((summary) => isNewSummary(summary, knowledge))
    return { last: mostInformativeSummary(unknown), elsewhere: null }
  }
  const isHere = (summary: WithBranch<Summary>) => branch === null || summary.branch === null || summary.branch === branch
  const substantial = (all: WithBranch<Summary>[]) => {
    const kept = all.filter((summary) => !isSmall(summary) || (isHere(summary) && now - summary.at <= SMALL_WORK_MS))
    return mostInformativeSummary(kept.length > 0 ? kept : all)
  }
  const newest = substantial(newestFirst)
  const onBranch = branch === null ? [] : await store.summaries.recentOn(project, branch, MAX_SUMMARY_CANDIDATES)
  const own = substantial(onBranch)
  if (!own || own.id === newest?.id) return { last: newest, elsewhere: null }
  const hasMovedOn = branch !== null && isSharedBranch(branch) && newest !== null && newest.at - own.at > MOVED_ON_MS
  if (hasMovedOn) return { last: newest, elsewhere: null }
  return { last: own, elsewhere: newest && newest.at > own.at ? newest : null }
}

/** A trial or a quick correction is worth mentioning for a day. */
const SMALL_WORK_MS = 86_400_000
const MOVED_ON_MS = 3 * 86_400_000

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
  observations: Observation[],
  resumed: Resumed | null,
): Promise<SummaryInBrief> {
  const session = await store.sessions.get(summary.sessionId)
  const failures = await store.prompts.openFailuresBefore(summary.sessionId, Number.MAX_SAFE_INTEGER)
  const failing = (await stillFailing(store, project, summary.branch, failures)).filter((failure) => isNewFailure(failure, resumed))
  const isSettled = failures.some((failure) => failure.promptNumber === summary.promptNumber && resumed?.repairs.include(failure))
  // A question that the person answered in a later turn is not open.
  const isAnswered = (session?.promptCount ?? 0) > summary.promptNumber && /[?？]\s*$/.test(summary.nextSteps)
  const current = isSettled || isAnswered ? { ...summary, nextSteps: '' } : summary
  const result = await resultOf(store, summary, observations)
  const isLater = result !== null && summary.promptNumber > result.outcome.number
  const hasChanged = ({ sessionId, promptNumber, filesModified, title }: Observation) =>
    sessionId === summary.sessionId && promptNumber === summary.promptNumber && (filesModified.length > 0 || title.startsWith('Plan: '))
  const then = isLater && observations.some(hasChanged) ? summary.completed : ''
  return { summary: current, session: session?.contentSessionId ?? null, title: session?.title ?? null, result, then, failing }
}

/** A resumed session knew of a failure at its last brief, or could have; and it may have repaired a later one. */
function isNewFailure(failure: OpenFailure, resumed: Resumed | null): boolean {
  return resumed === null || (failure.at > resumed.knowledge.briefed.at && !resumed.repairs.include(failure))
}

/** The last prompt, if it asks for something and has no answer: the agent was stopped, or is still working. */
function unansweredPrompt(prompt: Prompt | null, newest: Summary | null): Prompt | null {
  const isOpen = prompt !== null && !prompt.answer?.trim() && prompt.at > (newest?.at ?? 0)
  return isOpen && prompt.text !== NO_WORDS && !/^(?:\/\S+)?$/.test(prompt.text.trim()) ? prompt : null
}
