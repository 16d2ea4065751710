import type { Hit } from '../core/hit.ts'
import { identifiersIn, wordsInIdentifier } from '../core/identifiers.ts'
import { currentThread } from '../retrieval/outcomes.ts'
import { queryCoverage, type WeightedWord, weighWords } from '../retrieval/search.ts'
import type { Store, StoredThread } from '../store/store.ts'

/** The words that a thread as a whole shares with a prompt. `cosine` is that of its most similar hit; `rareName` is in the prompt too, and in few memories. */
export type ThreadMatch = Pick<Hit, 'coverage' | 'matched' | 'unlikely'> & { cosine: number; rareName: string | null }

/**
 * The words that the threads of some hits, and the results they replaced, share with the prompt. A long prompt describes a problem in many words; the chat that
 * settled it has them spread over its turns.
 */
export async function matchThreads(store: Store, hits: Hit[], query: string): Promise<Map<Hit, ThreadMatch>> {
  const words = await weighWords(store, query)
  const rareNames = rareNamesIn(query, words, await store.documents.count(null))
  const threads = new Map<Hit, StoredThread>()
  for (const hit of hits) {
    const thread = await currentThread(store, hit)
    if (thread) threads.set(hit, thread)
  }
  const matches = new Map<Hit, ThreadMatch>()
  for (const [hit, thread] of threads) {
    const text = await threadText(store, thread, hit)
    const cosines = [...threads].filter(([, other]) => other.id === thread.id).map(([other]) => other.cosine ?? 0)
    const rareName = rareNames.find((name) => containsName(text, name)) ?? null
    matches.set(hit, { ...queryCoverage(text, words), cosine: Math.max(...cosines), rareName })
  }
  return matches
}

/** The identifiers and acronyms of a prompt that few memories contain. The owner and the repository of a URL are not the prompt's subject. */
function rareNamesIn(query: string, words: WeightedWord[], documents: number): string[] {
  const text = query.replace(/\bhttps?:\/\/\S+/g, ' ')
  const names = [...identifiersIn(text, MAX_NAMES), ...(text.match(/\b[A-Z][A-Z0-9]{2,9}\b/g) ?? [])]
  const known = new Map(words.map((word) => [word.word, word.documents]))
  const max = Math.max(MIN_RARE_NAME_DOCUMENTS, documents * RARE_NAME_SHARE)
  return [...new Set(names)].filter((name) => {
    const counts = wordsInIdentifier(name).flatMap((part) => known.get(part) ?? [])
    return counts.length > 0 && Math.min(...counts) > 0 && Math.min(...counts) <= max
  })
}

const MAX_NAMES = 20
const MIN_RARE_NAME_DOCUMENTS = 12
const RARE_NAME_SHARE = 0.01

function containsName(text: string, name: string): boolean {
  const at = text.indexOf(name)
  return at >= 0 && !/[\p{L}\p{N}_]/u.test(text[at - 1] ?? ' ') && !/[\p{L}\p{N}_]/u.test(text[at + name.length] ?? ' ')
}

/** The text of a thread and of the one that it replaced. Of a long one only the turns around the hit: in a whole day's work every word occurs. */
async function threadText(store: Store, thread: StoredThread, { sessionId, turn }: Hit): Promise<string> {
  const older = await store.threads.replacedBy(thread.id)
  const around = sessionId === thread.sessionId && turn !== null ? turn : thread.last
  const [first, last] = [Math.max(thread.first, around - MAX_TURNS_EACH_SIDE), Math.min(thread.last, around + MAX_TURNS_EACH_SIDE)]
  const turns = [...(older ? await store.prompts.ofThread(older) : []), ...(await store.prompts.ofThread({ ...thread, first, last }))]
  return turns
    .map(({ text, answer }) => `${text.slice(0, MAX_TURN_CHARACTERS)}\n${(answer ?? '').slice(0, MAX_TURN_CHARACTERS)}`)
    .join('\n')
}

const MAX_TURNS_EACH_SIDE = 5
const MAX_TURN_CHARACTERS = 2000
