/**
 * What is known about files and failed actions, prepared in the worker's memory: an answer before a tool runs must come within milliseconds, so it
 * reads no database. It is prepared in the background when a session starts or goes on, dropped when a memory is deleted, and prepared again
 * when memories change. A file that is not prepared gets its brief after the tool, as always.
 */
import { checksInCommand, performedActions } from '../capture/turns.ts'
import { cleanJsonText } from '../core/clean-text.ts'
import type { AgentEvent, EventReply } from '../core/event.ts'
import { fingerprint } from '../core/hash.ts'
import { MAX_STORED_CHARS } from '../core/limits.ts'
import type { Session } from '../core/memory.ts'
import { formatAgo } from '../core/time-format.ts'
import { neutralizeText } from '../core/untrusted-text.ts'
import { undoneMark } from '../core/work.ts'
import type { InjectedBrief } from '../inject/brief.ts'
import { fileBriefFor } from '../inject/file-brief.ts'
import { failingChecksOf } from '../inject/passing-tests.ts'
import type { Agent } from '../integrations/agent.ts'
import { codeCheck, readActionWith, type Services } from './services.ts'

const MAX_SESSIONS = 8
const MAX_PREPARED_FILES = 150
const MAX_OBSERVATIONS_READ = 200
/** How many earlier sessions are searched for edits that failed. */
const MAX_SESSIONS_READ = 5
const MAX_USES_READ = 1000
const PREPARE_DELAY_MS = 300

type PreparedSession = {
  session: Session
  /** By path, relative to the project's folder. */
  files: Map<string, InjectedBrief>
  /** Why an action must not be repeated unseen, by what identifies it. */
  failed: Map<string, FailedAction>
  shown: Set<string>
  /** It changed a file, so a check may well pass now. */
  hasChanged: boolean
}

/** Why, and the turn that says so: the record of the warning goes when that turn is deleted. */
type FailedAction = { reason: string; promptId: number | null }

type ActionMemory = { sessions: Map<string, PreparedSession>; timer: Timer | null; deletions: number }
const memories = new WeakMap<Services, ActionMemory>()

export type ToolStarting = Extract<AgentEvent, { kind: 'tool-starting' }>
/** The reply, and what to record once it was sent. */
export type PreparedReply = { reply: EventReply; injected?: { session: Session; occasion: string; brief: InjectedBrief } }

/** The reply before a tool runs, from memory only. Empty for a session or a file that is not prepared. */
export function replyBeforeTool(services: Services, agent: Agent, event: ToolStarting): PreparedReply {
  const prepared = memoryOf(services).sessions.get(event.session)
  const rules = services.rules(agent)
  if (!prepared || event.agentId !== null || rules.isInExcludedFolder(event) || rules.isSkipped(event.tool)) return { reply: {} }
  const { session, shown } = prepared
  if (services.settings.hooks.pre_tool_use.warn) {
    const key = actionKeys(services, agent, event, session).find((one) => isRefused(prepared, one))
    const known = key && prepared.failed.get(key)
    if (key && known) {
      shown.add(`warning:${key}`)
      return { reply: { refusal: known.reason }, injected: { session, occasion: `warning:${key}`, brief: warningBrief(known) } }
    }
  }
  const file = agent.fileOf(event.input)
  const path = file?.startsWith(`${session.folder}/`) ? file.slice(session.folder.length + 1) : file
  const brief = path && !shown.has(`file:${path}`) ? prepared.files.get(path) : undefined
  if (!path || !brief?.text) return { reply: {} }
  shown.add(`file:${path}`)
  return { reply: { context: brief.text }, injected: { session, occasion: `file:${path}`, brief } }
}

/** Refused once per session. A check is not refused after the session has changed something. */
const isRefused = ({ failed, shown, hasChanged }: PreparedSession, key: string) =>
  failed.has(key) && !shown.has(`warning:${key}`) && !(hasChanged && key.startsWith('check:'))

const warningBrief = ({ reason, promptId }: FailedAction): InjectedBrief => ({
  text: reason,
  tokens: 0,
  items: [],
  leftOut: 0,
  left: promptId === null ? [] : [{ kind: 'prompt', id: promptId, why: 'only a warning about it was shown' }],
})

/** Prepares a session in the background. */
export function prepareActions(services: Services, session: Session): void {
  const { sessions } = memoryOf(services)
  const known = sessions.get(session.contentSessionId)
  sessions.delete(session.contentSessionId)
  const fresh = { files: new Map(), failed: new Map(), shown: new Set<string>(), hasChanged: false }
  sessions.set(session.contentSessionId, { ...fresh, ...known, session })
  for (const oldest of [...sessions.keys()].slice(0, -MAX_SESSIONS)) sessions.delete(oldest)
  schedule(services)
}

/** Remembers what was shown in other ways, so that it is not shown twice. */
export function noteShown(services: Services, session: Session, occasion: string): void {
  memoryOf(services).sessions.get(session.contentSessionId)?.shown.add(occasion)
}

/** Remembers that a session changed a file. */
export function noteChange(services: Services, session: Session): void {
  const prepared = memoryOf(services).sessions.get(session.contentSessionId)
  if (prepared) prepared.hasChanged = true
}

