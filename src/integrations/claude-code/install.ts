/**
 * Writes our hooks into Claude Code's settings and removes them again. It writes one settings file and its backups, and never a file that
 * it could not read. `settings.ts` decides what the hooks contain.
 */
import { dirname, join } from 'node:path'
import type { Environment } from '../../platform/environment.ts'
import { readUtf8IfThere, writeInPlace } from '../../platform/files.ts'
import { removeFile } from '../../platform/folder.ts'
import { homeFlagOf } from '../../platform/launcher.ts'
import { runProgram } from '../../platform/processes.ts'
import type { Program } from '../../platform/program.ts'
import { keepBackup } from '../settings-backup.ts'
import { type McpOutcome, registerMcp, unregisterMcp } from './mcp.ts'
import {
  eventsFor,
  type HookHome,
  type JsonEditResult,
  type OtherMemoryTool,
  readSettings,
  type SettingsFacts,
  type UnreadableJson,
  withHooks,
  withoutHooks,
} from './settings.ts'

export type { McpOutcome } from './mcp.ts'

type SettingsFileOptions = {
  environment: Environment
  /** A project's folder, for hooks in its `settings.local.json`; null for the person's own settings, which apply everywhere. */
  project: string | null
  /** Returns what would be written, and writes nothing. */
  dryRun?: boolean
  now?: Date
  /** Events that the person's settings ask for, besides those that are always installed. */
  wanted?: string[]
}

/** `madeByUs` is true when `init` created the file: then it is deleted if nothing else is in it. */
export type RemovalOptions = SettingsFileOptions & { madeByUs?: boolean }

/** The outcome of an edit. `unreadable` and `unwritable` mean that the file is unchanged. */
type SettingsEditOutcome =
  | { kind: 'unchanged'; file: string; backup: null }
  | { kind: 'planned'; file: string; text: string; changed: boolean }
  | { kind: 'unreadable' | 'unwritable'; file: string; reason: string }

export type InstallOutcome =
  | SettingsEditOutcome
  | { kind: 'installed'; file: string; backup: string | null }
  | { kind: 'too-old'; version: string }
  /** The plugin is enabled in this file, and both would deliver every event. */
  | { kind: 'plugin'; plugin: string; file: string }
type UninstallOutcome = SettingsEditOutcome | { kind: 'removed'; file: string; backup: string | null; fileGone?: boolean }

/** Writes our hooks for the installed client, in place of those that earlier versions wrote. A second call changes something only for a newer client. */
export async function install(options: SettingsFileOptions & { command?: string | null }): Promise<InstallOutcome> {
  const { environment, project } = options
  const version = (await findClient(environment))?.version ?? null
  const facts = inspectHooks(environment, project).files.filter((found) => found.kind === 'read')
  const enabling = facts.find((found) => found.plugin !== null)
  if (enabling?.plugin) return { kind: 'plugin', plugin: enabling.plugin, file: enabling.file }
  const own = facts.find(({ file }) => file === targetOf(options))?.own ?? []
  const present = own.map((hook) => hook.event)
  const events = eventsFor(version, present, options.wanted)
  if (version !== null && events.length === 0) return { kind: 'too-old', version }
  return rewrite(options, 'installed', (text) => withHooks(text, { events, home: hookHome(environment), command: options.command ?? null }))
}

/** Removes exactly the hooks of this home; everything else in the file stays. */
export async function uninstall(options: RemovalOptions): Promise<UninstallOutcome> {
  const remove = (text: string | null) => withoutHooks(text, hookHome(options.environment))
  const planned = rewrite({ ...options, dryRun: true }, 'removed', remove)
  const isLeftEmpty = planned.kind === 'planned' && planned.changed && planned.text.trim() === '{}'
  if (options.dryRun || !options.madeByUs || !isLeftEmpty) return rewrite(options, 'removed', remove)
  try {
    removeFile(planned.file)
    return { kind: 'removed', file: planned.file, backup: null, fileGone: true }
  } catch (cause) {
    return { kind: 'unwritable', file: planned.file, reason: causeOf(cause) }
  }
}

const hookHome = ({ home, userHome }: Environment): HookHome => ({ home, defaultHome: `${userHome}/.recollect` })

type McpInstallOptions = { environment: Environment; project: string | null; dryRun?: boolean }

/** Registers our MCP server with the client, unless the plugin brings it: then the model would see every tool twice. */
export async function installMcp(options: McpInstallOptions & { program: Program }): Promise<McpOutcome> {
  const { plugin } = inspectHooks(options.environment, options.project)
  if (plugin) return { kind: 'refused', reason: `the plugin ${plugin.name} already provides it` }
  return registerMcp({ ...options, ...mcpDeps(options.environment) })
}

export const uninstallMcp = (options: McpInstallOptions) => unregisterMcp({ ...options, ...mcpDeps(options.environment) })

const mcpDeps = (environment: Environment) => ({
  homeFlag: homeFlagOf(environment),
  findClient: async () => (await findClient(environment))?.path ?? null,
})

