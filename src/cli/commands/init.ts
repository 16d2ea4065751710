import { resolve } from 'node:path'
import { AGENT_TITLES, DEFAULT_AGENT, type ServedAgent } from '../../core/agent.ts'
import type { SyncReport } from '../../core/sync.ts'
import { type InstallOutcome, installMcp, type McpOutcome } from '../../integrations/install.ts'
import { readEnvironment } from '../../platform/environment.ts'
import { exists } from '../../platform/files.ts'
import { homeFlagOf, launcherText, shellQuoted } from '../../platform/launcher.ts'
import { homePaths } from '../../platform/paths.ts'
import { PROGRAM } from '../../platform/program.ts'
import {
  type AgentOutcome,
  agentFailures,
  connectAgents,
  installedAgents,
  isOtherAgent,
  nextSteps,
  parseAgents,
  planAgents,
  printAgentOutcomes,
} from '../agents.ts'
import { call } from '../call.ts'
import { dryRun, json, yes } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { currentCommandName, withCommandName } from '../current-project.ts'
import { installHooks } from '../install-hooks.ts'
import { printMcpOutcome } from '../mcp-outcome.ts'
import { defineCommand } from '../parse.ts'
import { bold, CliError, dim, EXIT, invalidInput, print, printExactly, printJson, printNotice } from '../print.ts'
import { printSyncReport } from './sync.ts'
import { uninstallAll } from './uninstall.ts'

export const command = defineCommand({
  name: 'init',
  summary: 'connect your agents: install the hooks and the MCP server',
  usage: `recollect init [--agent A,B] [--yes] [--project] [--no-mcp] [--remote ADDRESS] [--command CMD] [--print] [--dry-run] [--remove] [--json]

  Connects the agents that are installed: Claude Code, Codex, Copilot CLI, Gemini CLI, Qwen Code and OpenCode. Shows what it will write, and
  asks once. Adds Recollect's hooks (for OpenCode a plugin) and its MCP server to each agent's own settings. The rest of a file stays the same, and
  a dated backup is written next to it. Running it again changes nothing.`,
  words: null,
  options: {
    agent: { type: 'string', value: 'A,B', about: 'connect only these: claude-code, codex, copilot, gemini, qwen, opencode' },
    yes,
    project: { type: 'boolean', about: 'install for this folder only (.claude/settings.local.json); only for Claude Code' },
    'no-mcp': { type: 'boolean', about: 'do not register the MCP server' },
    remote: {
      type: 'string',
      value: 'ADDRESS',
      about: `share notes with your other machines through this git repository (sets sync.remote), and sync now; '' removes the remote`,
    },
    command: {
      type: 'string',
      value: 'CMD',
      about: "run this instead of the installed program in the hooks, such as '/opt/recollect/bin/recollect'",
    },
    print: { type: 'boolean', about: 'print the new settings and what else would be written, and write nothing' },
    'dry-run': dryRun,
    remove: { type: 'boolean', about: "the same as 'recollect uninstall'" },
    json,
  },
  async run({ values }) {
    if (values.remove) return uninstallAll(values)
    const project = values.project ? process.cwd() : null
    const command = values.command === undefined ? null : usableCommand(values.command)
    const agents = await chooseAgents(values.agent, project)
    const others = agents.filter(isOtherAgent)
    const mcp = !values['no-mcp']
    const plan: ConnectionPlan = {
      claude: agents.includes(DEFAULT_AGENT) ? await planClaude(project, command, others.length > 0 && values.agent === undefined) : null,
      others: await planAgents(others, mcp),
    }
    if (values.print) {
      if (plan.claude) printFiles(plan.claude, command, project, values['no-mcp'] ?? false)
      return printTexts(plan.others, plan.claude === null)
    }
    const registerMcp = async (dryRun: boolean): Promise<McpOutcome | null> =>
      mcp && plan.claude ? installMcp({ environment: readEnvironment(), project, dryRun, program: PROGRAM }) : null
    if (values['dry-run']) return printPlan(plan, await registerMcp(true), values.json ?? false)

    if (!values.yes && hasChanges(plan) && !(await confirmed(question(plan, mcp), 'yes'))) return print('Nothing was changed.')
    const installed = plan.claude ? await installClaude(project, command) : null
    const claudeMcp = await registerMcp(false)
    const connected = await connectAgents(others, mcp)
    const synced = values.remote === undefined ? null : await setRemote(values.remote)
    if (values.json) {
      printJson({
        ...installed,
        mcp: claudeMcp,
        ...(connected.length > 0 ? { agents: connected } : {}),
        ...(synced ? { sync: synced } : {}),
      })
    } else {
      if (installed) printInstalled(installed, claudeMcp)
      printAgentOutcomes(connected, 'write')
      if (synced) printSharing(values.remote !== '', synced)
    }
    const failures = agentFailures(connected)
    if (failures.length > 0) throw new CliError(failures.join(' '))
    if (synced?.outcome === 'refused') return EXIT.error
    if (!values.json) await printNextSteps(agents)
  },
})

