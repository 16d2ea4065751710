/**
 * Connects agents other than Claude Code: writes our hooks or plugin and our MCP server into their settings files, and takes them out again. Each agent
 * says in its `settings.ts` which files these are; this file does what is the same for all of them. A file that cannot be read is never written.
 */
import type { ServedAgent } from '../core/agent.ts'
import { fingerprint } from '../core/hash.ts'
import { agentFolder } from '../platform/agent-folders.ts'
import type { Environment } from '../platform/environment.ts'
import { exists, readUtf8IfThere, writeInPlace } from '../platform/files.ts'
import { removeFile } from '../platform/folder.ts'
import { type InstalledFile, readAgentInstalls, rememberAgentInstall } from '../platform/installs.ts'
import { homeFlagOf, shellQuoted } from '../platform/launcher.ts'
import { homePaths } from '../platform/paths.ts'
import { runProgram } from '../platform/processes.ts'
import type { Program } from '../platform/program.ts'
import { OWN_PROGRAM_PATTERN } from './claude-code/mcp-registration.ts'
import { DEFAULT_HOME, type HookFormat, type HookHome, type JsonEditResult, shellWords } from './claude-code/settings.ts'
import { keepBackup } from './settings-backup.ts'

/** The agents that are connected through this file. */
export type OtherAgent = Exclude<ServedAgent, 'claude-code'>

/** One file that we write into. */
export type SetupFile = {
  path: string
  /** What of ours is in it, for people. */
  holds: string
  /** The file's text with our part, and without it. `remove` leaves what is not from this home. */
  add(text: string | null): JsonEditResult
  remove(text: string): JsonEditResult
}

export type SetupContext = { environment: Environment; program: Program; mcp: boolean }

export type AgentSetup = {
  agent: OtherAgent
  /** The name of its executable. */
  executable: string
  files(context: SetupContext): SetupFile[]
  /** Why our hooks do not run although they are written, and what to do about it. */
  obstacle?(environment: Environment): { problem: string; fix: string } | null
  /** A step that the person must take once, after the hooks are written. */
  nextStep?: string
}

/** Whether the agent is on this machine: its program can be called, or it has left its folder. */
export async function isInstalled({ agent, executable }: AgentSetup, environment: Environment): Promise<boolean> {
  if (exists(agentFolder(agent, environment))) return true
  const path = Bun.which(executable, { PATH: environment.path })
  if (!path) return false
  // Other programs are called `copilot` too.
  return agent !== 'copilot' || /GitHub Copilot/.test((await runProgram(path, ['--version'], { timeoutMs: 5000 })).stdout)
}

/** What happened to a file, or would happen. `unreadable` and `unwritable` mean that it is unchanged. */
export type FileOutcome = { path: string; holds: string } & (
  | { kind: 'planned'; text: string; changed: boolean }
  | { kind: 'written'; backup: string | null }
  | { kind: 'removed'; fileGone: boolean }
  | { kind: 'unchanged' }
  | { kind: 'unreadable' | 'unwritable'; reason: string }
)

/** What `connectAgent` would write. */
export function planAgent(setup: AgentSetup, context: SetupContext): FileOutcome[] {
  return setup.files(context).map((file) => planned(file, (text) => file.add(text)))
}

/** Writes our part into every file of the agent. A second call changes nothing. */
export function connectAgent(setup: AgentSetup, context: SetupContext, now = new Date()): FileOutcome[] {
  const home = homePaths(context.environment)
  const known = readAgentInstalls(home).find((install) => install.agent === setup.agent)?.files ?? []
  const remembered: InstalledFile[] = []
  const outcomes = setup.files(context).map((file): FileOutcome => {
    const plan = planned(file, (text) => file.add(text))
    const before = known.find(({ path }) => path === file.path)
    if (plan.kind !== 'planned' || !plan.changed) {
      if (before) remembered.push(before)
      return plan.kind === 'planned' ? { path: file.path, holds: file.holds, kind: 'unchanged' } : plan
    }
    try {
      const text = readUtf8IfThere(file.path)
      const backup = text === null ? null : keepBackup(file.path, text, now)
      writeInPlace(file.path, plan.text)
      // The first backup counts as long as only we have changed the file since.
      const isOurs = before !== undefined && text !== null && fingerprint(text, 32) === before.written
      remembered.push({ path: file.path, original: isOurs ? before.original : backup, written: fingerprint(plan.text, 32) })
      return { path: file.path, holds: file.holds, kind: 'written', backup }
    } catch (cause) {
      return { path: file.path, holds: file.holds, kind: 'unwritable', reason: reasonOf(cause) }
    }
  })
  rememberAgentInstall(home, setup.agent, remembered)
  return outcomes
}

/** Removes our part from every file. A file that has not changed since gets its old bytes back, or is deleted if it is ours. */
export function disconnectAgent(setup: AgentSetup, context: SetupContext, dryRun: boolean): FileOutcome[] {
  const home = homePaths(context.environment)
  const known = readAgentInstalls(home).find((install) => install.agent === setup.agent)?.files ?? []
  const outcomes = setup.files({ ...context, mcp: true }).map((file): FileOutcome => {
    const { path, holds } = file
    const plan = planned(file, (text) => (text === null ? { kind: 'edited', text: '', changed: false } : file.remove(text)))
    if (plan.kind !== 'planned' || dryRun) return plan
    if (!plan.changed) return { path, holds, kind: 'unchanged' }
    try {
      return restore(file, plan.text, known.find((install) => install.path === path) ?? null)
    } catch (cause) {
      return { path, holds, kind: 'unwritable', reason: reasonOf(cause) }
    }
  })
  const isDone = outcomes.every(({ kind }) => kind === 'removed' || kind === 'unchanged')
  if (!dryRun && isDone && exists(home.folder)) rememberAgentInstall(home, setup.agent, null)
  return outcomes
}

