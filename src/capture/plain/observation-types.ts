import type { Concept, ObservationType } from '../../core/memory.ts'
import { parseConventionalSubject } from './commits.ts'
import type { FileChange } from './edits.ts'

/** The evidence for the type of a change. */
type ChangeTypeEvidence = {
  /** A check that failed before these edits passes after them. */
  isRepair: boolean
  /** The subject of their commit, or the title of the plan they carry out. */
  subject: string | null
  request: string
  answer: string
  title: string
  changes: FileChange[]
}

/** Commit messages are the strongest evidence, then fixed checks, then the words of request and answer, then the shape of the edit. */
export function classifyChange({ isRepair, subject, request, answer, title, changes }: ChangeTypeEvidence): ObservationType {
  const code = changes.filter((change) => change.kind === 'code')
  const touchesCode = code.length > 0 || changes.some((change) => change.kind === 'test')
  const stated = subject === null ? null : typeOfSubject(subject)
  // A new document is not a feature, even if its commit starts with "Add".
  if (stated) return stated === 'feature' && changes.length > 0 && !touchesCode ? 'change' : stated
  if (isRepair) return 'bugfix'
  const canBreak = touchesCode || changes.some((change) => change.kind === 'config')
  if (canBreak && (saysItWasFixed(title) || asksForFix(request.slice(0, 400)) || SAYS_FIXED.test(answer.slice(0, 300)))) return 'bugfix'
  if (!touchesCode) return 'change'
  if (REFACTOR.test(request.slice(0, 400)) || REFACTOR.test(title)) return 'refactor'
  const added = code.flatMap((change) => change.added)
  const removed = code.flatMap((change) => change.removed)
  // At least as many names were removed as added, so things were renamed or moved.
  if (added.length > 0 && removed.length >= added.length) return 'refactor'
  return code.some((change) => change.created || change.added.length > 0) ? 'feature' : 'change'
}

/** From the conventional prefix of a commit subject, or from its first word. */
function typeOfSubject(subject: string): ObservationType | null {
  const { type, text } = parseConventionalSubject(subject)
  if (type === 'feat') return 'feature'
  if (type === 'fix' || type === 'hotfix') return 'bugfix'
  if (type === 'refactor') return 'refactor'
  if (type !== null && /^(docs?|chore|ci|test|tests|style|build|perf|revert|deps|release)$/.test(type)) return 'change'
  if (/^(?:fix|hotfix|bugfix|repair|resolve|correct|prevent|avoid)(?:e[sd]|s)?\b/i.test(text)) return 'bugfix'
  if (/\b(?:docs?|documentation|readme|changelog|licen[cs]e|todos?|tests?)\b/i.test(text)) return 'change'
  if (/^(?:add|implement|introduce|support|create|allow|enable)(?:s|ed)?\b/i.test(text)) return 'feature'
  if (/^(?:refactor|rename|extract|simplify|move|clean ?up|restructure|dedupe|inline|split)/i.test(text)) return 'refactor'
  return /^(?:update|bump|remove|delete|revert|merge|change|release|document|replace|improve|tweak|drop)/i.test(text) ? 'change' : null
}

/** "The build fails" describes the present; "it was wrong" describes a bug that is gone. */
function saysItWasFixed(title: string): boolean {
  return FIX_WORDS.test(title) || /\b(?:was|were|had been|got)\b/i.test(title.slice(0, BROKEN_WORDS.exec(title)?.index ?? 0))
}

/** A request for something new may also mention what fails without it. */
function asksForFix(request: string): boolean {
  return FIX_WORDS.test(request) || (BROKEN_WORDS.test(request) && !ASKS_FOR_NEW.test(request))
}

const FIX_WORDS =
  /\b(?:fix(?:e[sd](?! (?:window|size|width|height|length|number|set|amount|time|rate|price|point|position|order|interval))|ing)?|bugs?|regression|root cause|corrige[rz]?|arregla\w*|behebe\w*|fehler\w*)\b|исправ|修复|修正|バグ|直し|고쳐/i
const BROKEN_WORDS =
  /\b(?:broken|crash(?:es|ed|ing)?|fail(?:s|ing|ure)|wrong(?:ly)?|incorrect(?:ly)?|leak(?:s|ed)?|doesn't work|not working)\b/i
const ASKS_FOR_NEW =
  /^(?:(?:please|can you|could you|can we|let's|i want to|we need to|now)\s+)*(?:add|implement|introduce|support|create|build|plan|upgrade|update|bump|migrate)\b/i
// "A fixed window" is a kind of window. As a report, "fixed" follows a verb or starts the sentence.
const SAYS_FIXED =
  /(?:^|[.!:\n*]\s*|\b(?:i|we|i've|we've|is|are|was|were|been|now|have|has|and|also|got)\s+)fixed\b|\bthe (?:fix|bug|root cause|cause)\b|\broot cause\b|^#+ fix/i
const REFACTOR =
  /\b(?:refactor\w*|renam(?:e|ed|ing)|extract(?:ed|ing)?|dedup\w*|duplicated code|simplif(?:y|ied)|clean(?:ed)? ?up|restructur\w*|split(?:ting)? (?:up|into)|move[ds]? .{1,40} (?:to|into))\b|重构|リファクタ|рефактор/i

/** The concepts of a type, plus those that words in the text suggest. */
export function conceptsOf(type: ObservationType, text: string): Concept[] {
  const gotcha: Concept[] = /\b(?:gotcha|caveat|careful|beware|surpris\w*|silently|pitfall|trap|turns out|must not|never)\b/i.test(text)
    ? ['gotcha']
    : []
  const tradeOff: Concept[] = /\b(?:trade-?offs?|pros and cons|at the cost of|instead of|rather than)\b/i.test(text) ? ['trade-off'] : []
  const why: Concept[] = /\b(?:because|reason|why|so that|in order to)\b/i.test(text) ? ['why-it-exists'] : []
  switch (type) {
    case 'bugfix':
      return ['problem-solution', 'what-changed', ...gotcha]
    case 'feature':
    case 'change':
    case 'refactor':
      return ['what-changed', ...(type === 'refactor' ? (['pattern'] as const) : []), ...gotcha, ...tradeOff]
    case 'discovery':
      return ['how-it-works', ...why, ...gotcha, ...tradeOff]
    case 'decision':
      return ['why-it-exists', 'trade-off']
  }
}