function memoryOf(services: Services): ActionMemory {
  const known = memories.get(services)
  if (known) return known
  const memory: ActionMemory = { sessions: new Map(), timer: null, deletions: 0 }
  memories.set(services, memory)
  services.stream.watch((type) => {
    if (type === 'memories-deleted' || type === 'observation-removed' || type === 'note-removed') clear(memory)
    if (CHANGES.has(type)) schedule(services)
  })
  services.stopSignal.addEventListener('abort', () => clearTimeout(memory.timer ?? undefined))
  return memory
}

const CHANGES = new Set(['memories-deleted', 'observation-added', 'observation-removed', 'note-changed', 'note-removed'])

function clear(memory: ActionMemory): void {
  memory.deletions++
  for (const prepared of memory.sessions.values()) {
    prepared.files.clear()
    prepared.failed.clear()
  }
}

function schedule(services: Services): void {
  const memory = memoryOf(services)
  if (memory.timer || services.stopSignal.aborted) return
  memory.timer = setTimeout(async () => {
    memory.timer = null
    for (const prepared of memory.sessions.values())
      await prepare(services, memory, prepared).catch((cause) =>
        services.log.warn('could not prepare file briefs', { error: String(cause).slice(0, 200) }),
      )
  }, PREPARE_DELAY_MS)
  memory.timer.unref()
}

async function prepare(services: Services, memory: ActionMemory, prepared: PreparedSession): Promise<void> {
  const { store } = services
  const { deletions } = memory
  const now = Date.now()
  const session = await store.sessions.get(prepared.session.id)
  if (!session) return
  prepared.session = session
  for (const occasion of await (await store.turnWork()).occasionsOf(session)) prepared.shown.add(occasion)
  const recent = await store.observations.recent(session.project, MAX_OBSERVATIONS_READ)
  const paths = [...new Set(recent.flatMap((o) => [...o.filesModified, ...o.filesRead]))].slice(0, MAX_PREPARED_FILES)
  const files = new Map<string, InjectedBrief>()
  for (const path of paths) {
    if (services.stopSignal.aborted) return
    files.set(path, await fileBriefFor(store, session, path, now, codeCheck(services, session)))
    // Hooks go first.
    await Bun.sleep(0)
  }
  const failed = services.settings.hooks.pre_tool_use.warn ? await failedActions(services, session, now) : prepared.failed
  // What was read may have been deleted meanwhile; a deletion also has it prepared again.
  if (memory.deletions !== deletions) return
  prepared.files = files
  prepared.failed = failed
}

/** The checks that failed when they were last run, and the edits of earlier sessions that failed or were undone. */
async function failedActions(services: Services, session: Session, now: number): Promise<Map<string, FailedAction>> {
  const { store } = services
  const failed = new Map<string, FailedAction>()
  for (const { failure, promptId } of await failingChecksOf(store, session, now)) {
    const what = neutralizeText(failure.names.slice(0, 3).join('; ') || failure.error)
    const said = `It failed when it was last run, ${formatAgo(failure.at, now)} (P${promptId}): ${what}`
    failed.set(`check:${failure.command}`, { reason: reasonFor(`\`${neutralizeText(failure.command)}\``, said), promptId })
  }
  for (const { id, agent } of await store.sessions.recent(session.project, MAX_SESSIONS_READ)) {
    if (id === session.id) continue
    const undone = await (await store.turnWork()).undoneTurns(id)
    const uses = await store.toolUses.ofSession(id, MAX_USES_READ)
    const prompts = new Map((await store.prompts.ofSession(id)).map((prompt) => [prompt.number, prompt.id]))
    const performed = await performedActions(agent, uses, readActionWith(services.agents))
    for (const [n, { failed: hasFailed, error, action, at }] of performed.entries()) {
      if (action.kind !== 'edit') continue
      const key = editKey(action)
      const number = uses[n]?.promptNumber ?? 0
      const by = undone.get(number)
      const happened = hasFailed
        ? `It failed ${formatAgo(at, now)}: ${neutralizeText((error ?? '').slice(0, 160))}`
        : by && `It was made ${formatAgo(at, now)} and is ${undoneMark(by)}.`
      if (happened) failed.set(key, { reason: reasonFor('This edit', happened), promptId: prompts.get(number) ?? null })
      else failed.delete(key)
    }
  }
  return failed
}

const reasonFor = (what: string, happened: string) =>
  `Recollect: ${what} was tried before. ${happened} If it should run all the same, repeat it.`

const editKey = ({ file, removed, added }: { file: string; removed: string; added: string }) =>
  `edit:${fingerprint(JSON.stringify([file, removed, added]), 24)}`

/** What identifies the action that is about to start: cleaned like the stored ones, because those are what it is compared with. */
function actionKeys(services: Services, agent: Agent, event: ToolStarting, { folder }: Session): string[] {
  const input = cleanJsonText(event.input, services.rules(agent), MAX_STORED_CHARS)
  const action = agent.readAction({ tool: event.tool, input, output: null, error: null })
  if (action.kind === 'edit') return [editKey(action)]
  return action.kind === 'command' ? checksInCommand(action.command, folder).map((command) => `check:${command}`) : []
}
