import type { Prompt, Thread } from '../core/memory.ts'
import { isAmendingTurn, isConclusive, isSettling } from '../core/outcome.ts'
import { queryInPrompt } from '../core/small-talk.ts'
import { subjectStems } from '../core/subject.ts'
import type { Store, StoredThread } from '../store/store.ts'

/**
 * Finds the threads of a session again, from its newest state. A thread that changes an earlier decision gets a job: what it replaces may be in a
 * session that is not distilled yet. Call it inside a transaction.
 */
export async function updateThreads(store: Store, sessionId: number): Promise<void> {
  const turns = await store.prompts.ofSession(sessionId)
  const threads = threadsOf(turns)
  const before = await store.threads.ofSession(sessionId)
  await store.threads.replace(sessionId, threads)
  await keepReplacements(store, sessionId, before)
  const now = Date.now()
  for (const { first, last } of threads) {
    const number = turns.findLast((turn) => turn.number >= first && turn.number <= last && isAmendingTurn(turn))?.number
    if (number !== undefined) await store.jobs.add('replacement', `${sessionId}:${first}`, { sessionId, number }, now, now)
  }
}

/**
 * Finds the threads of a session again after turns were deleted or restored. Other sessions' threads that replaced some of them still do; what
 * they replace themselves is looked for again, because the turn that said so may be gone. Call it inside a transaction.
 */
export async function rebuildThreads(store: Store, sessionId: number): Promise<void> {
  await store.threads.releaseReplacedBy(sessionId)
  await updateThreads(store, sessionId)
}

/** A thread that begins at another turn now, because its first one was deleted, is still replaced by what replaced it. */
async function keepReplacements(store: Store, sessionId: number, before: StoredThread[]): Promise<void> {
  const now = await store.threads.ofSession(sessionId)
  for (const old of before) {
    if (old.replacedBy === null || now.some(({ first }) => first === old.first)) continue
    const thread = now.find(({ first, last }) => first <= old.last && last >= old.first)
    const newer = await store.threads.get(old.replacedBy)
    if (thread && newer && newer.id !== thread.id && thread.replacedBy === null) await store.threads.setReplaced(thread.id, newer.id)
  }
}

/**
 * The threads of a session: runs of turns about one subject. A prompt about something else starts the next one; replies, small talk and notices
 * belong to the thread they come in.
 */
export function threadsOf(turns: Prompt[]): Thread[] {
  const threads: Prompt[][] = []
  let known = new Set<string>()
  for (const turn of turns) {
    const current = threads.at(-1)
    if (!current || startsThread(turn, known)) {
      threads.push([turn])
      known = new Set()
    } else current.push(turn)
    for (const stem of [...subjectStems(turn.text), ...subjectStems(turn.answer ?? '')]) known.add(stem)
  }
  return threads.map((thread) => ({
    first: thread[0]?.number ?? 0,
    last: thread.at(-1)?.number ?? 0,
    outcome: outcomeOf(thread)?.number ?? null,
  }))
}

/** A prompt that says enough to have a subject, does not reply to the answer before it, and shares almost nothing with the thread so far. */
function startsThread({ origin, text }: Prompt, known: Set<string>): boolean {
  if (origin !== 'person' || queryInPrompt(text) === null || REPLY.test(text)) return false
  const stems = subjectStems(text)
  if (stems.size < MIN_SUBJECT_STEMS) return false
  const shared = [...stems].filter((stem) => known.has(stem)).length
  return shared < MAX_FOREIGN_SHARE * stems.size
}

/** The opening of a prompt that replies to an answer: agreement, correction, a reference to what was just said. */
const REPLY =
  /^\s*(?:yes|yeah|yep|no|nope|not|right|exactly|correct|agreed|ok(?:ay)?|sure|fine|good|great|perfect|thanks|careful|wait|hm+|then|and|but|or|so|also|both|all|neither|none|it|its|it['’]s|that|that['’]s|this|these|those|they|the (?:first|second|last|former|latter)|one|two|never mind|deliberately|keep|leave|silently|only)\b/i

/** Fewer words do not make a subject: "now the same for the parser". */
const MIN_SUBJECT_STEMS = 6
/** A prompt that shares less than this with what was said before is about something else. */
const MAX_FOREIGN_SHARE = 0.12

/**
 * The turn whose answer is the result of a thread: the last answer that concludes something. If that one says nothing settled and only small
 * talk came after an answer that did, the settled one counts.
 */
function outcomeOf(thread: Prompt[]): Prompt | null {
  const last = thread.findLastIndex(({ answer }) => answer !== null && isConclusive(answer))
  if (last < 0) return null
  const settled = thread.findLastIndex(({ answer }) => answer !== null && isConclusive(answer) && isSettling(answer))
  const isSmallTalkSince = thread
    .slice(settled + 1, last + 1)
    .every(({ text, origin }) => origin === 'machine' || queryInPrompt(text) === null)
  return thread[settled >= 0 && isSmallTalkSince ? settled : last] ?? null
}
