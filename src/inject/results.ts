import type { ProjectKey } from '../core/ids.ts'
import type { Prompt, Summary } from '../core/memory.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { conclusionOf } from '../core/outcome.ts'
import { subjectStems } from '../core/subject.ts'
import { shorten } from '../core/text.ts'
import { formatAge } from '../core/time-format.ts'
import { countTokens } from '../core/tokens.ts'
import { aboutText } from '../core/turn-title.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { Store, StoredThread, WithBranch } from '../store/store.ts'
import { branchLabel } from './memory-lines.ts'

/** The result of a thread: what was asked first, and the turn whose answer concluded it. */
export type WorkResult = { thread: StoredThread; session: string | null; asked: string; outcome: Prompt; branch: string | null }

/** The results of a project's latest work, newest first. A result that a later one replaced is not among them. */
export async function recentResults(store: Store, project: ProjectKey, limit: number): Promise<WorkResult[]> {
  const results: WorkResult[] = []
  for (const { branch, ...thread } of await store.threads.recent(project, limit)) {
    const result = await resultOfThread(store, thread, branch)
    if (result) results.push(result)
  }
  return results
}

/** The result of the thread that a summary's turn belongs to; null if it has none, or if a later one replaced it. */
export async function resultOf(store: Store, { sessionId, promptNumber, branch }: WithBranch<Summary>): Promise<WorkResult | null> {
  const thread = await store.threads.ofTurn(sessionId, promptNumber)
  return thread && thread.replacedBy === null ? resultOfThread(store, thread, branch) : null
}

async function resultOfThread(store: Store, thread: StoredThread, branch: string | null): Promise<WorkResult | null> {
  const turns = await store.prompts.ofThread({ ...thread, last: thread.outcome ?? thread.first })
  const outcome = turns.find(({ number }) => number === thread.outcome)
  if (!outcome?.answer) return null
  const session = await store.sessions.get(thread.sessionId)
  return { thread, session: session?.contentSessionId ?? null, asked: askedIn(turns), outcome, branch }
}

/** The prompt that says what a thread is about: the first that says enough. Greetings and pasted texts do not. */
function askedIn(turns: Prompt[]): string {
  const typed = turns.filter(({ origin, text }) => origin === 'person' && text.length <= MAX_TYPED_CHARACTERS && !/^\s*[•>|[{<]/.test(text))
  const telling = typed.find(({ text }) => subjectStems(aboutText(text, MAX_TYPED_CHARACTERS)).size >= MIN_TELLING_STEMS)
  return (telling ?? typed[0] ?? turns[0])?.text ?? ''
}

const MAX_TYPED_CHARACTERS = 3000
const MIN_TELLING_STEMS = 3

/** A result in one line: what the work was about and what came of it, in the answer's own words. */
export function resultLine({ asked, outcome, branch: of }: WorkResult, now: number, branch: string | null, maxCharacters: number): string {
  const about = neutralizeText(aboutText(asked, MAX_ABOUT_CHARACTERS))
  const elsewhere = branch !== null && of !== null && of !== branch ? ` (${shorten(branchLabel(of), 40)})` : ''
  return `${memoryId('prompt', String(outcome.id))} · ${formatAge(outcome.at, now)} · ${about ? `${about} — ` : ''}${resultText(outcome, asked, maxCharacters)}${elsewhere} · ~${countTokens(outcome.answer ?? '')}t`
}

/** The conclusion of an answer, as far as it fits. */
export const resultText = (outcome: Prompt, asked: string, maxCharacters: number): string =>
  neutralizeText(conclusionOf(outcome.answer ?? '', [...subjectStems(asked)], maxCharacters))

const MAX_ABOUT_CHARACTERS = 70
