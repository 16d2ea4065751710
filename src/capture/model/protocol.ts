import type { Action, PerformedAction } from '../../core/action.ts'
import type { Turn } from '../../core/memory.ts'
import { clip, shorten } from '../../core/text.ts'
import { countTokens } from '../../core/tokens.ts'
import { type ModelRequest, THINKING_TOKENS } from '../../providers/text.ts'
import { displayPath } from '../plain/paths.ts'
import { fillPlaceholders, type Mode } from './mode.ts'

/** How a turn is introduced: the first one with its project, a later one with a line about the turn before. */
export type DistillOpening = { kind: 'initial'; project: string } | { kind: 'continuation'; before: string }

/** Beyond this, a model reads less carefully and the person pays more. */
const MAX_TURN_CHARS = 48_000
const MAX_TOOL_USE_CHARS = 1500
const MIN_TOOL_USE_CHARS = 100
const MAX_PROMPT_CHARS = 4000
const MAX_ANSWER_CHARS = 6000
const MIN_REPLY_TOKENS = 600
const MAX_REPLY_TOKENS = 2000

/** One request per turn, no matter how many tools it used. Earlier turns are represented by one line about their result. */
export function turnRequest(turn: Turn, mode: Mode, opening: DistillOpening): ModelRequest {
  const batch = batchMessage(turn)
  const text = [openingMessage(turn, mode, opening), ...(batch ? [batch] : []), answerMessage(turn), mode.summary.trim()]
  const system = fillPlaceholders(mode.system, { types: mode.types.join('|'), concepts: mode.concepts.join('|') })
  const body = text.filter(Boolean).join('\n')
  const maxTokens = Math.min(MAX_REPLY_TOKENS, MIN_REPLY_TOKENS + Math.ceil(countTokens(body) / 4)) + THINKING_TOKENS
  return { system, messages: [{ role: 'user', text: body }], maxTokens }
}

/** How many tokens a request sends for each token of the turn. */
export function inputRatio({ system, messages }: ModelRequest, rawTokens: number, overhead: number): number {
  return (countTokens([system, ...messages.map(({ text }) => text)].join('\n')) + overhead) / Math.max(1, rawTokens)
}

function openingMessage(turn: Turn, mode: Mode, opening: DistillOpening): string {
  const request = escapeOwnTags(clip(turn.prompt, MAX_PROMPT_CHARS))
  return opening.kind === 'initial'
    ? fillPlaceholders(mode.initial, { project: escapeOwnTags(opening.project), request })
    : fillPlaceholders(mode.continuation, { before: escapeOwnTags(shorten(opening.before, 400)), request })
}

/** All tool uses of a turn. Each text is clipped to the same maximum length, keeping its head and tail. */
function batchMessage(turn: Turn): string {
  const uses = turn.actions.map((action) => describeToolUse(action, turn.folder))
  const maxChars = fairShare(
    uses.map(({ text }) => text.length),
    MAX_TURN_CHARS - uses.length * 60,
  )
  return uses.map(({ head, text }) => `<use ${head}>${text === '' ? '' : `\n${escapeOwnTags(clip(text, maxChars))}\n`}</use>`).join('\n')
}

/** The maximum length per text at which all of them fit. Short texts leave room for long ones. */
function fairShare(sizes: number[], room: number): number {
  let share = MAX_TOOL_USE_CHARS
  while (share > MIN_TOOL_USE_CHARS && sizes.reduce((sum, size) => sum + Math.min(size, share), 0) > room) share = Math.floor(share * 0.85)
  return Math.max(MIN_TOOL_USE_CHARS, share)
}

function answerMessage(turn: Turn): string {
  return turn.answer ? `<answer>\n${escapeOwnTags(clip(turn.answer, MAX_ANSWER_CHARS))}\n</answer>` : ''
}

function describeToolUse(use: PerformedAction, folder: string): { head: string; text: string } {
  const state = use.interrupted ? ' stopped="true"' : use.failed ? ' failed="true"' : ''
  const error = use.failed && use.error ? `\n${use.error}` : ''
  return { head: `tool="${toAttributeValue(use.tool)}"${state}`, text: `${describeAction(use.action, folder)}${error}`.trim() }
}

function describeAction(action: Action, folder: string): string {
  switch (action.kind) {
    case 'read':
      return displayPath(action.file, folder)
    case 'edit':
      return `${displayPath(action.file, folder)}\n${action.patch.length > 0 ? action.patch.join('\n') : `-${action.removed}\n+${action.added}`}`
    case 'write':
      return `${displayPath(action.file, folder)} (${action.created ? 'new' : 'rewritten'})\n${action.patch.length > 0 ? action.patch.join('\n') : action.content}`
    case 'search':
      return `${action.pattern}${action.where ? ` in ${displayPath(action.where, folder)}` : ''}`
    case 'command':
      return `$ ${action.command}\n${action.output}`
    case 'delegate':
      return `${action.task}\n${action.answer ?? ''}`
    case 'fetch':
      return `${action.target}\n${action.answer}`
    case 'plan':
    case 'other':
      return action.text
  }
}

const toAttributeValue = (text: string) => text.replace(/[^\w.:-]/g, '_').slice(0, 60)

/** A turn may contain our own tags as text. */
const escapeOwnTags = (text: string) =>
  text.replace(/<(?=\/?(?:use|answer|request|project|before|observation|summary|skip|facts?|title|type|narrative)\b)/gi, '&lt;')
