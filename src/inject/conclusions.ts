import type { Hit } from '../core/hit.ts'
import type { Prompt } from '../core/memory.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { conclusionOf, isSettling, rulingsIn } from '../core/outcome.ts'
import { subjectStems } from '../core/subject.ts'
import { shorten } from '../core/text.ts'
import { formatAgo } from '../core/time-format.ts'
import { aboutText } from '../core/turn-title.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { type Conclusion, concludeTurn, findLaterChange, MAX_SHORT_THREAD_TURNS } from '../retrieval/outcomes.ts'
import type { Store } from '../store/store.ts'

/** What recall shows for a hit, and the prompt whose answer is the result; null for a hit that is shown as it is. */
export type RecallEntry = { hit: Hit; outcome: number | null; lines: string[] }

/** What recall shows for each of some hits: the result of the work that it belongs to. */
export async function concludeHits(store: Store, hits: Hit[], query: string, now: number): Promise<RecallEntry[]> {
  const stems = [...subjectStems(query)]
  const entries: RecallEntry[] = []
  for (const [place, hit] of hits.entries()) {
    const conclusion = await concludeTurn(store, hit, stems)
    const change = conclusion && (await findLaterChange(store, conclusion.outcome))
    const lines = conclusion
      ? conclusionLines(hit, conclusion, stems, place === 0 ? MAX_FIRST_RESULT_CHARACTERS : MAX_RESULT_CHARACTERS, now)
      : []
    if (change) lines.push(`Changed later (${idOf(change.turn)}, ${formatAgo(change.turn.at, now)}): ${neutralizeText(change.sentence)}`)
    entries.push({ hit, outcome: conclusion?.outcome.id ?? null, lines })
  }
  return entries
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
  const verb = isSettling(answer) ? 'Settled' : 'Result'
  const lines = [
    `${verb} ${formatAgo(outcome.at, now)} (${idOf(outcome)}${about ? `: “${neutralizeText(about)}”` : ''}): ${neutralizeText(conclusionOf(answer, stems, maxCharacters))}`,
  ]
  const replies = turns
    .slice(1)
    .filter(({ origin, number, text }) => origin === 'person' && number <= outcome.number && text.length <= MAX_TYPED_REPLY_CHARACTERS)
  const rulings = rulingsIn(
    replies.map(({ text }) => text),
    [...new Set([...stems, ...subjectStems(answer)])],
    Math.floor(maxCharacters * RULINGS_SHARE),
  )
  if (rulings) lines.push(`The person said there: “${neutralizeText(rulings)}”`)
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
