/**
 * Putting our hooks into an agent's settings and taking them out again. This is the door for `init`, `uninstall` and `doctor`;
 * what the hooks say is decided in the agent's own folder. It writes one settings file and its backups, and never a file that it
 * could not read.
 */
import { basename, dirname, join } from 'node:path'
import type { Environment } from '../../platform/environment.ts'
import { readUtf8IfThere, writeFileAtomically, writeInPlace } from '../../platform/files.ts'
import { filesIn, removeFile } from '../../platform/folder.ts'
import { runProgram } from '../../platform/processes.ts'
import { type McpOutcome, registerMcp, unregisterMcp } from './mcp.ts'
import {
  type CommandHookReason,
  findHttpObstacle,
  type HookPlan,
  type JsonEditResult,
  planHooks,
  readSettings,
  type SettingsFacts,
  type UnreadableJson,
  withHooks,
  withoutHooks,
} from './settings.ts'

export type { McpOutcome } from './mcp.ts'

type SettingsFileOptions = {
  environment: Environment
  /** A project's folder, for hooks in its personal settings (`settings.local.json`); null for the person's own, used everywhere. */
  project: string | null
  /** Says what would be written and writes nothing. */
  dryRun?: boolean
  now?: Date
}

export type RemovalOptions = SettingsFileOptions & {
  /** What this home's http hooks carry; null when it has no token any more. */
  hookToken: string | null
  /** The file is there because `init` made it: when nothing else is in it, it goes too. */
  madeByUs?: boolean
}

export type InstallOptions = SettingsFileOptions & {
  /** What the person asked for; otherwise the client and its surroundings decide. */
  form?: HookPlan['form']
  /** HTTP_PROXY and its kin as the shell has them: a client sends its http hooks through them. */
  proxies?: Record<string, string>
  port: number
  hookToken: string
  program: HookPlan['program']
}

/** What came of an edit. `unreadable` and `unwritable` leave the file as it was; the person decides. */
type SettingsEditOutcome =
  | { kind: 'unchanged'; file: string; backup: null }
  | { kind: 'planned'; file: string; text: string; changed: boolean }
  | { kind: 'unreadable' | 'unwritable'; file: string; reason: string }

type ChosenHookForm = { form: HookPlan['form']; because: CommandHookReason | null; version: string | null }
export type InstallOutcome =
  | ((SettingsEditOutcome | { kind: 'installed'; file: string; backup: string | null }) & ChosenHookForm)
  | { kind: 'too-old'; version: string }
  /** The plugin is enabled in this file, and both would tell every event. */
  | { kind: 'plugin'; plugin: string; file: string }
type UninstallOutcome = SettingsEditOutcome | { kind: 'removed'; file: string; backup: string | null; fileGone?: boolean }

/** Writes our hooks for the client that is here. Doing it again changes nothing, or what a newer client or another port asks for. */
export async function install(options: InstallOptions): Promise<InstallOutcome> {
  const { environment, project, program, port, hookToken, form } = options
  const client = await findClient(environment)
  const version = client?.version ?? null
  const { files } = inspectHooks(environment, project)
  const facts = files.filter((found) => found.kind === 'read')
  const enabling = facts.find((found) => found.plugin !== null)
  if (enabling?.plugin) return { kind: 'plugin', plugin: enabling.plugin, file: enabling.file }
  const own = facts.find(({ file }) => file === targetOf(options))?.own ?? []
  const present = own.map((hook) => hook.event)
  // Where there is nobody to ask, hooks that were written when there was keep their form.
  const kept = version === null && own.some((hook) => hook.form === 'http') ? ('http' as const) : undefined
  const homeFlag = homeFlagOf(environment)
  const wishes = { program, port, hookToken, homeFlag, form: form ?? kept, present }
  const plan = planHooks(version, wishes, findHttpObstacle(port, facts, options.proxies ?? {}))
  if (version !== null && plan.events.length === 0) return { kind: 'too-old', version }
  return { ...rewrite(options, 'installed', (text) => withHooks(text, plan)), form: plan.form, because: plan.because, version }
}

/** Takes out exactly the hooks of this home; everything else in the file stays as it is. */
export async function uninstall(options: RemovalOptions): Promise<UninstallOutcome> {
  const { environment, hookToken, madeByUs = false } = options
  const of = { home: environment.home, usualHome: defaultHome(environment), hookToken }
  const planned = rewrite({ ...options, dryRun: true }, 'removed', (text) => withoutHooks(text, of))
  const isLeftEmpty = planned.kind === 'planned' && planned.changed && planned.text.trim() === '{}'
  if (options.dryRun || !madeByUs || !isLeftEmpty) return rewrite(options, 'removed', (text) => withoutHooks(text, of))
  try {
    removeFile(planned.file)
    return { kind: 'removed', file: planned.file, backup: null, fileGone: true }
  } catch (cause) {
    return { kind: 'unwritable', file: planned.file, reason: causeOf(cause) }
  }
}

