import { asNoteId } from '../../core/note.ts'
import type { DocumentLocation, Store, StoredThread } from '../../store/store.ts'
import type { Ranking, RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'

/**
 * Notes and turns that something newer replaced sink below what holds now. The turn with the new result takes the place of the old one: a question
 * that finds the old rule must find the new one first, even if the new one says it in other words.
 */
export const replaced: RankingSignal = async (ranking) => {
  const { store, scores } = ranking
  for (const { location, score } of scores.ranked().slice(0, MAX_CHECKED_DOCUMENTS)) {
    const newer = await replacingThread(store, location)
    if (!newer && !(await isReplacedNote(store, location))) continue
    scores.give(location, 'replaced', score * (WEIGHTS.replaced - 1))
    if (newer) await liftResult(ranking, newer, score)
  }
}

/** Enough for the first page. */
const MAX_CHECKED_DOCUMENTS = 40

async function isReplacedNote(store: Store, { kind, ref }: DocumentLocation): Promise<boolean> {
  return kind === 'note' && (await store.notes.supersededBy(asNoteId(ref))).length > 0
}

async function replacingThread(store: Store, { sessionId, turn }: DocumentLocation): Promise<StoredThread | null> {
  const thread = sessionId === null || turn === null ? null : await store.threads.ofTurn(sessionId, turn)
  return thread?.replacedBy ? store.threads.get(thread.replacedBy) : null
}

async function liftResult({ store, scores, scope }: Ranking, { sessionId, outcome }: StoredThread, score: number): Promise<void> {
  const prompt = outcome === null ? null : await store.prompts.byNumber(sessionId, outcome)
  const target = prompt && (await store.documents.locationOf('prompt', String(prompt.id)))
  const [allowed] = target ? await store.documents.matching([target.documentId], scope) : []
  const missing = allowed ? score - scores.of(allowed.documentId) : 0
  if (allowed && missing > 0) scores.give(allowed, 'replaced', missing)
}
