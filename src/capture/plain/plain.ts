/**
 * The distiller without a model: rules read a turn and write down what a colleague would want to know. Everything here is a pure
 * function. Every sentence is taken from the turn or computed from it, and the same turn always gives the same memories. A turn with
 * nothing worth remembering gives none.
 */
import type { DistillerOutput, ObservationDraft, Turn } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import { observeChanges } from './changes.ts'
import { observeDecisions } from './decisions.ts'
import { observeDelegatedWork, observeDiscovery, observeOpenFailure } from './discoveries.ts'
import { unique } from './lists.ts'
import { observeUpkeep } from './repository-upkeep.ts'
import { summaryOf } from './summary.ts'
import { sessionTitle } from './title.ts'
import { readTurnFacts } from './turn-facts.ts'

/** Distills one turn. `title` is a possible session title; the caller uses the first one it gets. */
export function distillPlain(turn: Turn): DistillerOutput {
  const turnFacts = readTurnFacts(turn)
  const changed = observeChanges(turnFacts)
  const changesOrUpkeep = changed.length > 0 ? changed : observeUpkeep(turnFacts)
  const decided = observeDecisions(turnFacts)
  const found = changesOrUpkeep.length > 0 ? [] : decided.length > 0 && turn.actions.length === 0 ? [] : observeDiscovery(turnFacts)
  const broken = changesOrUpkeep.length > 0 || found.length > 0 ? [] : observeOpenFailure(turnFacts)
  const observations = withoutDuplicateTitles(
    [...changesOrUpkeep, ...decided, ...found, ...broken, ...observeDelegatedWork(turnFacts)].map(limitObservation),
  ).slice(0, 6)
  return {
    observations,
    summary: summaryOf(turnFacts, unique([...changesOrUpkeep, ...decided].map((draft) => draft.title)).slice(0, 4)),
    title: sessionTitle(turnFacts.request),
    openFailures: turnFacts.unsolved,
  }
}

/** Limits the size of every field. */
function limitObservation(draft: ObservationDraft): ObservationDraft {
  return {
    ...draft,
    title: shorten(draft.title, 100),
    subtitle: shorten(draft.subtitle, 160),
    narrative: shorten(draft.narrative, 800),
    facts: unique(draft.facts.map((fact) => shorten(fact, 240))).slice(0, 8),
    concepts: [...new Set(draft.concepts)],
    filesRead: draft.filesRead.slice(0, 30),
    filesModified: draft.filesModified.slice(0, 30),
  }
}

/** Titles are compared by their letters and digits only. */
function withoutDuplicateTitles(drafts: ObservationDraft[]): ObservationDraft[] {
  const seen = new Set<string>()
  return drafts.filter((draft) => {
    const key = draft.title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
    if (key === '' || seen.has(key)) return false
    seen.add(key)
    return true
  })
}
