import type { AgentEvent } from '../core/event.ts'
import type { Session } from '../core/memory.ts'
import { shorten } from '../core/text.ts'
import { type InjectedBrief, OPEN_END_REASON, OPEN_PROMPT_REASON, RULE_REASON } from '../inject/brief.ts'
import { commandName } from '../wire/start.ts'
import { readWorkerFile } from '../wire/worker-file.ts'
import type { Services } from './services.ts'

export type SessionStartSource = Extract<AgentEvent, { kind: 'session-started' }>['source']

/** The line that the person sees when a session starts: what was recalled or, once per project, that it is now remembered. Empty if neither applies. */
export async function startMessage(
  services: Services,
  session: Session,
  source: SessionStartSource,
  brief: InjectedBrief,
): Promise<string> {
  if (brief.text) return `Recollect: ${[...recalledIn(brief), `${brief.tokens} tokens`, viewerHint(services)].join(' · ')}`
  const isFirst = source === 'startup' && (await services.store.sessions.idsOf(session.project, 2)).length <= 1
  if (!isFirst) return ''
  const start = 'Recollect: sessions in this project are remembered from now on, on this machine'
  return [start, '<private>…</private> keeps text out', viewerHint(services)].join(' · ')
}

/** The contents of a brief in a few words each: "last: cache WIP, 2 tests failing", "3 rules". */
function recalledIn({ items, last }: InjectedBrief): string[] {
  const withReason = (reason: string) => items.filter(({ why }) => why === reason).length
  const rules = withReason(RULE_REASON)
  const openEnds = withReason(OPEN_END_REASON)
  const notes = items.filter(({ kind }) => kind === 'note').length - rules - openEnds
  const failing = last && last.failing > 0 ? `, ${count(last.failing, 'test')} failing` : ''
  const parts = [
    last ? `last: ${shorten(last.title, MAX_TITLE_CHARACTERS)}${failing}` : '',
    withReason(OPEN_PROMPT_REASON) > 0 ? 'a prompt without an answer' : '',
    rules > 0 ? count(rules, 'rule') : '',
    openEnds > 0 ? `${openEnds} open` : '',
    notes > 0 ? count(notes, 'note') : '',
  ].filter(Boolean)
  return parts.length > 0 ? parts : ['earlier work']
}

const MAX_TITLE_CHARACTERS = 60

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

/** The command signs the browser in; the address is for a browser that already is. */
function viewerHint({ home }: Services): string {
  const port = readWorkerFile(home)?.port
  return `viewer: ${commandName()} view${port ? ` (http://127.0.0.1:${port})` : ''}`
}
