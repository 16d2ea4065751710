import type { Action, PerformedAction } from '../../core/action.ts'
import type { Turn } from '../../core/memory.ts'
import { clip, shorten } from '../../core/text.ts'
import { countTokens } from '../../core/tokens.ts'
import { type ModelRequest, THINKING_TOKENS } from '../../providers/text.ts'
import { displayPath } from '../plain/paths.ts'
import { fillPlaceholders, type Mode } from './mode.ts'

/** How a turn is introduced: the first of a conversation with what there is to know, a later one with what came right before it. */
export type DistillOpening = { kind: 'initial'; project: string } | { kind: 'continuation'; before: string }

/** The most of one turn that is sent, in characters: past this a model reads worse, and a person pays for it. */
const MAX_TURN_CHARS = 48_000
const MAX_TOOL_USE_CHARS = 1500
const MIN_TOOL_USE_CHARS = 100
const MAX_PROMPT_CHARS = 4000
const MAX_ANSWER_CHARS = 6000
const MIN_REPLY_TOKENS = 600
const MAX_REPLY_TOKENS = 2000

/** One question about one turn, however many tools it used. Nothing of earlier turns is sent again but a line of what they came to. */
export function turnRequest(turn: Turn, mode: Mode, opening: DistillOpening): ModelRequest {
  const batch = batchMessage(turn)
  const text = [openingMessage(turn, mode, opening), ...(batch ? [batch] : []), answerMessage(turn), mode.summary.trim()]
  const system = fillPlaceholders(mode.system, { types: mode.types.join('|'), concepts: mode.concepts.join('|') })
  const body = text.filter(Boolean).join('\n')
  const maxTokens = Math.min(MAX_REPLY_TOKENS, MIN_REPLY_TOKENS + Math.ceil(countTokens(body) / 4)) + THINKING_TOKENS
  return { system, messages: [{ role: 'user', text: body }], maxTokens }
}

/** What a question costs for each token of what it is about. */
export function inputRatio({ system, messages }: ModelRequest, rawTokens: number, overhead: number): number {
  return (countTokens([system, ...messages.map(({ text }) => text)].join('\n')) + overhead) / Math.max(1, rawTokens)
}

function openingMessage(turn: Turn, mode: Mode, opening: DistillOpening): string {
  const request = escapeOwnTags(clip(turn.prompt, MAX_PROMPT_CHARS))
  return opening.kind === 'initial'
    ? fillPlaceholders(mode.initial, { project: escapeOwnTags(opening.project), request })
    : fillPlaceholders(mode.continuation, { before: escapeOwnTags(shorten(opening.before, 400)), request })
}

/** The tool uses of a turn together, each clipped to its share: the head and the tail of what it said. */
function batchMessage(turn: Turn): string {
  const shown = turn.actions.map((act) => describeToolUse(act, turn.folder))
  const share = fairShare(
    shown.map(({ said }) => said.length),
    MAX_TURN_CHARS - shown.length * 60,
  )
  return shown.map(({ head, said }) => `<use ${head}>${said === '' ? '' : `\n${escapeOwnTags(clip(said, share))}\n`}</use>`).join('\n')
}

/** How much each may have so that all together fit: who needs less leaves the rest to the others. */
function fairShare(sizes: number[], room: number): number {
  let share = MAX_TOOL_USE_CHARS
  while (share > MIN_TOOL_USE_CHARS && sizes.reduce((sum, size) => sum + Math.min(size, share), 0) > room) share = Math.floor(share * 0.85)
  return Math.max(MIN_TOOL_USE_CHARS, share)
}

function answerMessage(turn: Turn): string {
  return turn.answer ? `<answer>\n${escapeOwnTags(clip(turn.answer, MAX_ANSWER_CHARS))}\n</answer>` : ''
}

function describeToolUse(act: PerformedAction, folder: string): { head: string; said: string } {
  const state = act.interrupted ? ' stopped="true"' : act.failed ? ' failed="true"' : ''
  const error = act.failed && act.error ? `\n${act.error}` : ''
  return { head: `tool="${toAttributeValue(act.tool)}"${state}`, said: `${describeAction(act.action, folder)}${error}`.trim() }
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

/** A turn may hold anything, our own tags too; here they are letters. */
const escapeOwnTags = (text: string) =>
  text.replace(/<(?=\/?(?:use|answer|request|project|before|observation|summary|skip|facts?|title|type|narrative)\b)/gi, '&lt;')