function restore({ path, holds }: SetupFile, without: string, known: InstalledFile | null): FileOutcome {
  const isAsWritten = known !== null && fingerprint(readUtf8IfThere(path) ?? '', 32) === known.written
  const isOwnFile = known !== null && known.original === null
  const original = isAsWritten && known.original !== null ? readUtf8IfThere(known.original) : null
  if (isOwnFile && (isAsWritten || /^\s*(?:\{\s*\})?\s*$/.test(without))) {
    removeFile(path)
    return { path, holds, kind: 'removed', fileGone: true }
  }
  writeInPlace(path, original ?? without)
  return { path, holds, kind: 'removed', fileGone: false }
}

function planned({ path, holds }: SetupFile, change: (text: string | null) => JsonEditResult): FileOutcome {
  try {
    const after = change(readUtf8IfThere(path))
    if (after.kind === 'edited') return { path, holds, kind: 'planned', text: after.text, changed: after.changed }
    return { path, holds, kind: 'unreadable', reason: `line ${after.line}, column ${after.column}: ${after.reason}` }
  } catch (cause) {
    return { path, holds, kind: 'unreadable', reason: reasonOf(cause) }
  }
}

const reasonOf = (error: unknown) => String((error as Error).cause ?? error)

/** How the agent is connected: which files have our part, and which should have it. */
export type AgentConnectionState = { connected: boolean; missing: FileOutcome[]; obstacle: { problem: string; fix: string } | null }

export function inspectAgent(setup: AgentSetup, context: SetupContext): AgentConnectionState {
  const plans = planAgent(setup, context)
  const has = setup.files(context).map((file) => {
    const plan = planned(file, (text) => (text === null ? { kind: 'edited', text: '', changed: false } : file.remove(text)))
    return plan.kind === 'planned' && plan.changed
  })
  const connected = has.some(Boolean)
  return {
    connected,
    missing: plans.filter((plan) => plan.kind !== 'planned' || plan.changed),
    obstacle: connected ? (setup.obstacle?.(context.environment) ?? null) : null,
  }
}

/** The home of the hooks that a context writes. */
export const hookHomeOf = ({ home, userHome }: Environment): HookHome => ({ home, defaultHome: `${userHome}/.recollect` })

/** The shell line of a hook. Its text never changes, because Codex asks the person to trust it. Works in every common shell. */
export function hookCommand(agent: OtherAgent, event: string, { home, defaultHome }: HookHome): string {
  const folder = home === defaultHome ? DEFAULT_HOME : shellQuoted(home)
  return `${folder}/bin/recollect-hook ${agent} ${event} 2>/dev/null || :`
}

/** Hooks in Claude Code's place of the settings. `handler` adds what this agent wants beside the command. */
export function hookFormat(agent: OtherAgent, handler: (event: string) => object): HookFormat {
  const own = new RegExp(`^(.+)/bin/recollect-hook ${agent} (\\w+) 2>/dev/null \\|\\| :$`, 's')
  return {
    handlerFor: (event, { home }) => ({ type: 'command', command: hookCommand(agent, event, home), ...handler(event) }),
    parseOwn: (event, hook) => {
      const command = typeof hook === 'object' && hook !== null && 'command' in hook ? hook.command : null
      const folder = typeof command === 'string' ? own.exec(command)?.[1] : undefined
      if (folder === undefined) return null
      return { event, kind: 'current', home: folder === DEFAULT_HOME ? null : (shellWords(folder)[0] ?? null) }
    },
  }
}

/** The words that start our MCP server. */
export function mcpCommand({ environment, program }: Pick<SetupContext, 'environment' | 'program'>): { command: string; args: string[] } {
  const home = homeFlagOf(environment)
  return { command: program.command, args: [...program.args, ...(home ? ['--home', home] : []), 'mcp'] }
}

/** Whether a server under our name starts our program, for this home. */
export function isOwnMcpCommand(words: unknown[], environment: Environment): boolean {
  const texts = words.map((word) => (typeof word === 'string' ? word : ''))
  const flag = texts.indexOf('--home')
  const home = flag < 0 ? null : (texts[flag + 1] ?? null)
  const rest = flag < 0 ? texts : texts.filter((_, at) => at !== flag && at !== flag + 1)
  return home === homeFlagOf(environment) && rest.at(-1) === 'mcp' && OWN_PROGRAM_PATTERN.test(rest.at(-2) ?? '')
}

/** Applies one edit after the other. */
export function chain(text: string | null, ...edits: ((text: string) => JsonEditResult)[]): JsonEditResult {
  let current = text ?? ''
  for (const edit of edits) {
    const result = edit(current)
    if (result.kind === 'unreadable') return result
    current = result.text
  }
  return { kind: 'edited', text: current, changed: current !== (text ?? '') || (text === null && current !== '') }
}
