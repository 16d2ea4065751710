import { readPrompt } from './plain/prompt.ts'
import { findTypedLines } from './typed-lines.ts'

/** A longer prompt is a pasted document, not the person's own words. */
const MAX_TYPED_PROMPT_CHARS = 3000

/**
 * The sentences that a person typed into a prompt, in order. Code, quotes, checklists, logs, plans and documents were pasted and are left out.
 */
export function typedSentences(prompt: string): string[] {
  if (prompt.length > MAX_TYPED_PROMPT_CHARS || isDocument(prompt)) return []
  const lines = prompt.split(/\r?\n/)
  const isTyped = findTypedLines(lines)
  const typed = lines.filter((_, row) => isTyped[row]).join('\n')
  if (typed.trim() === '') return []
  const { sentences, planTitle } = readPrompt(typed, 'person')
  return planTitle === null ? sentences : []
}

/** People do not type several headings into a prompt. */
const isDocument = (prompt: string) => (prompt.match(/^#{1,6} \S/gm)?.length ?? 0) >= 2
