/**
 * The distiller that needs no model: it reads a turn with rules and writes down what a colleague would want to know. Pure functions
 * over plain values; every sentence is taken from the turn or computed from it, and the same turn always gives the same memories.
 * A turn with nothing worth keeping gives nothing.
 */
import type { Distilled, ObservationDraft, Turn } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import { changeRows } from './changes.ts'
import { decisionRows } from './decisions.ts'
import { delegateRows, discoveryRow, failureRow } from './explored.ts'
import { unique } from './lists.ts'
import { readTurn } from './reading.ts'
import { summaryOf } from './summary.ts'
import { sessionTitle } from './title.ts'
import { upkeepRow } from './upkeep.ts'

/** Distils one turn. Every prompt that could name the session offers a name; whoever keeps sessions keeps the first. */
export function distillPlain(turn: Turn): Distilled {
  const reading = readTurn(turn)
  const changed = changeRows(reading)
  const rows = changed.length > 0 ? changed : upkeepRow(reading)
  const decided = decisionRows(reading)
  const found = rows.length > 0 ? [] : decided.length > 0 && turn.acts.length === 0 ? [] : discoveryRow(reading)
  const broken = rows.length > 0 || found.length > 0 ? [] : failureRow(reading)
  const observations = distinct([...rows, ...decided, ...found, ...broken, ...delegateRows(reading)].map(bounded)).slice(0, 6)
  return {
    observations,
    summary: summaryOf(reading, unique([...rows, ...decided].map((row) => row.title)).slice(0, 4)),
    title: sessionTitle(reading.asked),
    openFailures: reading.open,
  }
}

/** The limits every observation keeps to, whatever a turn holds. */
function bounded(row: ObservationDraft): ObservationDraft {
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
function distinct(rows: ObservationDraft[]): ObservationDraft[] {
  const seen = new Set<string>()
  return rows.filter((row) => {
    const key = row.title.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
    if (key === '' || seen.has(key)) return false
    seen.add(key)
    return true
  })
}
