import type { Prompt } from '../core/memory.ts'
import { isAmendingTurn } from '../core/outcome.ts'
import { subjectStems } from '../core/subject.ts'
import type { Store, StoredThread } from '../store/store.ts'
import { search } from './search.ts'

/**
 * The earlier thread whose result a thread replaces: the thread says that it changes a decision, and the earlier one is about the same subject.
 * Null if it changes nothing, or if no earlier thread is close enough. Only short threads count: a long one is a day's work, not a decision.
 */
export async function findReplacedThread(store: Store, thread: StoredThread): Promise<StoredThread | null> {
  const session = await store.sessions.get(thread.sessionId)
  const turns = await store.prompts.ofThread(thread)
  if (!session || thread.outcome === null || !isDecisionSized(thread) || !turns.some(isAmendingTurn)) return null
  const text = textOf(turns)
  const options = { project: session.project, before: turns[0]?.at ?? 0, limit: MAX_HITS, kinds: ['prompt' as const], skipsActivity: true }
  const stems = subjectStems(text)
  let best: { thread: StoredThread; shared: number } | null = null
  for (const { sessionId, turn } of await search(store, text, options)) {
    const other = sessionId === null || turn === null ? null : await store.threads.ofTurn(sessionId, turn)
    if (!other || other.id === thread.id || other.outcome === null || !isDecisionSized(other)) continue
    const shared = sharedSubject(stems, subjectStems(textOf(await store.prompts.ofThread(other))))
    if (shared >= MIN_SHARED_SUBJECT && shared > (best?.shared ?? 0)) best = { thread: other, shared }
  }
  return best?.thread ?? null
}

const MAX_HITS = 10
const MAX_DECISION_TURNS = 12
/** Threads about the same subject share a third or more of the words of the shorter one; others share about a tenth. */
const MIN_SHARED_SUBJECT = 0.25

const isDecisionSized = ({ first, last }: StoredThread) => last - first < MAX_DECISION_TURNS

const textOf = (turns: Prompt[]) => turns.map(({ text, answer }) => `${text}\n${answer ?? ''}`).join('\n')

/** The share of the smaller subject that the other one has too. */
function sharedSubject(a: Set<string>, b: Set<string>): number {
  return [...a].filter((stem) => b.has(stem)).length / Math.max(1, Math.min(a.size, b.size))
}
