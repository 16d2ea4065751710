import { firstStatement } from './outcome.ts'
import { queryInPrompt } from './small-talk.ts'
import { pointsBack } from './standalone.ts'
import { subjectStems } from './subject.ts'
import { firstLine, shorten } from './text.ts'

/**
 * The title of a turn: what its prompt is about. Small talk ("7", "commit this"), an address and a reply that has hardly a subject ("i meant the
 * other one") say that only together with what came of them: the first statement of the first outcome that has one.
 */
export function turnTitle(prompt: string, outcomes: (string | null)[]): string {
  const about = withoutHandover(prompt)
  if (isTelling(about)) return about
  const outcome = outcomes.map((text) => firstStatement(text ?? '')).find((text) => text !== null && addsTo(about, text))
  return outcome ? `${firstLine(prompt, 60)} — ${firstLine(outcome, 120)}` : about
}

/** Whether an outcome says something that the prompt does not. How to use a command is no outcome. */
function addsTo(prompt: string, outcome: string): boolean {
  const known = subjectStems(prompt)
  return !outcome.startsWith('`/') && [...subjectStems(outcome)].some((stem) => !known.has(stem))
}

/** A title in a list: of a plan only its heading, without the sections. */
export const listTitle = (title: string): string => shorten(title.split(/\n\s*#{1,6}\s/, 1)[0] || title, MAX_LIST_TITLE_CHARACTERS)

const MAX_LIST_TITLE_CHARACTERS = 120

function isTelling(about: string): boolean {
  // One short word may be a misspelt "commit".
  if (queryInPrompt(about) === null || /^\s*(?:https?:\/\/\S+|[a-z]{1,8})\s*$/i.test(about)) return false
  return about.length > MAX_REPLY_CHARACTERS || !REPLY.test(about) || subjectStems(about).size >= MIN_REPLY_STEMS
}

const MAX_REPLY_CHARACTERS = 80
const MIN_REPLY_STEMS = 3
/** The opening of a prompt that replies to an answer. */
const REPLY = /^\s*(?:#?\d{1,2}(?![.\d)])|yes|yeah|yep|no|nope|ok(?:ay)?|sure|so|and|but|then|also|that|this|it|i meant?|both|hm+|wait)\b/i

/** The subject of a prompt: without a slash command, the words that hand over a plan, and markdown. */
export const aboutText = (prompt: string, maxCharacters: number): string => shorten(withoutHandover(prompt), maxCharacters)

/** The prompt itself if nothing else remains. */
function withoutHandover(prompt: string): string {
  const rest = prompt.replace(HANDOVER, '')
  return rest === prompt ? prompt : rest.replace(/^[#*\s]+(?:plan:\s*)?/i, '') || prompt
}

/** "Implement the following plan:", and a slash command, but not a path. */
const HANDOVER = /^\s*(?:(?:please )?(?:implement|execute) (?:the following|this) plan:?|\/[a-z][\w:-]*(?=\s))\s*/i

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
/** Where a pasted log begins. */
const LOG = /\s(?:\[\d{1,2}:\d{2}|\d{4}-\d{2}-\d{2}[T ]\d|\{["\n]).*$/
/** An issue or a pull request. */
const NUMBERED = /#\d\d|\b(?:pull|issues?|pr)[/ #-]{1,2}\d\d/i
const POLITE =
  /^(?:(?:ok(?:ay)?|hey|hi|hello|so|now|yes|also|and|please)\b[\s,.!-]+)*(?:(?:can|could|would) (?:you|we) |(?:we|i) (?:should|need to|want to|want you to|would like to) |let['’]?s |i['’]d like (?:you )?to )?(?:please )?/i
/** Of an address the end is enough: `pull/102`. */
const ADDRESS = /https?:\/\/[^\s/]+(?:\/[^\s/]+)*?\/([^\s/]+\/[^\s/]+?)\/?(?=[\s,.;:)]|$)/g
