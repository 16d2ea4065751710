import type { Concept, DistillerOutput, ObservationDraft, ObservationType, SummaryDraft, Turn } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import { unique } from '../plain/lists.ts'
import { displayPath } from '../plain/paths.ts'
import { readTurnFacts } from '../plain/turn-facts.ts'
import type { ParsedDistillAnswer, UncheckedObservation } from './distill-answer.ts'
import type { Mode } from './mode.ts'

const MAX_OBSERVATIONS_PER_TURN = 6
/** Types of observations that claim a change to the project. */
const CHANGE_TYPES = new Set<ObservationType>(['bugfix', 'feature', 'refactor', 'change'])

/**
 * Limits a model's answer to what the turn's tool uses support. A file counts as changed only if the turn changed it, and as read only if
 * the turn touched it. A claimed change becomes a discovery if the turn changed nothing. Facts that the plain rules know for certain (fixed
 * failures, changed files, open failures) are added if the model left them out.
 */
export function groundAnswer(
  answer: Extract<ParsedDistillAnswer, { kind: 'distilled' | 'skipped' }>,
  turn: Turn,
  mode: Mode,
  plain: DistillerOutput,
): DistillerOutput {
  const evidence = evidenceIn(turn)
  const drafts = answer.kind === 'skipped' ? [] : answer.observations.map((claimed) => draftOf(claimed, turn, mode, evidence))
  const observations = withoutDuplicateTitles(drafts).slice(0, MAX_OBSERVATIONS_PER_TURN)
  const hasChanges = evidence.changed.length > 0 || evidence.acted
  return {
    ...plain,
    // A turn that changed something always gets observations, even if the model skipped it.
    observations: observations.length > 0 ? addMissingFacts(observations, evidence, plain) : hasChanges ? plain.observations : [],
    summary: answer.kind === 'distilled' && answer.summary ? limitSummary(answer.summary) : plain.summary,
  }
}

/** Whether a turn changed nothing. A smaller model distills such a turn just as well. */
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

function draftOf(claimed: UncheckedObservation, turn: Turn, mode: Mode, evidence: TurnEvidence): ObservationDraft {
  const modified = matchTurnFiles(claimed.filesModified, evidence.changed, evidence.folder)
  const read = matchTurnFiles([...claimed.filesRead, ...claimed.filesModified], evidence.touched, evidence.folder)
  return {
    type: typeOf(claimed.type, mode, evidence),
    title: shorten(claimed.title, 140),
    subtitle: shorten(claimed.subtitle, 200),
    narrative: shorten(claimed.narrative, 1200),
    facts: unique(claimed.facts.map((fact) => shorten(fact, 300))).slice(0, 10),
    concepts: unique(claimed.concepts).filter((concept): concept is Concept => (mode.concepts as string[]).includes(concept)),
    filesRead: read.filter((path) => !modified.includes(path)).slice(0, 30),
    filesModified: modified.slice(0, 30),
    tool: turn.actions.at(-1)?.tool ?? null,
    at: turn.actions.at(-1)?.at ?? turn.at,
  }
}

function typeOf(claimed: string, mode: Mode, evidence: TurnEvidence): ObservationType {
  const type = mode.types.find((known) => known === claimed)
  if (!type) return 'discovery'
  return CHANGE_TYPES.has(type) && evidence.changed.length === 0 && !evidence.acted ? 'discovery' : type
}

/** Maps the paths that a model wrote to files of the turn. It may write absolute paths, or only the end of a path. */
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

function addMissingFacts(observations: ObservationDraft[], { changed }: TurnEvidence, plain: DistillerOutput): ObservationDraft[] {
  const claimed = new Set(observations.flatMap((o) => o.filesModified))
  const unclaimed = changed.filter((path) => !claimed.has(path))
  // Later turns use these facts to find the fix of a failure.
  const proofs = plain.observations.flatMap((o) => o.facts.filter((fact) => /^`[^`]+` failed[:;]/.test(fact)))
  const first = Math.max(
    0,
    observations.findIndex((o) => CHANGE_TYPES.has(o.type)),
  )
  return observations.map((o, n) =>
    n !== first
      ? o
      : { ...o, filesModified: [...o.filesModified, ...unclaimed].slice(0, 30), facts: unique([...o.facts, ...proofs]).slice(0, 12) },
  )
}

function withoutDuplicateTitles(drafts: ObservationDraft[]): ObservationDraft[] {
  return [...new Map(drafts.map((draft) => [draft.title.toLowerCase(), draft])).values()]
}

function limitSummary(summary: SummaryDraft): SummaryDraft {
  const limited = (text: string) => (/^(?:none|n\/a|nothing|-)\.?$/i.test(text) ? '' : shorten(text, 800))
  return {
    request: limited(summary.request),
    investigated: limited(summary.investigated),
    learned: limited(summary.learned),
    completed: limited(summary.completed),
    nextSteps: limited(summary.nextSteps),
    notes: limited(summary.notes),
  }
}
