import { withoutPrivate } from './privacy.ts'

/**
 * Recalled text as data. What comes back into a model's context was once a prompt, a file or a web page, and may hold anything:
 * here it loses what could pass for structure (tags, headings, roles, new lines) and what could pass for an order.
 */
export function asData(text: string): string {
  // U+FEFF counts as a blank in a pattern and as nothing on a screen.
  const seen = text.replace(/[^\S\ufeff]+/g, ' ').replace(INVISIBLE, '')
  // Capture takes our own block out by its tags; a tag in the middle of it, in whatever spelling, would end that too early.
  return withoutPrivate(seen)
    .text.replace(/<(?=[!?a-z]|\s?\/)/gi, '‹')
    .replace(/^(?:\s*(?:#{1,6}\s|>|[-*]\s|```))+/, '')
    .replace(ROLE, (_, role: string) => `${role} said`)
    .replace(ORDER, (order) => `“${order}”`)
    .trim()
}

/**
 * The same for a text whose lines matter: each line by itself, its indent and list mark kept. An order that was broken over lines
 * would slip through that way; then the whole comes back on one line.
 */
export function asDataLines(text: string): string {
  const seen = withoutPrivate(text).text
  const lines = seen.split('\n').map((line) => {
    const [, indent = '', mark = ''] = /^([ \t]{0,40})(?:([-*])\s)?/.exec(line) ?? []
    // A bracket at the end of a line could open a tag with the next one.
    return `${indent}${mark ? '- ' : ''}${asData(line).replace(/<$/, '‹')}`.trimEnd()
  })
  const flat = asData(seen)
  const orders = (part: string) => part.match(ORDER)?.length ?? 0
  return orders(flat) > lines.reduce((sum, line) => sum + orders(line), 0) ? flat : lines.join('\n')
}

/** Whether a text addresses the model over the head of the person. */
export const soundsLikeOrder = (text: string) => text.replace(INVISIBLE, '').search(ORDER) >= 0

/** Control, zero-width, direction, variation and tag characters, and blank letters: a person does not see them, a model does. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

const ROLE = /(?<![\w-])(system|assistant|human|user)\s*:(?=\s)/gi

/** Phrases that address the model over the head of the person. Quoted, they read as what they are: something that was said. */
const ORDER =
  /\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+|the\s+|your\s+)*(?:previous|prior|earlier|above|preceding|system)\s+(?:instructions?|prompts?|messages?|rules?|context)|\byou (?:must|are) now\b|\bnew instructions?\b(?=\s*:)|\bdo not (?:tell|inform|mention to) the user\b/gi
