import { readProse, sentencesOf, stripMarkup } from '../../core/prose.ts'
import { shorten } from '../../core/text.ts'
import { isOpenQuestion } from './phrases.ts'
import type { ParsedPrompt } from './prompt.ts'

/**
 * Adds what a short prompt refers to in the answer before it: for "7" the seventh option, for "yes" the question. Other prompts are
 * returned unchanged.
 */
export function resolveShortReply(prompt: ParsedPrompt, before: string): ParsedPrompt {
  if (prompt.text.length > MAX_SHORT_REPLY_CHARS) return prompt
  const option = chosenOption(prompt.text, before)
  if (option)
    return { ...prompt, text: `${prompt.text} (${option})`, sentences: [...sentencesOf(option), ...prompt.sentences], isMeaningful: true }
  const question = AGREES.test(prompt.text) && readProse(before).findLast((s) => s.kind === 'sentence' && isOpenQuestion(s.text))
  return question ? { ...prompt, text: `${prompt.text} (to: ${shorten(question.text, 200)})` } : prompt
}

const MAX_ANSWER_CHARS_READ = 24_000
/** A longer prompt is clear on its own. */
const MAX_SHORT_REPLY_CHARS = 60
const AGREES = /^(?:yes|yeah|yep|ok|okay|sure|please do|go ahead|do it|do that|sounds good|lgtm)\b[^?]{0,20}$/i

/** The text of the option that a prompt chooses by number or letter; null if it chooses none, or none that was offered. */
export function chosenOption(prompt: string, before: string): string | null {
  const options = new Set([...prompt.matchAll(/\boption #?(\d{1,2}|[a-e])\b/gi)].map((match) => match[1]?.toLowerCase()))
  if (options.size > 1 || REJECTS.test(prompt) || HAS_OWN_LIST.test(prompt)) return null
  const [named] = options
  const number = named ?? CHOSEN_BY_NUMBER.exec(prompt)?.[1] ?? CHOSEN_BY_HASH.exec(prompt)?.[1]
  if (!number) return null
  const mark = `#?${number}`
  const offered = [
    new RegExp(`^[ \\t>#*-]{0,12}option ${mark}\\b[*]*\\s*(?:[.):]|[—–-])\\s*(.+)$`, 'im'),
    ...(named
      ? []
      : [new RegExp(`^\\|\\s*[*]*${mark}[*]*\\s*\\|([^|]+)`, 'm'), new RegExp(`^[ \\t#*]{0,12}${mark}[*]*[.)][*]*\\s+(.+)$`, 'm')]),
  ]
  const text = offered.map((pattern) => pattern.exec(before.slice(0, MAX_ANSWER_CHARS_READ))?.[1]).find((found) => found !== undefined)
  return text ? shorten(stripMarkup(text), 120) || null : null
}

/** "7", "3, but enabled by default", "5 seems like a good one"; not "3 tests fail". */
const CHOSEN_BY_NUMBER =
  /^(?:(?:ok|okay|yes|do|take|let'?s do) )?#?(\d{1,2})(?:[.,!)](?=\s|$)|$| (?:seems|looks|sounds|is|please|then|first|but|and)\b)/i
/** "Can we handle #4?"; not "fix issue #4". */
const CHOSEN_BY_HASH =
  /^(?:(?:ok|okay|now|then|and|so),? )*(?:can|could|do|go|handle|let'?s|pick|please|start|tackle|take|work)\b[^,;.]{0,30}(?<!\b(?:pr|issue|pull request|bug|ticket|but|fix(?:e[sd])?|close[sd]?|resolve[sd]?) )#(\d{1,2})\b[^,;.]{0,20}$/i
/** Rejecting an option does not choose it. */
const REJECTS = /\b(?:not|no|never|none|neither|against|except|without|rather|instead|won'?t)\b|n['’]t\b/i
/** A prompt with its own numbered list does not choose from another. */
const HAS_OWN_LIST = /(?:^|\s)\d{1,2}[.)]\s[\s\S]*\s\d{1,2}[.)]\s/
