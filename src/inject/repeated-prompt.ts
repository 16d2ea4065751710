import type { Hit } from '../core/hit.ts'
import { queryInPrompt } from '../core/small-talk.ts'
import type { Store } from '../store/store.ts'

/**
 * The same prompt, sent before, contains all of its words. That alone says nothing: its answer must contain them too. Null if it does, and for
 * any other memory.
 */
export async function whyRepeated(store: Store, hit: Hit, query: string, minWords: number): Promise<string | null> {
  const words = wordsOf(query)
  if (!wordsOf(hit.title).join(' ').startsWith(words.slice(0, 6).join(' '))) return null
  const [prompt, answer] = await turnTexts(store, hit)
  if (wordsOf(queryInPrompt(prompt) ?? '').join(' ') !== words.join(' ')) return null
  const stems = [...new Set(words.filter((word) => word.length > 3).map((word) => word.slice(0, STEM_CHARACTERS)))]
  const lower = answer.toLowerCase()
  const answered = stems.filter((stem) => lower.includes(stem)).length
  return answered >= Math.max(minWords, stems.length / 2) ? null : 'the same prompt, with an answer that does not help'
}

/** The prompt and the outcome of the turn that a prompt or a summary belongs to. */
async function turnTexts(store: Store, hit: Hit): Promise<[prompt: string, answer: string]> {
  if (hit.kind === 'prompt') {
    const prompt = await store.prompts.get(Number(hit.id))
    return [prompt?.text ?? '', prompt?.answer ?? '']
  }
  const summary = hit.kind === 'summary' ? await store.summaries.get(Number(hit.id)) : null
  return summary ? [summary.request, [summary.learned, summary.completed, summary.nextSteps].join(' ')] : ['', '']
}

/** Roughly what the forms of a word have in common. */
const STEM_CHARACTERS = 6

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{M}\p{N}_]+/gu) ?? []
