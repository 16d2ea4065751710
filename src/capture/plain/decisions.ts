import type { PerformedAction } from '../../core/action.ts'
import type { ObservationDraft } from '../../core/memory.ts'
import { type ProseItem, readProse, stripMarkup } from '../../core/prose.ts'
import { shorten } from '../../core/text.ts'
import type { TurnEdit } from './edits.ts'
import { unique } from './lists.ts'
import { isDecisionLog, isDecisionRecord } from './paths.ts'
import { capitalizeSentence, isCause, joinSentences } from './phrases.ts'
import { chosenOption } from './reply-options.ts'
import { asTitle } from './title.ts'
import type { TurnFacts } from './turn-facts.ts'

/** Decisions: plans, written decision records, or a decision stated in the prompt or answer. */
export function observeDecisions(turnFacts: TurnFacts): ObservationDraft[] {
  // If a plan was revised within the turn, only its last version counts.
  const plan = turnFacts.turn.actions.findLast((use) => use.action.kind === 'plan' && use.action.text.trim() !== '')
  const records = turnFacts.edits.filter((edit) => isDecisionLog(edit.path) || (edit.created && isDecisionRecord(edit.path)))
  const written = [...(plan ? [decisionFromPlan(plan)] : []), ...records.map(decisionFromRecord)].filter((draft) => draft.title !== '')
  return written.length > 0 ? written : decisionFromStatement(turnFacts)
}

