import type { Acted } from '../../core/action.ts'
import type { ObservationDraft } from '../../core/memory.ts'
import { shorten } from '../../core/text.ts'
import type { Edit } from './edits.ts'
import { unique } from './lists.ts'
import { chosenOption } from './menu.ts'
import { isDecisionLog, isDecisionRecord } from './paths.ts'
import { asSentences, begun, isCause } from './phrases.ts'
import { plain, readProse, type Said } from './prose.ts'
import type { Reading } from './reading.ts'
import { asTitle } from './title.ts'

/** What was decided: plans, decision records that were written, and a choice that someone put into words. */
export function decisionRows(reading: Reading): ObservationDraft[] {
  // A plan revised and shown again in the same turn is one plan: the last.
  const plan = reading.turn.acts.findLast((act) => act.action.kind === 'plan' && act.action.text.trim() !== '')
  const records = reading.edits.filter((edit) => isDecisionLog(edit.path) || (edit.created && isDecisionRecord(edit.path)))
  const written = [...(plan ? [planRow(plan)] : []), ...records.map(recordRow)].filter((row) => row.title !== '')
  return written.length > 0 ? written : statedRow(reading)
}

/** A plan that was not agreed to is still what the session came to; it is a finding until someone decides. */
function planRow(act: Acted): ObservationDraft {
  const markdown = act.action.kind === 'plan' ? act.action.text : ''
  const agreed = !act.failed && !act.interrupted
  const said = readProse(markdown)
  const heading = /^#{1,3}\s+(.+)$/m.exec(markdown)?.[1] ?? said[0]?.text ?? ''
  const name = plain(heading).replace(/^(?:implementation )?plan\s*[:–—-]\s*/i, '')
  const steps = markdown.split('\n').flatMap((line) => /^(?:#{2,4}\s+(?:step\s+)?\d+[.:)]?|\d+[.)])\s+(.+)/i.exec(line.trim())?.[1] ?? [])
  const running = said.filter((s) => s.kind === 'sentence')
  const why = running.filter((s) =>
    /context|goal|problem|background|why|overview|summary|approach|solution|design|proposal|strategy/.test(s.under),
  )
  return {
    ...decision(
      agreed ? name : `Plan: ${name}`,
      texts(why.length > 0 ? why : running),
      [...(steps.length > 1 ? steps : points(said)).slice(0, 6), ...rejected(said)],
      act.tool,
      act.at,
    ),
    type: agreed ? 'decision' : 'discovery',
    subtitle: agreed ? 'Plan agreed' : 'Plan proposed, not yet agreed',
  }
}

function recordRow({ path, patch, tool, at }: Edit): ObservationDraft {
  const markdown = patch.flatMap((line) => (line.startsWith('+') ? line.slice(1) : [])).join('\n')
  const said = labelled(readProse(markdown).filter((s) => s.kind !== 'heading'))
  const heading = isDecisionLog(path) ? said[0]?.text : /^#\s+(.+)$/m.exec(markdown)?.[1]
  const decided = said.filter((s) => /^decision\b/.test(s.under))
  const reasons = said.filter((s) => /^(?:context|consequence|alternative|option|rationale|considered)/.test(s.under))
  const name = plain(heading ?? '').replace(/^(?:adr[- ]?)?\d+[.: -]+/i, '')
  return {
    ...decision(
      name,
      texts(decided.length > 0 ? decided : said),
      unique([...rejected(decided), ...(reasons.length > 0 ? reasons.map((s) => s.text) : points(said))]),
      tool,
      at,
    ),
    subtitle: path,
    filesModified: [path],
  }
}

/** Only plain words count: someone decided, chose or settled. "Instead of" alone is how code is described. */
function statedRow(reading: Reading): ObservationDraft[] {
  const own = reading.asked.sentences.find(
    (sentence) => DECIDED_BY_PERSON.test(sentence) && !/[?？]/.test(sentence) && sentence.length < 400,
  )
  const place = reading.said.findIndex((s) => DECIDED.test(s.text) && s.text.length < 400)
  const told = reading.said[place]?.text
  const sentence = own ?? told
  if (!sentence || reading.asked.planTitle) return []
  // The reason and what was turned down stand in the sentences behind the choice.
  const answered =
    place < 0 ? [] : reading.said.slice(place, place + 3).filter((s, n) => n === 0 || isCause(s.text) || REJECTED.test(s.text))
  const option = own && chosenOption(own, reading.turn.before ?? '')
  const row = decision(
    option ? `Chosen: ${option}` : sentence,
    own ? reading.asked.text : texts(answered),
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

function decision(title: string, narrative: string, facts: string[], tool: string | null, at: number): ObservationDraft {
  return {
    type: 'decision',
    title: asTitle(title),
    subtitle: '',
    narrative: shorten(narrative, 800),
    facts: unique(facts.map((fact) => shorten(plain(fact), 240))).slice(0, 8),
    concepts: ['why-it-exists', 'trade-off'],
    filesRead: [],
    filesModified: [],
    tool,
    at,
  }
}

/** `Decision: …` in the middle of a paragraph is a heading too: what follows stands under it until the next one. */
function labelled(said: Said[]): Said[] {
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
function rejected(said: Said[]): string[] {
  return said.flatMap((s) => (REJECTED.test(s.text) ? s.text : [])).slice(0, 2)
}

const REJECTED = /\b(?:considered|alternatives?|rejected|turned down|ruled out|decided against|instead of|rather than|not chosen)\b/i

function points(said: Said[]): string[] {
  return said.filter((s) => s.kind === 'point').map((s) => s.text)
}

function texts(said: Said[]): string {
  return asSentences(said.map((s) => begun(s.text.replace(/^decision:\s*/i, ''))))
}
