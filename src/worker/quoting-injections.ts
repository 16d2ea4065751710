import type { Store } from '../store/store.ts'
import type { DeletionPlan } from './forget.ts'

/** Records of what was shown that quote something in the plan, whichever memory the quote came from. */
export async function injectionsQuoting(store: Store, plan: DeletionPlan): Promise<number[]> {
  const phrases = new Set<string>()
  let since = Number.MAX_SAFE_INTEGER
  for (const { text, at } of (await store.deletions()).texts(plan)) {
    since = Math.min(since, at)
    if (phrases.size <= MAX_PHRASES) for (const phrase of phrasesOf(text)) phrases.add(phrase)
  }
  const isQuoted = (text: string) => phrases.size > MAX_PHRASES || phrasesOf(text).some((phrase) => phrases.has(phrase))
  const found: number[] = []
  for (const { id, text } of store.injections.since(since)) if (isQuoted(text)) found.push(id)
  return found
}

/** With more of them, every record since then goes: comparing would take too long. */
const MAX_PHRASES = 500_000
const WORDS_PER_PHRASE = 4

function phrasesOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
  return words.slice(WORDS_PER_PHRASE - 1).map((_, at) => words.slice(at, at + WORDS_PER_PHRASE).join(' '))
}