/** The words of a command whose program exists: hooks are silent about one that does not. */
function usableCommand(given: string): string {
  const command = given.trim()
  const [program = ''] = command.split(/\s+/)
  if (/[\n"`$;&|<>()]/.test(command))
    throw invalidInput('--command takes a program and its arguments, without quotes or other signs of the shell')
  if (!Bun.which(program))
    throw invalidInput(`--command: ${program || 'the command'} was not found; pass a program on the PATH, or its whole path`)
  return command
}

/** The settings go to stdout exactly as they would be written; what else would happen goes to stderr. */
function printFiles({ file, text }: PlannedHooks, command: string | null, project: string | null, isWithoutMcp: boolean): undefined {
  printExactly(text.replace(/\n$/, ''))
  const environment = readEnvironment()
  printNotice(`this is the whole new text of ${file}`)
  if (command === null) printNotice(`the hooks call ${homePaths(environment).launcher}, which would contain:\n${launcherText(environment)}`)
  const home = homeFlagOf(environment)
  const server = [PROGRAM.command, ...PROGRAM.args, ...(home === null ? [] : ['--home', home]), 'mcp'].map(shellQuoted).join(' ')
  if (!isWithoutMcp)
    printNotice(`the MCP server would be registered with: claude mcp add --scope ${project ? 'local' : 'user'} recollect -- ${server}`)
}

type PlannedHooks = Extract<InstallOutcome, { kind: 'planned' }>
type InstalledHooks = Extract<InstallOutcome, { kind: 'installed' | 'unchanged' }>

/** What would be written. `claude` is null when Claude Code is not to be connected. */
type ConnectionPlan = { claude: PlannedHooks | null; others: AgentOutcome[] }

async function chooseAgents(option: string | undefined, project: string | null): Promise<ServedAgent[]> {
  const named = parseAgents(option)
  if (project !== null) {
    if (named?.some(isOtherAgent)) throw invalidInput('--project works only for Claude Code; leave it out to connect other agents')
    return [DEFAULT_AGENT]
  }
  return named ?? installedAgents(readEnvironment())
}

/** Null when the plugin connects Claude Code already, and other agents can still be connected. */
async function planClaude(project: string | null, command: string | null, mayBeLeftOut: boolean): Promise<PlannedHooks | null> {
  const planned = await installHooks({ project, dryRun: true, command })
  if (planned.kind === 'plugin' && mayBeLeftOut) return null
  if (planned.kind !== 'planned') throw installError(planned)
  return planned
}

async function installClaude(project: string | null, command: string | null): Promise<InstalledHooks> {
  const installed = await installHooks({ project, command })
  if (installed.kind !== 'installed' && installed.kind !== 'unchanged') throw installError(installed)
  return installed
}

const changesOf = ({ others }: ConnectionPlan) =>
  others.flatMap(({ agent, files }) => files.flatMap((file) => (file.kind === 'planned' && file.changed ? [{ agent, ...file }] : [])))

const hasChanges = (plan: ConnectionPlan) => plan.claude?.changed === true || changesOf(plan).length > 0

/** One question for all agents: what is changed, what for, and how to undo it. */
function question(plan: ConnectionPlan, mcp: boolean): string {
  const server = mcp ? '; and registers the memory tools with `claude mcp add`' : ''
  const claude = plan.claude?.changed ? [`  Claude Code: adds hooks to ${plan.claude.file}${server}`] : []
  const others = changesOf(plan).map(({ agent, holds, path }) => `  ${AGENT_TITLES[agent]}: adds ${holds} to ${path}`)
  return `From now on, Recollect records your sessions on this machine and shows each new one what earlier ones settled. Nothing leaves the machine.
${[...claude, ...others].join('\n')}
A backup of each changed file is written next to it. To undo all of it: ${currentCommandName()} uninstall.
Connect?`
}

/** The files of the other agents: a single one as it is; of several, each after its path. */
function printTexts(others: AgentOutcome[], isAlone: boolean): undefined {
  const texts = others.flatMap(({ files }) =>
    files.flatMap((file) => (file.kind === 'planned' ? [{ path: file.path, text: file.text }] : [])),
  )
  for (const { path, text } of texts) printExactly(isAlone && texts.length === 1 ? text.trimEnd() : `${bold(path)}\n${text.trimEnd()}\n`)
}

function printPlan(plan: ConnectionPlan, mcp: McpOutcome | null, asJson: boolean): undefined {
  const { claude, others } = plan
  if (asJson) {
    const withoutText = others.map(({ agent, files }) => ({ agent, files: files.map((file) => ({ ...file, text: undefined })) }))
    return printJson({ ...claude, text: undefined, mcp, ...(others.length > 0 ? { agents: withoutText } : {}) })
  }
  if (claude?.changed) print(`Would write hooks to ${claude.file}. To see the whole file: ${currentCommandName()} init --print`)
  else if (claude) print(`${claude.file} already has the hooks.`)
  if (mcp) printMcpOutcome(mcp)
  printAgentOutcomes(others, 'write')
}

/** Sets the remote for notes and syncs at once. */
function setRemote(remote: string): Promise<SyncReport> {
  const address = exists(resolve(remote)) ? resolve(remote) : remote
  return call('POST /api/sync/remote', { remote: address }, { timeoutMs: 300_000 })
}

function printInstalled(installed: InstalledHooks, mcp: McpOutcome | null): void {
  if (installed.kind === 'installed') print(`Wrote hooks to ${bold(installed.file)}.`)
  else print(`${installed.file} already has the hooks.`)
  if (installed.backup) print(dim(`Backup of the old file: ${installed.backup}`))
  if (mcp) printMcpOutcome(mcp)
}

function printSharing(hasRemote: boolean, synced: SyncReport): void {
  print(hasRemote ? '\nNotes are now shared through this remote.' : '\nNotes now stay on this machine.')
  printSyncReport(synced)
}

async function printNextSteps(agents: ServedAgent[]): Promise<void> {
  const titles = new Intl.ListFormat('en').format(agents.map((agent) => AGENT_TITLES[agent]))
  const verb = agents.length === 1 ? 'remembers' : 'share one memory'
  print(`\n${titles} now ${verb}. Open sessions are captured too; a new session is shown what earlier ones learned.`)
  for (const step of await nextSteps(agents.filter(isOtherAgent))) print(step)
  print(dim(withCommandName('To check the installation: recollect doctor. To remove it: recollect uninstall.')))
}

function installError(outcome: InstallOutcome): CliError {
  switch (outcome.kind) {
    case 'plugin':
      return new CliError(
        `the plugin ${outcome.plugin} is enabled in ${outcome.file} and already provides these hooks; use only one. To use init instead: claude plugin disable ${outcome.plugin}, then recollect init`,
      )
    case 'too-old':
      return new CliError(`Claude Code ${outcome.version} is too old: it has no hooks that Recollect can use. Update it and try again.`)
    case 'unreadable':
      return new CliError(`cannot read ${outcome.file} (${outcome.reason}). Correct the file and try again; nothing was changed.`)
    case 'unwritable':
      return new CliError(
        `cannot write ${outcome.file} (${outcome.reason}). If another program generates it, add the hooks there: 'recollect init --print' shows them.`,
      )
    default:
      return new CliError("the hooks were not written; run 'recollect doctor' to find out why")
  }
}
