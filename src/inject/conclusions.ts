import type { Hit } from '../core/hit.ts'
import type { Prompt } from '../core/memory.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { conclusionOf, doubtAbout, isConclusive, isDecision, isRuling, labelOfAnswer, rulingsIn, withoutLabel } from '../core/outcome.ts'
import { subjectStems } from '../core/subject.ts'
import { shorten } from '../core/text.ts'
import { formatAgo } from '../core/time-format.ts'
import { aboutText } from '../core/turn-title.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { undoneMark } from '../core/work.ts'
import { type Conclusion, concludeTurn, findLaterChange, MAX_SHORT_THREAD_TURNS } from '../retrieval/outcomes.ts'
import type { Store } from '../store/store.ts'
import { doubtLine } from './memory-lines.ts'

/**
 * What recall shows for a hit, and the prompt whose answer is the result; null for a hit that is shown as it is. `settles`: it states a decision,
 * not just what was done. `sessions` are those whose results the lines state, in force or replaced.
 */
export type RecallEntry = { hit: Hit; outcome: number | null; lines: string[]; settles: boolean; isUndone: boolean; sessions: number[] }

/** A hit, and what recall may show for it, best first: the result of the work that it belongs to, or else of its own turn. */
export type ConcludedHit = { hit: Hit; results: RecallEntry[] }

/** The results that recall may show for each of some hits. None for a memory outside the turns of a session. */
export async function concludeHits(store: Store, hits: Hit[], query: string, now: number): Promise<ConcludedHit[]> {
  const stems = [...subjectStems(query)]
  const concluded: ConcludedHit[] = []
  for (const [place, hit] of hits.entries()) {
    const conclusion = await concludeTurn(store, hit, stems)
    const own = conclusion && ownConclusion(conclusion, hit)
    const maxCharacters = place === 0 ? MAX_FIRST_RESULT_CHARACTERS : MAX_RESULT_CHARACTERS
    const results: RecallEntry[] = []
    for (const one of [conclusion, own]) {
      if (!one) continue
      const lines = conclusionLines(hit, one, stems, maxCharacters, now)
      const change = await findLaterChange(store, one.outcome)
      if (change) lines.push(`Changed later (${idOf(change.turn)}, ${formatAgo(change.turn.at, now)}): ${neutralizeText(change.sentence)}`)
      const undoing = await undoingTurn(store, one.outcome)
      if (undoing)
        lines.push(`${idOf(undoing)} said: ${neutralizeText(conclusionOf(undoing.answer ?? '', stems, MAX_REPLACED_CHARACTERS))}`)
      const isUndone = one.outcome.undoneBy !== undefined
      const sessions = [one.outcome, one.replaced].flatMap((turn) => turn?.sessionId ?? [])
      results.push({ hit, outcome: one.outcome.id, lines, settles: isDecision(one.outcome.answer ?? ''), isUndone, sessions })
    }
    concluded.push({ hit, results })
  }
  return concluded
}

/** The turn that took the work of a result back, if it says something about it. */
async function undoingTurn(store: Store, { undoneBy = '' }: Prompt): Promise<Prompt | null> {
  const id = /^P(\d+)$/.exec(undoneBy)?.[1]
  const turn = id === undefined ? null : await store.prompts.get(Number(id))
  return turn?.answer ? turn : null
}

/** The turn's own answer as the result, if the person ruled nothing after it: then a later turn only went on to something else. */
function ownConclusion(conclusion: Conclusion, { sessionId, turn }: Hit): Conclusion | null {
  const { turns, outcome, thread, replaced } = conclusion
  const own = sessionId === thread.sessionId ? turns.find(({ number }) => number === turn) : undefined
  if (!own || own.id === outcome.id || replaced || !isConclusive(own.answer ?? '')) return null
  const later = turns.filter(({ number, origin }) => number > own.number && origin === 'person')
  return later.some(({ text }) => isRuling(text))
    ? null
    : { ...conclusion, turns: turns.filter(({ number }) => number <= own.number), outcome: own }
}

/** The best hit may say more than the others. */
const MAX_FIRST_RESULT_CHARACTERS = 700
const MAX_RESULT_CHARACTERS = 350

/** A result in the agent's own words, what the person ruled on the way to it, and the result that it replaced; a line each. */
function conclusionLines(
  hit: Hit,
  { turns, outcome, replaced }: Conclusion,
  stems: string[],
  maxCharacters: number,
  now: number,
): string[] {
  const answer = outcome.answer ?? ''
  const about = aboutWork(turns, hit)
  const label = labelOfAnswer(answer)
  const lines = [
    `${label} ${formatAgo(outcome.at, now)}${outcome.undoneBy ? `, ${undoneMark(outcome.undoneBy)}` : ''} (${idOf(outcome)}${about ? `: “${neutralizeText(about)}”` : ''}): ${neutralizeText(withoutLabel(conclusionOf(answer, stems, maxCharacters)))}`,
  ]
  const replies = turns
    .slice(1)
    .filter(({ origin, number, text }) => origin === 'person' && number <= outcome.number && text.length <= MAX_TYPED_REPLY_CHARACTERS)
  const rulings = rulingsIn(
    replies.map(({ text }) => text),
    [...new Set([...stems, ...subjectStems(answer)])],
    Math.floor(maxCharacters * RULINGS_SHARE),
  )
  if (rulings && stems.some((stem) => rulings.toLowerCase().includes(stem)))
    lines.push(`The person said there: “${neutralizeText(rulings)}”`)
  const doubt = doubtAbout(outcome, turns)
  if (doubt) lines.push(doubtLine(doubt))
  const old = replaced?.answer ? conclusionOf(replaced.answer, stems, MAX_REPLACED_CHARACTERS) : ''
  if (replaced && old)
    lines.push(`It replaced (${idOf(replaced)}, ${formatAgo(replaced.at, now)}): ${shorten(neutralizeText(old), MAX_REPLACED_CHARACTERS)}`)
  return lines
}

/** The subject of the work: the prompt that began it, or in a long thread the hit's own. */
function aboutWork(turns: Prompt[], hit: Hit): string {
  const first = turns[0]
  const isShort = first !== undefined && (hit.turn === null || hit.turn - first.number < MAX_SHORT_THREAD_TURNS)
  return aboutText(isShort ? first.text : hit.title, MAX_ABOUT_CHARACTERS)
}

const idOf = ({ id }: Prompt) => memoryId('prompt', String(id))

/** A longer reply was pasted: a log, a review. */
const MAX_TYPED_REPLY_CHARACTERS = 1200
/** How long the person's own words may be, compared with the result. */
const RULINGS_SHARE = 0.45
const MAX_REPLACED_CHARACTERS = 160
const MAX_ABOUT_CHARACTERS = 90
