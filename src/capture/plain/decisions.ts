import type { PerformedAction } from '../../core/action.ts'
import type { ObservationDraft } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import type { TurnEdit } from './edits.ts'
import { unique } from './lists.ts'
import { isDecisionLog, isDecisionRecord } from './paths.ts'
import { capitalizeSentence, isCause, joinSentences } from './phrases.ts'
import { type ProseItem, readProse, stripMarkup } from './prose.ts'
import { chosenOption } from './reply-options.ts'
import { asTitle } from './title.ts'
import type { TurnFacts } from './turn-facts.ts'

/** What was decided: plans, decision records that were written, and a choice that someone put into words. */
export function observeDecisions(reading: TurnFacts): ObservationDraft[] {
  // A plan revised and shown again in the same turn is one plan: the last.
  const plan = reading.turn.actions.findLast((act) => act.action.kind === 'plan' && act.action.text.trim() !== '')
  const records = reading.edits.filter((edit) => isDecisionLog(edit.path) || (edit.created && isDecisionRecord(edit.path)))
  const written = [...(plan ? [decisionFromPlan(plan)] : []), ...records.map(decisionFromRecord)].filter((row) => row.title !== '')
  return written.length > 0 ? written : decisionFromStatement(reading)
}

/** A plan that was not agreed to is still what the session came to; it is a finding until someone decides. */
function decisionFromPlan(act: PerformedAction): ObservationDraft {
  const markdown = act.action.kind === 'plan' ? act.action.text : ''
  const agreed = !act.failed && !act.interrupted
  const said = readProse(markdown)
  const heading = /^#{1,3}\s+(.+)$/m.exec(markdown)?.[1] ?? said[0]?.text ?? ''
  const name = stripMarkup(heading).replace(/^(?:implementation )?plan\s*[:–—-]\s*/i, '')
  const steps = markdown.split('\n').flatMap((line) => /^(?:#{2,4}\s+(?:step\s+)?\d+[.:)]?|\d+[.)])\s+(.+)/i.exec(line.trim())?.[1] ?? [])
  const running = said.filter((s) => s.kind === 'sentence')
  const why = running.filter((s) =>
    /context|goal|problem|background|why|overview|summary|approach|solution|design|proposal|strategy/.test(s.under),
  )
  return {
    ...decisionDraft(
      agreed ? name : `Plan: ${name}`,
      joinTexts(why.length > 0 ? why : running),
      [...(steps.length > 1 ? steps : points(said)).slice(0, 6), ...rejectedAlternatives(said)],
      act.tool,
      act.at,
    ),
    type: agreed ? 'decision' : 'discovery',
    subtitle: agreed ? 'Plan agreed' : 'Plan proposed, not yet agreed',
  }
}

function decisionFromRecord({ path, patch, tool, at }: TurnEdit): ObservationDraft {
  const markdown = patch.flatMap((line) => (line.startsWith('+') ? line.slice(1) : [])).join('\n')
  const said = withInlineLabels(readProse(markdown).filter((s) => s.kind !== 'heading'))
  const heading = isDecisionLog(path) ? said[0]?.text : /^#\s+(.+)$/m.exec(markdown)?.[1]
  const decided = said.filter((s) => /^decision\b/.test(s.under))
  const reasons = said.filter((s) => /^(?:context|consequence|alternative|option|rationale|considered)/.test(s.under))
  const name = stripMarkup(heading ?? '').replace(/^(?:adr[- ]?)?\d+[.: -]+/i, '')
  return {
    ...decisionDraft(
      name,
      joinTexts(decided.length > 0 ? decided : said),
      unique([...rejectedAlternatives(decided), ...(reasons.length > 0 ? reasons.map((s) => s.text) : points(said))]),
      tool,
      at,
    ),
    subtitle: path,
    filesModified: [path],
  }
}

/** Only plain words count: someone decided, chose or settled. "Instead of" alone is how code is described. */
function decisionFromStatement(reading: TurnFacts): ObservationDraft[] {
  const own = reading.request.sentences.find(
    (sentence) => DECIDED_BY_PERSON.test(sentence) && !/[?？]/.test(sentence) && sentence.length < 400,
  )
  const place = reading.answerItems.findIndex((s) => DECIDED.test(s.text) && s.text.length < 400)
  const told = reading.answerItems[place]?.text
  const sentence = own ?? told
  if (!sentence || reading.request.planTitle) return []
  // The reason and what was turned down stand in the sentences behind the choice.
  const answered =
    place < 0 ? [] : reading.answerItems.slice(place, place + 3).filter((s, n) => n === 0 || isCause(s.text) || REJECTED.test(s.text))
  const option = own && chosenOption(own, reading.turn.before ?? '')
  const row = decisionDraft(
    option ? `Chosen: ${option}` : sentence,
    own ? reading.request.text : joinTexts(answered),
    own ? answered.map((s) => s.text) : [],
    null,
    reading.turn.at,
  )
  return [{ ...row, subtitle: own ? 'Decided by the person' : 'Stated in the answer' }]
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

/** `Decision: …` in the middle of a paragraph is a heading too: what follows stands under it until the next one. */
function withInlineLabels(said: ProseItem[]): ProseItem[] {
  let heading = ''
  let label = ''
  return said.map((s) => {
    if (s.under !== heading) label = ''
    heading = s.under
    label =
      /^(context|decision|consequences?|alternatives?|rationale|options|considered|status)(?: \w+)?:/i.exec(s.text)?.[1]?.toLowerCase() ??
      label
    return label ? { ...s, under: label } : s
  })
}

/** The alternatives that were turned down, with why: what keeps the next person from proposing them again. */
function rejectedAlternatives(said: ProseItem[]): string[] {
  return said.flatMap((s) => (REJECTED.test(s.text) ? s.text : [])).slice(0, 2)
}

const REJECTED = /\b(?:considered|alternatives?|rejected|turned down|ruled out|decided against|instead of|rather than|not chosen)\b/i

function points(said: ProseItem[]): string[] {
  return said.filter((s) => s.kind === 'point').map((s) => s.text)
}

function joinTexts(said: ProseItem[]): string {
  return joinSentences(said.map((s) => capitalizeSentence(s.text.replace(/^decision:\s*/i, ''))))
}
