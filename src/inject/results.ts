import type { ProjectKey } from '../core/ids.ts'
import type { Observation, Prompt, Summary } from '../core/memory.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { doubtAbout, firstStatement, gistOf, isConclusive, isSettling, leftoverIn } from '../core/outcome.ts'
import { subjectStems } from '../core/subject.ts'
import { shorten } from '../core/text.ts'
import { formatAge } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { promptTitle, workTitle } from '../core/work-title.ts'
import { findLaterChange } from '../retrieval/outcomes.ts'
import type { Store, StoredThread, WithBranch } from '../store/store.ts'
import { branchLabel, doubtLine } from './memory-lines.ts'

/** The result of a thread: what it was about, and the turn whose answer concluded it. */
export type WorkResult = {
  thread: StoredThread
  session: string | null
  /** The subject of the work. */
  title: string
  outcome: Prompt
  branch: string | null
  /** The state that it was left in: changes that were not committed, a branch that was not pushed. */
  leftover?: string
  /** The files that were changed in this work. */
  files?: string[]
  /** The later sentence that changed one of its values. */
  changed?: string
  /** The person's words if they did not believe it, and no later answer concluded anything. */
  doubt?: string
}

/** The results of a project's latest work, newest first; its latest observations name what was done. A result that a later one replaced is not among them. */
export async function recentResults(store: Store, project: ProjectKey, observations: Observation[], limit: number): Promise<WorkResult[]> {
  const results: WorkResult[] = []
  for (const { branch, ...thread } of await store.threads.recent(project, limit)) {
    const result = await resultOfThread(store, thread, branch, observations)
    if (result) results.push(result)
  }
  return results
}

/** The result of the thread that a summary's turn belongs to; null if it has none, or if a later one replaced it. */
export async function resultOf(
  store: Store,
  { sessionId, promptNumber, branch }: WithBranch<Summary>,
  observations: Observation[],
): Promise<WorkResult | null> {
  const thread = await store.threads.ofTurn(sessionId, promptNumber)
  const result = thread && thread.replacedBy === null ? await resultOfThread(store, thread, branch, observations) : null
  if (!result) return null
  const since = await store.prompts.ofThread({ ...result.thread, first: result.outcome.number })
  const leftover = since.map(({ answer }) => leftoverIn(answer ?? '', MAX_LEFTOVER_CHARACTERS)).findLast(Boolean)
  return leftover ? { ...result, leftover } : result
}

const MAX_LEFTOVER_CHARACTERS = 200

async function resultOfThread(
  store: Store,
  thread: StoredThread,
  branch: string | null,
  observations: Observation[],
): Promise<WorkResult | null> {
  const turns = await store.prompts.ofThread({ ...thread, last: thread.outcome ?? thread.first })
  const changes = observations.filter(
    (o) =>
      o.sessionId === thread.sessionId && o.promptNumber >= thread.first && o.promptNumber <= thread.last && o.filesModified.length > 0,
  )
  const outcome = mainTurn(turns, changes)
  if (!outcome?.answer) return null
  const session = await store.sessions.get(thread.sessionId)
  const typed = turns.filter(({ origin }) => origin === 'person').map(({ text }) => text)
  const title = workTitle(typed, outcome.answer) ?? changeAt(changes, outcome.number) ?? firstStatement(outcome.answer) ?? ''
  const change = await findLaterChange(store, outcome)
  const changed = change ? { changed: `${memoryId('prompt', String(change.turn.id))}: ${change.sentence}` } : {}
  const since = outcome.number < thread.last ? await store.prompts.ofThread({ ...thread, first: outcome.number }) : []
  const doubt = doubtAbout(outcome, since)
  return {
    thread,
    session: session?.contentSessionId ?? null,
    title: title || promptTitle(turns[0]?.text ?? ''),
    outcome,
    branch,
    files: [...new Set(changes.flatMap((o) => o.filesModified))],
    ...changed,
    ...(doubt ? { doubt } : {}),
  }
}

/**
 * The turn that did the work of a thread: its last, unless that only added something small ("Updated the changelog") to a turn that changed
 * files and says much more. An answer that settles or takes back something is the result: what came before it does not hold.
 */
function mainTurn(turns: Prompt[], changes: Observation[]): Prompt | undefined {
  const last = turns.at(-1)
  const answer = last?.answer ?? ''
  if (answer.length > MAX_AFTERTHOUGHT_CHARACTERS || isSettling(answer) || TAKES_BACK.test(answer)) return last
  const isMain = ({ number, answer: text }: Prompt) =>
    text !== null &&
    changes.some((o) => o.promptNumber === number) &&
    (TAKES_BACK.test(text) || (text.length > 2 * answer.length && isConclusive(text)))
  return turns.slice(0, -1).findLast(isMain) ?? last
}

const MAX_AFTERTHOUGHT_CHARACTERS = 280
const TAKES_BACK = /\b(?:revert|undo|undid|undone|remov|delet|restor|instead|no longer|rolled back|back to)\w*/i

/** The title of what was changed in a turn, or last before it, or after it; null if nothing was. */
function changeAt(changes: Observation[], number: number): string | null {
  const inOrder = changes.toSorted((a, b) => a.promptNumber - b.promptNumber || a.filesModified.length - b.filesModified.length)
  return (inOrder.findLast((o) => o.promptNumber <= number) ?? inOrder[0])?.title ?? null
}

/** A result in one line: what the work was about and what came of it, in the answer's own words. */
export function resultLine(result: WorkResult, now: number, branch: string | null, maxCharacters: number): string {
  const { outcome, branch: of } = result
  const about = resultTitle(result)
  const elsewhere = branch !== null && of !== null && of !== branch ? ` (${shorten(branchLabel(of), 40)})` : ''
  return `${resultId(result)} · ${formatAge(outcome.at, now)} · ${about ? `${about} — ` : ''}${resultText(result, maxCharacters)}${elsewhere}`
}

export const resultId = ({ outcome }: WorkResult): string => memoryId('prompt', String(outcome.id))

export const resultTitle = ({ title }: WorkResult): string => shorten(neutralizeText(title), MAX_TITLE_CHARACTERS)

/** The gist of the answer, as far as it fits, what changed one of its values later, and what the person said against it. */
export function resultText({ outcome, title, changed, doubt }: WorkResult, maxCharacters: number): string {
  const gist = neutralizeText(gistOf(outcome.answer ?? '', [...subjectStems(title)], maxCharacters))
  const later = changed ? ` (changed later, ${shorten(neutralizeText(changed), MAX_CHANGE_CHARACTERS)})` : ''
  return `${gist}${later}${doubt ? ` ${doubtLine(doubt)}` : ''}`
}

const MAX_CHANGE_CHARACTERS = 160

const MAX_TITLE_CHARACTERS = 80
