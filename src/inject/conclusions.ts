import type { Hit } from '../core/hit.ts'
import type { Prompt } from '../core/memory.ts'
import { memoryId } from '../core/memory-kinds.ts'
import { conclusionOf, isConclusive, isSettling, rulingsIn } from '../core/outcome.ts'
import { subjectStems } from '../core/subject.ts'
import { shorten } from '../core/text.ts'
import { formatAgo } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import type { Store, StoredThread } from '../store/store.ts'
import { aboutText } from './results.ts'
import { threadOfHit } from './thread-match.ts'

/** What recall shows for a hit, and the prompt whose answer is the result; null for a hit that is shown as it is. */
export type RecallEntry = { hit: Hit; outcome: number | null; lines: string[] }

/** What came of the work that a hit belongs to: the turns of its thread, the one with the result, and the result that this one replaced. */
type Conclusion = { hit: Hit; turns: Prompt[]; outcome: Prompt; replaced: Prompt | null }

/**
 * What came of the work that some hits belong to. A thread that a later one replaced leads to the later one: an overruled result is never shown as
 * the current one.
 */
export async function concludeHits(store: Store, hits: Hit[], query: string, now: number): Promise<RecallEntry[]> {
  const stems = [...subjectStems(query)]
  const entries: RecallEntry[] = []
  for (const [place, hit] of hits.entries()) {
    const thread = await threadOfHit(store, hit)
    const conclusion = thread && (await conclude(store, hit, thread, stems))
    const lines = conclusion
      ? conclusionLines(conclusion, stems, place === 0 ? MAX_FIRST_RESULT_CHARACTERS : MAX_RESULT_CHARACTERS, now)
      : []
    entries.push({ hit, outcome: conclusion?.outcome.id ?? null, lines })
  }
  return entries
}

/** The best hit may say more than the others. */
const MAX_FIRST_RESULT_CHARACTERS = 700
const MAX_RESULT_CHARACTERS = 350

async function conclude(store: Store, hit: Hit, thread: StoredThread, stems: string[]): Promise<Conclusion | null> {
  const isOwn = hit.sessionId === thread.sessionId && hit.turn !== null && hit.turn >= thread.first && hit.turn <= thread.last
  const turns = await store.prompts.ofThread(
    isOwn ? { ...thread, first: Math.max(thread.first, (hit.turn ?? 0) - MAX_TURNS_BEFORE) } : thread,
  )
  const outcome = (isOwn ? resultOf(turns, hit.turn ?? 0, thread, stems) : null) ?? turns.find(({ number }) => number === thread.outcome)
  if (!outcome?.answer) return null
  const older = await store.threads.replacedBy(thread.id)
  const replaced = older?.outcome ? await store.prompts.byNumber(older.sessionId, older.outcome) : null
  return { hit, turns, outcome, replaced }
}

/** A long thread is several pieces of work; what was said long before a hit is another one. */
const MAX_TURNS_BEFORE = 6

/**
 * The turn with the result of the work that a hit belongs to. A short thread is one piece of work, so its outcome counts. In a long one it is the
 * last turn, from the hit on, that concludes something and is still about the question.
 */
function resultOf(turns: Prompt[], number: number, thread: StoredThread, stems: string[]): Prompt | null {
  if (thread.last - thread.first < MAX_SHORT_THREAD_TURNS) return turns.find((turn) => turn.number === thread.outcome) ?? null
  const later = turns.filter((turn) => turn.number >= number && isConclusive(turn.answer ?? ''))
  const about = (turn: Prompt) => countStems(turn, stems)
  const own = turns.find((turn) => turn.number === number)
  const enough = Math.max(MIN_SHARED_STEMS, (own ? about(own) : 0) * MIN_SHARED_WITH_HIT)
  return later.findLast((turn) => about(turn) >= enough) ?? (own && isConclusive(own.answer ?? '') ? own : null)
}

const MAX_SHORT_THREAD_TURNS = 10
const MIN_SHARED_STEMS = 2
const MIN_SHARED_WITH_HIT = 0.7

function countStems({ text, answer }: Prompt, stems: string[]): number {
  const own = new Set([...subjectStems(text), ...subjectStems(answer ?? '')])
  return stems.filter((stem) => own.has(stem)).length
}

/** A result in the agent's own words, what the person ruled on the way to it, and the result that it replaced; a line each. */
function conclusionLines({ hit, turns, outcome, replaced }: Conclusion, stems: string[], maxCharacters: number, now: number): string[] {
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

/** What the work was about: the prompt that began it, or in a long thread the hit's own. */
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
