import { pointsBack } from './standalone.ts'
import { subjectStems } from './subject.ts'
import { shorten } from './text.ts'
import { HANDOVER, MAX_LIST_TITLE_CHARACTERS, withoutHandover } from './turn-title.ts'

/**
 * The title of work in a list: the prompt that speaks of what came of it, in one line. The first prompt of a session that ended elsewhere says
 * nothing about it. Null if no prompt does.
 */
export function workTitle(prompts: string[], outcome: string): string | null {
  const known = subjectStems(outcome)
  const titles = prompts.filter(isTyped).map(promptTitle)
  const plan = prompts.findLastIndex((prompt) => HANDOVER.test(prompt) && /^\s*#/m.test(prompt))
  const telling = titles.filter((title) => {
    const stems = [...subjectStems(title)]
    if (stems.length < MIN_TITLE_STEMS) return NUMBERED.test(title)
    return titles.length === 1 || (!pointsBack(title) && stems.some((stem) => known.has(stem)))
  })
  return (plan >= 0 ? promptTitle(prompts[plan] ?? '') : telling[0]) ?? null
}

/** The first line of a prompt that says enough, without a handover, politeness and the beginning of addresses. */
export function promptTitle(prompt: string): string {
  const about = withoutHandover(prompt.slice(0, MAX_TYPED_CHARACTERS)).replace(ADDRESS, '$1')
  const lines = about.split('\n').map((line) => line.replace(/^[#*\s-]+/, '').trim())
  const first = lines.findIndex((line) => subjectStems(line).size >= MIN_TITLE_STEMS || NUMBERED.test(line))
  const bare = (lines[first] ?? about)
    .replace(POLITE, '')
    .replace(LOG, '')
    .replace(/[\s:?.]+$/, '')
  return shorten(bare.charAt(0).toUpperCase() + bare.slice(1), MAX_LIST_TITLE_CHARACTERS)
}

const isTyped = (prompt: string) => HANDOVER.test(prompt) || (prompt.length <= MAX_TYPED_CHARACTERS && !/^\s*[•>|[{<]/.test(prompt))
/** A longer prompt was pasted. */
const MAX_TYPED_CHARACTERS = 3000
const MIN_TITLE_STEMS = 2
/** A pasted log, from its first timestamp or JSON object to the end. */
const LOG = /\s(?:\[\d{1,2}:\d{2}|\d{4}-\d{2}-\d{2}[T ]\d|\{["\n]).*$/
/** An issue or a pull request. */
const NUMBERED = /#\d\d|\b(?:pull|issues?|pr)[/ #-]{1,2}\d\d/i
const POLITE =
  /^(?:(?:ok(?:ay)?|hey|hi|hello|so|now|yes|also|and|please)\b[\s,.!-]+)*(?:(?:can|could|would) (?:you|we) |(?:we|i) (?:should|need to|want to|want you to|would like to) |let['’]?s |i['’]d like (?:you )?to )?(?:please )?/i
/** Of an address the end is enough: `pull/102`. */
const ADDRESS = /https?:\/\/[^\s/]+(?:\/[^\s/]+)*?\/([^\s/]+\/[^\s/]+?)\/?(?=[\s,.;:)]|$)/g
