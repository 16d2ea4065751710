import type { Kind } from '../core/hit.ts'

export const KINDS = ['observation', 'summary', 'prompt', 'note'] as const satisfies Kind[]

/** Whether a word is an id as search shows them, and hardly anything else: #12 (or 12), S3, P7, N and the 26 signs of a note. */
export function isMemoryId(word: string): boolean {
  return /^(?:[#SP]?\d{1,15}|N?[0-7][0-9A-HJKMNP-TV-Z]{25}|recollect:\/\/\S{1,200})$/i.test(word)
}
