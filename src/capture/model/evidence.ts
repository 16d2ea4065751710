import type { Concept, DistillerOutput, ObservationDraft, ObservationType, SummaryDraft, Turn } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import { unique } from '../plain/lists.ts'
import { displayPath } from '../plain/paths.ts'
import { readTurnFacts } from '../plain/turn-facts.ts'
import type { ParsedDistillAnswer, UncheckedObservation } from './distill-answer.ts'
import type { Mode } from './mode.ts'

const MAX_OBSERVATIONS_PER_TURN = 6
/** Types that say that something was done to the project. */
const CHANGE_TYPES = new Set<ObservationType>(['bugfix', 'feature', 'refactor', 'change'])

/**
 * What is kept of a model's answer: what the turn bears out. A file counts as changed when the turn changed it, and as read when the turn
 * touched it; a deed without any change is only a finding. What plain reading knows for certain (failures that pass now, files that
 * changed, what is still broken) is added where the model left it out.
 */
export function groundAnswer(
  said: Extract<ParsedDistillAnswer, { kind: 'told' | 'skipped' }>,
  turn: Turn,
  mode: Mode,
  plain: DistillerOutput,
): DistillerOutput {
  const evidence = evidenceIn(turn)
  const drafts = said.kind === 'skipped' ? [] : said.observations.map((one) => draftOf(one, turn, mode, evidence))
  const told = withoutDuplicateTitles(drafts).slice(0, MAX_OBSERVATIONS_PER_TURN)
  const hasChanges = evidence.changed.length > 0 || evidence.acted
  return {
    ...plain,
    // A turn that changed something is never left without a memory, whatever a model thinks of it.
    observations: told.length > 0 ? addMissingFacts(told, evidence, plain) : hasChanges ? plain.observations : [],
    summary: said.kind === 'told' && said.summary ? limitSummary(said.summary) : plain.summary,
  }
}

/** Whether a turn only looked: then a smaller model tells it as well. */
export function isReadOnlyTurn(turn: Turn): boolean {
  const { changed, acted } = evidenceIn(turn)
  return changed.length === 0 && !acted
}

type TurnEvidence = { changed: string[]; touched: string[]; acted: boolean; folder: string }

function evidenceIn(turn: Turn): TurnEvidence {
  const { edits, effects, git, filesRead } = readTurnFacts(turn)
  const changed = unique([...edits.map(({ path }) => path), ...effects.removed, ...effects.moved.flatMap(({ from, to }) => [from, to])])
  const acted = effects.installed.length > 0 || git.commits.length > 0
  return { changed, touched: unique([...changed, ...filesRead]), acted, folder: turn.folder }
}

function draftOf(said: UncheckedObservation, turn: Turn, mode: Mode, evidence: TurnEvidence): ObservationDraft {
  const modified = matchTurnFiles(said.filesModified, evidence.changed, evidence.folder)
  const read = matchTurnFiles([...said.filesRead, ...said.filesModified], evidence.touched, evidence.folder)
  return {
    type: typeOf(said.type, mode, evidence),
    title: shorten(said.title, 140),
    subtitle: shorten(said.subtitle, 200),
    narrative: shorten(said.narrative, 1200),
    facts: unique(said.facts.map((fact) => shorten(fact, 300))).slice(0, 10),
    concepts: unique(said.concepts).filter((concept): concept is Concept => (mode.concepts as string[]).includes(concept)),
    filesRead: read.filter((path) => !modified.includes(path)).slice(0, 30),
    filesModified: modified.slice(0, 30),
    tool: turn.actions.at(-1)?.tool ?? null,
    at: turn.actions.at(-1)?.at ?? turn.at,
  }
}

function typeOf(said: string, mode: Mode, evidence: TurnEvidence): ObservationType {
  const type = mode.types.find((known) => known === said)
  if (!type) return 'discovery'
  return CHANGE_TYPES.has(type) && evidence.changed.length === 0 && !evidence.acted ? 'discovery' : type
}

/** The files of the turn that a model means: it may write a path in full, or leave out where it begins. */
function matchTurnFiles(claimed: string[], known: string[], folder: string): string[] {
  return unique(
    claimed.flatMap((claim) => {
      const path = displayPath(claim.replace(/^\.\//, ''), folder)
      const same = known.find((file) => file === path)
      const ending = known.filter((file) => file.endsWith(`/${path}`) || path.endsWith(`/${file}`))
      return same ?? (ending.length === 1 && ending[0] ? ending[0] : [])
    }),
  )
}

function addMissingFacts(told: ObservationDraft[], { changed }: TurnEvidence, plain: DistillerOutput): ObservationDraft[] {
  const named = new Set(told.flatMap((o) => o.filesModified))
  const left = changed.filter((path) => !named.has(path))
  // Later turns find by these facts what a failure was fixed by.
  const proofs = plain.observations.flatMap((o) => o.facts.filter((fact) => /^`[^`]+` failed[:;]/.test(fact)))
  const first = Math.max(
    0,
    told.findIndex((o) => CHANGE_TYPES.has(o.type)),
  )
  return told.map((o, at) =>
    at !== first
      ? o
      : { ...o, filesModified: [...o.filesModified, ...left].slice(0, 30), facts: unique([...o.facts, ...proofs]).slice(0, 12) },
  )
}

function withoutDuplicateTitles(drafts: ObservationDraft[]): ObservationDraft[] {
  return [...new Map(drafts.map((draft) => [draft.title.toLowerCase(), draft])).values()]
}

function limitSummary(said: SummaryDraft): SummaryDraft {
  const bounded = (text: string) => (/^(?:none|n\/a|nothing|-)\.?$/i.test(text) ? '' : shorten(text, 800))
  return {
    request: bounded(said.request),
    investigated: bounded(said.investigated),
    learned: bounded(said.learned),
    completed: bounded(said.completed),
    nextSteps: bounded(said.nextSteps),
    notes: bounded(said.notes),
  }
}
