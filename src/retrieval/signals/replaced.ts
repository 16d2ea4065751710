import { asNoteId } from '../../core/note.ts'
import { MAX_CANDIDATES, type RankingSignal } from './ranking.ts'
import { WEIGHTS } from './weights.ts'

/** Notes that another note replaced: they can be found, but below what holds now. */
export const replaced: RankingSignal = async ({ store, scores }) => {
  for (const { location, score } of scores.ranked().slice(0, MAX_CANDIDATES)) {
    if (location.kind !== 'note' || (await store.notes.supersededBy(asNoteId(location.ref))).length === 0) continue
    scores.give(location, 'replaced', -WEIGHTS.replaced * score)
  }
}