/** The client that would run here, and its version. If CLAUDE_BIN names one, only that one is tried. */
export async function findClient(environment: Environment): Promise<{ path: string; version: string } | null> {
  const { claudeBin, userHome, path } = environment
  const candidates = [
    Bun.which('claude', { PATH: path }),
    join(userHome, '.claude', 'local', 'claude'),
    join(userHome, '.local', 'bin', 'claude'),
  ]
  for (const candidate of claudeBin ? [claudeBin] : candidates) {
    const ran = candidate ? await runProgram(candidate, ['--version'], { timeoutMs: 5000 }) : null
    const version = ran?.code === 0 ? /\d+\.\d+\.\d+/.exec(ran.stdout)?.[0] : null
    if (candidate && version) return { path: candidate, version }
  }
  return null
}

export type InspectedFile = { file: string; scope: 'user' | 'project' | 'project-local' | 'managed' } & (
  | { kind: 'missing' }
  | { kind: 'unreadable'; reason: string }
  | SettingsFacts
)

export type Inspection = {
  files: InspectedFile[]
  /** True when more than one file has our hooks, so events may come twice. */
  isInstalledTwice: boolean
  /** The plugin and the file that enables it. */
  plugin: { name: string; file: string } | null
  /** Other memory tools, and the file that connects each. */
  otherMemory: (OtherMemoryTool & { file: string })[]
  hooksOff: boolean
}

/** Reads the hooks from all settings files of a session in this folder. */
export function inspectHooks(environment: Environment, projectFolder: string | null): Inspection {
  const files = settingsFiles(environment, projectFolder).map(({ file, scope }): InspectedFile => {
    const found = inspectFile(file) ?? { kind: 'missing' }
    return { file, scope, ...found }
  })
  const read = files.filter((found) => found.kind === 'read')
  return {
    files,
    isInstalledTwice: read.filter((found) => found.own.length > 0).length > 1,
    plugin: read.flatMap((found) => (found.plugin ? [{ name: found.plugin, file: found.file }] : []))[0] ?? null,
    otherMemory: read.flatMap(({ otherMemory, file }) => otherMemory.map((tool) => ({ ...tool, file }))),
    hooksOff: read.some((found) => found.hooksOff || (found.scope === 'managed' && found.managedHooksOnly)),
  }
}

/** The settings files; a later one overrides an earlier one. */
function settingsFiles(environment: Environment, project: string | null): Pick<InspectedFile, 'file' | 'scope'>[] {
  const system = process.platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code'
  const files: Pick<InspectedFile, 'file' | 'scope'>[] = [{ scope: 'user', file: userSettings(environment) }]
  if (project) {
    files.push(
      { scope: 'project', file: join(project, '.claude', 'settings.json') },
      { scope: 'project-local', file: localSettings(project) },
    )
  }
  files.push({ scope: 'managed', file: join(system, 'managed-settings.json') })
  // In the home folder, the person's own settings are also the project's.
  return files.filter(({ file }, i) => files.findIndex((other) => other.file === file) === i)
}

const userSettings = (environment: Environment) => join(environment.claudeConfig, 'settings.json')
const localSettings = (project: string) => join(project, '.claude', 'settings.local.json')

function inspectFile(file: string): SettingsFacts | { kind: 'unreadable'; reason: string } | null {
  const text = readSettingsText(file)
  if (text.kind === 'unreadable') return text
  if (!text.text?.trim()) return null
  const readScript = (name: string) => {
    const script = readSettingsText(join(dirname(file), 'hooks', name))
    return script.kind === 'text' ? script.text : null
  }
  const facts = readSettings(text.text, readScript)
  return facts.kind === 'read' ? facts : { kind: 'unreadable', reason: describeUnreadable(facts) }
}

function readSettingsText(file: string): { kind: 'text'; text: string | null } | { kind: 'unreadable'; reason: string } {
  try {
    return { kind: 'text', text: readUtf8IfThere(file) }
  } catch (cause) {
    return { kind: 'unreadable', reason: causeOf(cause) }
  }
}

const describeUnreadable = ({ reason, line, column }: UnreadableJson) => `line ${line}, column ${column}: ${reason}`
const causeOf = (error: unknown) => String((error as Error).cause ?? error)

const targetOf = ({ environment, project }: SettingsFileOptions) => (project === null ? userSettings(environment) : localSettings(project))

function rewrite<K extends string>(
  options: SettingsFileOptions,
  done: K,
  change: (text: string | null) => JsonEditResult,
): SettingsEditOutcome | { kind: K; file: string; backup: string | null } {
  const file = targetOf(options)
  const before = readSettingsText(file)
  if (before.kind === 'unreadable') return { ...before, file }
  const after = change(before.text)
  if (after.kind === 'unreadable') return { kind: 'unreadable', file, reason: describeUnreadable(after) }
  if (options.dryRun) return { kind: 'planned', file, text: after.text, changed: after.changed }
  if (!after.changed) return { kind: 'unchanged', file, backup: null }
  try {
    const backup = before.text === null ? null : keepBackup(file, before.text, options.now ?? new Date())
    writeInPlace(file, after.text)
    return { kind: done, file, backup }
  } catch (cause) {
    // Expected where another program manages the file, such as a read-only home built from a configuration.
    return { kind: 'unwritable', file, reason: causeOf(cause) }
  }
}
