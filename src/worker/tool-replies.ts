/** Briefs shown when an agent uses a tool: memories about the file that it touches, and the earlier fix of an error that it meets. */
import { cleanText } from '../core/clean-text.ts'
import type { AgentEvent, EventReply } from '../core/event.ts'
import type { Change, Session } from '../core/memory.ts'
import type { InjectedBrief } from '../inject/brief.ts'
import { fileBriefFor } from '../inject/file-brief.ts'
import type { Agent } from '../integrations/agent.ts'
import { codeCheck, readActionWith, type Services } from './services.ts'

/** A brief, and the event under which it is recorded as injected. */
type ToolBrief = { session: Session; occasion: string; brief: InjectedBrief }
type ToolUsed = Extract<AgentEvent, { kind: 'tool-used' }>

/** Loaded with the first session that the settings want it for. */
let actions: typeof import('./action-memory.ts') | null = null

/** The brief for a tool use that was just stored; null if no memory fits. */
export async function toolBrief(
  services: Services,
  agent: Agent,
  session: Session,
  event: ToolUsed,
  changes: Change[],
  now: number,
): Promise<ToolBrief | null> {
  return (await errorBrief(services, session, event, changes, now)) ?? (await fileBrief(services, agent, session, event, now))
}

/** Answers before a tool runs, from memory and without storing anything. What was shown is recorded after the reply. */
export function replyBeforeTool(
  services: Services,
  agent: Agent,
  event: Extract<AgentEvent, { kind: 'tool-starting' }>,
  record: (shown: ToolBrief) => Promise<void>,
): EventReply {
  if (!actions || !services.settings.hooks.pre_tool_use.enabled || services.rules(agent).isExcludedInput(event.input)) return {}
  const { reply, injected } = actions.replyBeforeTool(services, agent, event)
  const onFailure = (cause: unknown) => services.log.warn('a brief could not be recorded', { error: String(cause).slice(0, 200) })
  if (injected) setTimeout(() => record(injected).catch(onFailure), 0)
  return reply
}

/** Prepares the answers to tools that are about to run. */
export async function prepareActions(services: Services, agent: Agent, session: Session, events: AgentEvent[]): Promise<void> {
  actions ??= await import('./action-memory.ts')
  if (events.some(({ kind }) => kind === 'session-started' || kind === 'prompt-submitted')) actions.prepareActions(services, session)
  const isChange = (event: AgentEvent) => event.kind === 'tool-used' && event.error === null && changesFile(agent, event)
  if (services.settings.hooks.pre_tool_use.warn && events.some(isChange)) actions.noteChange(services, session)
}

/** Remembers what was injected, so that it is not shown before a tool again. */
export function noteShown(services: Services, session: Session, occasion: string): void {
  actions?.noteShown(services, session, occasion)
}

function changesFile(agent: Agent, { tool, input }: ToolUsed): boolean {
  const { kind } = agent.readAction({ tool, input: JSON.stringify(input ?? {}), output: null, error: null })
  return kind === 'edit' || kind === 'write'
}

/** Memories about a file that the agent reads or changes, once per file and session. */
async function fileBrief(services: Services, agent: Agent, session: Session, event: ToolUsed, now: number): Promise<ToolBrief | null> {
  const path = event.error === null ? relativeTo(session.folder, agent.fileOf(event.input)) : null
  const occasion = `file:${path}`
  // The path is recorded with what is shown. No memory is about a path with a secret: it was redacted there.
  if (path && cleanText(path, services.rules(agent)).text !== path) return null
  if (!path || !isFileShown(services, agent, event) || (await services.store.injections.wasInjected(session, occasion))) return null
  const brief = await fileBriefFor(services.store, session, path, now, codeCheck(services, session))
  return brief.text ? { session, occasion, brief } : null
}

/** Whether memories about the file of a tool use may be shown: the tool is one of `trigger_tools`, and the file is not excluded. */
function isFileShown({ settings, rules }: Services, agent: Agent, { tool, input }: ToolUsed): boolean {
  const { trigger_tools } = settings.hooks.post_tool_use
  if (rules(agent).isExcludedInput(input)) return false
  if (trigger_tools.includes(tool)) return true
  const { kind } = agent.readAction({ tool, input: JSON.stringify(input ?? null), output: null, error: null })
  return trigger_tools.some((name) => name.toLowerCase() === kind)
}

/** Observations name files relative to the project's folder. */
function relativeTo(folder: string, path: string | null): string | null {
  return path?.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path
}

/** Cheap to look for; most output has none of these words. */
const MAY_HAVE_FAILED = /fail|error|not ok|exception|panic|✗|✖|rejected/i

/** What put right an error that the agent has just met. The code that reads output is loaded only when some fix is known. */
async function errorBrief(
  services: Services,
  session: Session,
  event: ToolUsed,
  changes: Change[],
  now: number,
): Promise<ToolBrief | null> {
  const stored = changes.find((change) => change.kind === 'tool-use-added' && (!event.toolUseId || change.toolUseId === event.toolUseId))
  if (stored?.kind !== 'tool-use-added' || event.interrupted) return null
  if (!MAY_HAVE_FAILED.test(event.error ?? JSON.stringify(event.output ?? ''))) return null
  const { store } = services
  if (!(await (await store.turnWork()).hasFixes(session.project))) return null
  const { performedActions, recognizableFailures } = await import('../capture/turns.ts')
  const { errorBriefFor } = await import('../inject/error-brief.ts')
  const use = await store.toolUses.find(session.id, stored.toolUseId)
  const [action] = use ? await performedActions(session.agent, [use], readActionWith(services.agents)) : []
  for (const known of action ? recognizableFailures(action, session.folder) : []) {
    const { occasion, brief } = await errorBriefFor(store, session, known, now)
    if (brief.text) return { session, occasion, brief }
  }
  return null
}
