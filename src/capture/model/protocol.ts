import type { Acted, Action } from '../../core/action.ts'
import type { Turn } from '../../core/memory.ts'
import { clip, shorten } from '../../core/text.ts'
import { countTokens } from '../../core/tokens.ts'
import { type ModelRequest, ROOM_TO_THINK } from '../../providers/text.ts'
import { shownPath } from '../plain/paths.ts'
import { filledIn, type Mode } from './mode.ts'

/** How a turn is introduced: the first of a conversation with what there is to know, a later one with what came right before it. */
export type Opening = { kind: 'initial'; project: string } | { kind: 'continuation'; before: string }

/** The most of one turn that is sent, in characters: past this a model reads worse, and a person pays for it. */
const MOST_SENT = 48_000
const MOST_OF_USE = 1500
const LEAST_OF_USE = 100
const MOST_OF_PROMPT = 4000
const MOST_OF_ANSWER = 6000
const LEAST_REPLY = 600
const MOST_REPLY = 2000

/** One question about one turn, however many tools it used. Nothing of earlier turns is sent again but a line of what they came to. */
export function turnRequest(turn: Turn, mode: Mode, opening: Opening): ModelRequest {
  const batch = batchMessage(turn)
  const text = [openingMessage(turn, mode, opening), ...(batch ? [batch] : []), answerMessage(turn), mode.summary.trim()]
  const system = filledIn(mode.system, { types: mode.types.join('|'), concepts: mode.concepts.join('|') })
  const body = text.filter(Boolean).join('\n')
  const maxTokens = Math.min(MOST_REPLY, LEAST_REPLY + Math.ceil(countTokens(body) / 4)) + ROOM_TO_THINK
  return { system, messages: [{ role: 'user', text: body }], maxTokens }
}

/** What a question costs for each token of what it is about. */
export function inputRatio({ system, messages }: ModelRequest, rawTokens: number, overhead: number): number {
  return (countTokens([system, ...messages.map(({ text }) => text)].join('\n')) + overhead) / Math.max(1, rawTokens)
}

function openingMessage(turn: Turn, mode: Mode, opening: Opening): string {
  const request = asText(clip(turn.prompt, MOST_OF_PROMPT))
  return opening.kind === 'initial'
    ? filledIn(mode.initial, { project: asText(opening.project), request })
    : filledIn(mode.continuation, { before: asText(shorten(opening.before, 400)), request })
}

/** The tool uses of a turn together, each clipped to its share: the head and the tail of what it said. */
function batchMessage(turn: Turn): string {
  const shown = turn.acts.map((act) => shownAct(act, turn.folder))
  const share = fairShare(
    shown.map(({ said }) => said.length),
    MOST_SENT - shown.length * 60,
  )
  return shown.map(({ head, said }) => `<use ${head}>${said === '' ? '' : `\n${asText(clip(said, share))}\n`}</use>`).join('\n')
}

/** How much each may have so that all together fit: who needs less leaves the rest to the others. */
function fairShare(sizes: number[], room: number): number {
  let share = MOST_OF_USE
  while (share > LEAST_OF_USE && sizes.reduce((sum, size) => sum + Math.min(size, share), 0) > room) share = Math.floor(share * 0.85)
  return Math.max(LEAST_OF_USE, share)
}

function answerMessage(turn: Turn): string {
  return turn.answer ? `<answer>\n${asText(clip(turn.answer, MOST_OF_ANSWER))}\n</answer>` : ''
}

function shownAct(act: Acted, folder: string): { head: string; said: string } {
  const state = act.interrupted ? ' stopped="true"' : act.failed ? ' failed="true"' : ''
  const error = act.failed && act.error ? `\n${act.error}` : ''
  return { head: `tool="${asName(act.tool)}"${state}`, said: `${saidBy(act.action, folder)}${error}`.trim() }
}

function saidBy(action: Action, folder: string): string {
  switch (action.kind) {
    case 'read':
      return shownPath(action.file, folder)
    case 'edit':
      return `${shownPath(action.file, folder)}\n${action.patch.length > 0 ? action.patch.join('\n') : `-${action.removed}\n+${action.added}`}`
    case 'write':
      return `${shownPath(action.file, folder)} (${action.created ? 'new' : 'rewritten'})\n${action.patch.length > 0 ? action.patch.join('\n') : action.content}`
    case 'search':
      return `${action.pattern}${action.where ? ` in ${shownPath(action.where, folder)}` : ''}`
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

const asName = (text: string) => text.replace(/[^\w.:-]/g, '_').slice(0, 60)

/** A turn may hold anything, our own tags too; here they are letters. */
const asText = (text: string) =>
  text.replace(/<(?=\/?(?:use|answer|request|project|before|observation|summary|skip|facts?|title|type|narrative)\b)/gi, '&lt;')
