import type { DocumentLocation, Store } from '../../store/store.ts'
import { DEFAULT_LIMIT, type RankingSignal } from '../ranking.ts'
import { WEIGHTS } from '../weights.ts'
import { personNamesIn } from '../word-weights.ts'

/** Prompts of a person whom the query names. */
export const author: RankingSignal = async ({ store, scores, text, options: { limit = DEFAULT_LIMIT, offset = 0 } }) => {
  const names = personNamesIn(text)
  if (names.size === 0) return
  for (const { location, score } of scores.ranked().slice(0, 2 * (offset + limit) + EXTRA_DOCUMENTS_TO_LIFT))
    if (await isWrittenByOneOf(names, store, location)) scores.give(location, 'author', WEIGHTS.author * score)
}

/** The signal may lift a document from far below. */
const EXTRA_DOCUMENTS_TO_LIFT = 30

/** Only in a conversation where each prompt starts with a name: the prompts before and after it do too, and the names differ. */
async function isWrittenByOneOf(names: Set<string>, store: Store, { kind, ref, sessionId, turn }: DocumentLocation): Promise<boolean> {
  if (kind !== 'prompt' || sessionId === null || turn === null) return false
  const author = signatureOf((await store.prompts.get(Number(ref)))?.text ?? '')
  if (author === null || !names.has(author)) return false
  const neighbours = await Promise.all([turn - 1, turn + 1].map((number) => store.prompts.byNumber(sessionId, number)))
  const others = neighbours.flatMap((prompt) => (prompt ? [signatureOf(prompt.text)] : []))
  return others.some((other) => other !== author) && !others.includes(null)
}

const signatureOf = (text: string): string | null => {
  const name = text.match(/^(\p{L}+):/u)?.[1]?.toLowerCase()
  return name === undefined || NON_AUTHOR_WORDS.has(name) ? null : name
}

/** First words of pastes, instructions and commit subjects. */
const NON_AUTHOR_WORDS = new Set(
  `answer bug build chore context docs error example exception failed feat feature fix goal hint idea important info input issue message
  note output plan problem question refactor result step style summary task test todo traceback update warning`.split(/\s+/),
)
