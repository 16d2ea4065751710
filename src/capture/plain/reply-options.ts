import { shorten } from '../../core/text.ts'
import { isOpenQuestion } from './phrases.ts'
import type { ParsedPrompt } from './prompt.ts'
import { readProse, sentencesOf, stripMarkup } from './prose.ts'

/**
 * What a prompt asks for when it only makes sense behind the answer before it: "7" is the seventh of what was offered there, "yes" is to
 * what was asked there. Any other prompt is what it is.
 */
export function resolveShortReply(asked: ParsedPrompt, before: string): ParsedPrompt {
  if (asked.text.length > MAX_SHORT_REPLY_CHARS) return asked
  const option = chosenOption(asked.text, before)
  if (option)
    return { ...asked, text: `${asked.text} (${option})`, sentences: [...sentencesOf(option), ...asked.sentences], isMeaningful: true }
  const question = AGREES.test(asked.text) && readProse(before).findLast((s) => s.kind === 'sentence' && isOpenQuestion(s.text))
  return question ? { ...asked, text: `${asked.text} (to: ${shorten(question.text, 200)})` } : asked
}

/** As much of an answer as a person reads. */
const MAX_ANSWER_CHARS_READ = 24_000
/** Longer than this, a prompt says itself what it wants. */
const MAX_SHORT_REPLY_CHARS = 60
const AGREES = /^(?:yes|yeah|yep|ok|okay|sure|please do|go ahead|do it|do that|sounds good|lgtm)\b[^?]{0,20}$/i

/** The text of the option that a prompt picks by its number or letter; null when it picks none, or none that was offered. */
export function chosenOption(prompt: string, before: string): string | null {
  const options = new Set([...prompt.matchAll(/\boption #?(\d{1,2}|[a-e])\b/gi)].map((match) => match[1]?.toLowerCase()))
  if (options.size > 1 || TURNED_DOWN.test(prompt) || HAS_OWN_LIST.test(prompt)) return null
  const [named] = options
  const number = named ?? PICKED_BY_NUMBER.exec(prompt)?.[1] ?? PICKED_BY_HASH.exec(prompt)?.[1]
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
const PICKED_BY_NUMBER =
  /^(?:(?:ok|okay|yes|do|take|let'?s do) )?#?(\d{1,2})(?:[.,!)](?=\s|$)|$| (?:seems|looks|sounds|is|please|then|first|but|and)\b)/i
/** "Can we handle #4?", and nothing else besides; a pull request or an issue is not on a menu. */
const PICKED_BY_HASH =
  /^(?:(?:ok|okay|now|then|and|so),? )*(?:can|could|do|go|handle|let'?s|pick|please|start|tackle|take|work)\b[^,;.]{0,30}(?<!\b(?:pr|issue|pull request|bug|ticket|but|fix(?:e[sd])?|close[sd]?|resolve[sd]?) )#(\d{1,2})\b[^,;.]{0,20}$/i
/** What is not wanted is no choice of it. */
const TURNED_DOWN = /\b(?:not|no|never|none|neither|against|except|without|rather|instead|won'?t)\b|n['’]t\b/i
/** A list of its own is no pick from another's. */
const HAS_OWN_LIST = /(?:^|\s)\d{1,2}[.)]\s[\s\S]*\s\d{1,2}[.)]\s/
