/**
 * The distiller that needs no model: it reads a turn with rules and writes down what a colleague would want to know. Pure functions
 * over plain values; every sentence is taken from the turn or computed from it, and the same turn always gives the same memories.
 * A turn with nothing worth keeping gives nothing.
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

/** Distils one turn. Every prompt that could name the session offers a name; whoever keeps sessions keeps the first. */
export function distillPlain(turn: Turn): DistillerOutput {
  const reading = readTurnFacts(turn)
  const changed = observeChanges(reading)
  const rows = changed.length > 0 ? changed : observeUpkeep(reading)
  const decided = observeDecisions(reading)
  const found = rows.length > 0 ? [] : decided.length > 0 && turn.actions.length === 0 ? [] : observeDiscovery(reading)
  const broken = rows.length > 0 || found.length > 0 ? [] : observeOpenFailure(reading)
  const observations = withoutDuplicateTitles(
    [...rows, ...decided, ...found, ...broken, ...observeDelegatedWork(reading)].map(limitObservation),
  ).slice(0, 6)
  return {
    observations,
    summary: summaryOf(reading, unique([...rows, ...decided].map((row) => row.title)).slice(0, 4)),
    title: sessionTitle(reading.request),
    openFailures: reading.open,
  }
}

/** The limits every observation keeps to, whatever a turn holds. */
function limitObservation(row: ObservationDraft): ObservationDraft {
  return {
    ...row,
    title: shorten(row.title, 100),
    subtitle: shorten(row.subtitle, 160),
    narrative: shorten(row.narrative, 800),
    facts: unique(row.facts.map((fact) => shorten(fact, 240))).slice(0, 8),
    concepts: [...new Set(row.concepts)],
    filesRead: row.filesRead.slice(0, 30),
    filesModified: row.filesModified.slice(0, 30),
  }
}

/** A title that says the same thing twice is one row too many. */
function withoutDuplicateTitles(rows: ObservationDraft[]): ObservationDraft[] {
  const seen = new Set<string>()
  return rows.filter((row) => {
    const key = row.title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
    if (key === '' || seen.has(key)) return false
    seen.add(key)
    return true
  })
}
