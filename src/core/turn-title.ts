import { firstStatement } from './outcome.ts'
import { queryInPrompt } from './small-talk.ts'
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

export const MAX_LIST_TITLE_CHARACTERS = 120

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
export function withoutHandover(prompt: string): string {
  const rest = prompt.replace(HANDOVER, '')
  return rest === prompt ? prompt : rest.replace(/^[#*\s]+(?:plan:\s*)?/i, '') || prompt
}

/** "Implement the following plan:", and a slash command, but not a path. */
export const HANDOVER = /^\s*(?:(?:please )?(?:implement|execute) (?:the following|this) plan:?|\/[a-z][\w:-]*(?=\s))\s*/i