/** A plan that was not agreed to is still a result of the session, but only a discovery. */
function decisionFromPlan(use: PerformedAction): ObservationDraft {
  const markdown = use.action.kind === 'plan' ? use.action.text : ''
  const isAgreed = !use.failed && !use.interrupted
  const items = readProse(markdown)
  const heading = /^#{1,3}\s+(.+)$/m.exec(markdown)?.[1] ?? items[0]?.text ?? ''
  const name = stripMarkup(heading).replace(/^(?:implementation )?plan\s*[:–—-]\s*/i, '')
  const steps = markdown.split('\n').flatMap((line) => /^(?:#{2,4}\s+(?:step\s+)?\d+[.:)]?|\d+[.)])\s+(.+)/i.exec(line.trim())?.[1] ?? [])
  const sentences = items.filter((s) => s.kind === 'sentence')
  const reasons = sentences.filter((s) =>
    /context|goal|problem|background|why|overview|summary|approach|solution|design|proposal|strategy/.test(s.under),
  )
  return {
    ...decisionDraft(
      isAgreed ? name : `Plan: ${name}`,
      joinTexts(reasons.length > 0 ? reasons : sentences),
      [...(steps.length > 1 ? steps : points(items)).slice(0, 6), ...rejectedAlternatives(items)],
      use.tool,
      use.at,
    ),
    type: isAgreed ? 'decision' : 'discovery',
    subtitle: isAgreed ? 'Plan agreed' : 'Plan proposed, not yet agreed',
  }
}

function decisionFromRecord({ path, patch, tool, at }: TurnEdit): ObservationDraft {
  const markdown = patch.flatMap((line) => (line.startsWith('+') ? line.slice(1) : [])).join('\n')
  const items = withInlineLabels(readProse(markdown).filter((s) => s.kind !== 'heading'))
  const heading = isDecisionLog(path) ? items[0]?.text : /^#\s+(.+)$/m.exec(markdown)?.[1]
  const decided = items.filter((s) => /^decision\b/.test(s.under))
  const reasons = items.filter((s) => /^(?:context|consequence|alternative|option|rationale|considered)/.test(s.under))
  const name = stripMarkup(heading ?? '').replace(/^(?:adr[- ]?)?\d+[.: -]+/i, '')
  return {
    ...decisionDraft(
      name,
      joinTexts(decided.length > 0 ? decided : items),
      unique([...rejectedAlternatives(decided), ...(reasons.length > 0 ? reasons.map((s) => s.text) : points(items))]),
      tool,
      at,
    ),
    subtitle: path,
    filesModified: [path],
  }
}

/** Only explicit words count: decided, chose, settled. "Instead of" alone also occurs in descriptions of code. */
function decisionFromStatement(turnFacts: TurnFacts): ObservationDraft[] {
  const byPerson = turnFacts.request.sentences.find(
    (sentence) => DECIDED_BY_PERSON.test(sentence) && !/[?？]/.test(sentence) && sentence.length < 400,
  )
  const index = turnFacts.answerItems.findIndex((s) => DECIDED.test(s.text) && s.text.length < 400)
  const sentence = byPerson ?? turnFacts.answerItems[index]?.text
  if (!sentence || turnFacts.request.planTitle) return []
  // The next sentences give the reason and the rejected alternatives.
  const inAnswer =
    index < 0 ? [] : turnFacts.answerItems.slice(index, index + 3).filter((s, n) => n === 0 || isCause(s.text) || REJECTED.test(s.text))
  const option = byPerson && chosenOption(byPerson, turnFacts.turn.before ?? '')
  const draft = decisionDraft(
    option ? `Chosen: ${option}` : sentence,
    byPerson ? turnFacts.request.text : joinTexts(inAnswer),
    byPerson ? inAnswer.map((s) => s.text) : [],
    null,
    turnFacts.turn.at,
  )
  return [{ ...draft, subtitle: byPerson ? 'Decided by the person' : 'Stated in the answer' }]
}

const DECIDED_BY_PERSON =
  /\b(?:we(?:'ve| have)?|i(?:'ve| have)?) (?:decided|chose|agreed|settled)\b|^decision:|\blet'?s (?:go with|stick (?:with|to)|settle on)\b|\bi (?:prefer|like) option\b|\bgo with option\b|我们决定|決めました|entschieden|hemos decidido|nous avons décidé/i
const DECIDED =
  /\b(?:we|i|team)(?:'ve| have)? (?:decided|chose|opted|settled|went with)\b.{3,}|\b(?:decided|chose|opted|deliberately chosen) .{3,120}\b(?:over|instead of|rather than|because)\b/i

function decisionDraft(title: string, narrative: string, facts: string[], tool: string | null, at: number): ObservationDraft {
  return {
    type: 'decision',
    title: asTitle(title),
    subtitle: '',
    narrative: shorten(narrative, 800),
    facts: unique(facts.map((fact) => shorten(stripMarkup(fact), 240))).slice(0, 8),
    concepts: ['why-it-exists', 'trade-off'],
    filesRead: [],
    filesModified: [],
    tool,
    at,
  }
}

/** Treats `Decision: …` inside a paragraph as a heading: it applies to the following items until the next label. */
function withInlineLabels(items: ProseItem[]): ProseItem[] {
  let heading = ''
  let label = ''
  return items.map((s) => {
    if (s.under !== heading) label = ''
    heading = s.under
    label =
      /^(context|decision|consequences?|alternatives?|rationale|options|considered|status)(?: \w+)?:/i.exec(s.text)?.[1]?.toLowerCase() ??
      label
    return label ? { ...s, under: label } : s
  })
}

/** Rejected alternatives with their reasons, which keep others from proposing them again. */
function rejectedAlternatives(items: ProseItem[]): string[] {
  return items.flatMap((s) => (REJECTED.test(s.text) ? s.text : [])).slice(0, 2)
}

const REJECTED = /\b(?:considered|alternatives?|rejected|turned down|ruled out|decided against|instead of|rather than|not chosen)\b/i

function points(items: ProseItem[]): string[] {
  return items.filter((s) => s.kind === 'point').map((s) => s.text)
}

function joinTexts(items: ProseItem[]): string {
  return joinSentences(items.map((s) => capitalizeSentence(s.text.replace(/^decision:\s*/i, ''))))
}