type McpInstallOptions = { environment: Environment; project: string | null; dryRun?: boolean }

/** Registers our MCP server with the client that is here, unless the plugin brings it: the model would see every tool twice. */
export async function installMcp(wish: McpInstallOptions & { program: HookPlan['program'] }): Promise<McpOutcome> {
  const { plugin } = inspectHooks(wish.environment, wish.project)
  if (plugin) return { kind: 'refused', reason: `the plugin ${plugin.name} brings it` }
  return registerMcp({ ...wish, ...mcpDeps(wish.environment) })
}

export const uninstallMcp = (wish: McpInstallOptions) => unregisterMcp({ ...wish, ...mcpDeps(wish.environment) })

const mcpDeps = (environment: Environment) => ({
  homeFlag: homeFlagOf(environment),
  findClient: async () => (await findClient(environment))?.path ?? null,
})

/** What a client must add to a call of ours for it to mean this home; null for the usual one. */
export const homeFlagOf = (environment: Environment) => (environment.home === defaultHome(environment) ? null : environment.home)

const defaultHome = (environment: Environment) => join(environment.userHome, '.recollect')

/** The client that would run here, and its version. One that a person named is the only one asked. */
export async function findClient(environment: Environment): Promise<{ path: string; version: string } | null> {
  const { claudeBin, userHome, path } = environment
  const places = [
    Bun.which('claude', { PATH: path }),
    join(userHome, '.claude', 'local', 'claude'),
    join(userHome, '.local', 'bin', 'claude'),
  ]
  for (const place of claudeBin ? [claudeBin] : places) {
    const asked = place ? await runProgram(place, ['--version'], { timeoutMs: 5000 }) : null
    const version = asked?.code === 0 ? /\d+\.\d+\.\d+/.exec(asked.stdout)?.[0] : null
    if (place && version) return { path: place, version }
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
  /** Installed in more than one file, so that events may come twice. */
  isInstalledTwice: boolean
  /** The plugin and the file that enables it. */
  plugin: { name: string; file: string } | null
  otherMemory: string[]
  hooksOff: boolean
}

/** What every settings file that speaks to the client here says about hooks. */
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
    otherMemory: read.flatMap((found) => found.otherMemory),
    hooksOff: read.some((found) => found.hooksOff || (found.scope === 'managed' && found.managedHooksOnly)),
  }
}

/** The settings files in the order in which a later one overrules an earlier one. */
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
  // To a session in the home folder the person's own settings are the project's as well.
  return files.filter(({ file }, i) => files.findIndex((other) => other.file === file) === i)
}

const userSettings = (environment: Environment) => join(environment.claudeConfig, 'settings.json')
const localSettings = (project: string) => join(project, '.claude', 'settings.local.json')

function inspectFile(file: string): SettingsFacts | { kind: 'unreadable'; reason: string } | null {
  const text = readSettingsText(file)
  if (text.kind === 'unreadable') return text
  if (!text.text?.trim()) return null
  const facts = readSettings(text.text)
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
    // Ordinary where another program owns the file, such as a home that is built from a configuration and read-only.
    return { kind: 'unwritable', file, reason: causeOf(cause) }
  }
}

const MAX_BACKUPS = 5

/** Keeps the text beside its file, under the time in its name, and lets the oldest backups but the first go. */
function keepBackup(file: string, text: string, now: Date): string {
  const prefix = `${basename(file)}.recollect-backup-`
  const time = now.toISOString().replace(/\.\d+|[-:]/g, '')
  const there = filesIn(dirname(file), '').filter((entry) => entry.name.startsWith(prefix))
  // A second one in the same second must not take the place of the first, which holds the older text.
  const ofThisSecond = there.filter((entry) => entry.name.startsWith(prefix + time)).length
  const backup = join(dirname(file), prefix + time + (ofThisSecond > 0 ? `-${ofThisSecond + 1}` : ''))
  writeFileAtomically(backup, text)
  // The first is what the person had before us: it stays, however often we write.
  for (const old of there.slice(1, Math.max(1, there.length + 2 - MAX_BACKUPS))) removeFile(old.path)
  return backup
}
