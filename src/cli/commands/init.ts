import { resolve } from 'node:path'
import type { SyncReport } from '../../core/sync.ts'
import { type InstallOutcome, installMcp, type McpOutcome } from '../../integrations/install.ts'
import { readEnvironment } from '../../platform/environment.ts'
import { exists } from '../../platform/files.ts'
import { homeFlagOf, launcherText, shellQuoted } from '../../platform/launcher.ts'
import { homePaths } from '../../platform/paths.ts'
import { PROGRAM } from '../../platform/program.ts'
import { call } from '../call.ts'
import { dryRun, json, yes } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { installHooks } from '../install-hooks.ts'
import { printMcpOutcome } from '../mcp-outcome.ts'
import { defineCommand } from '../parse.ts'
import { bold, CliError, dim, EXIT, invalidInput, print, printJson, printNotice } from '../print.ts'
import { printSyncReport } from './sync.ts'
import { uninstallAll } from './uninstall.ts'

export const command = defineCommand({
  name: 'init',
  summary: 'connect Claude Code: install the hooks and the MCP server',
  usage: `recollect init [--yes] [--project] [--no-mcp] [--remote ADDRESS] [--command CMD] [--print] [--dry-run] [--remove] [--json]

  Adds Recollect's hooks to Claude Code's settings.json ($CLAUDE_CONFIG_DIR, else ~/.claude). The rest of the file stays the same, and a
  dated backup is written next to it. Registers the MCP server with 'claude mcp add'. Running it again changes nothing.`,
  words: null,
  options: {
    yes,
    project: { type: 'boolean', about: 'install for this folder only (.claude/settings.local.json)' },
    'no-mcp': { type: 'boolean', about: 'do not register the MCP server' },
    remote: {
      type: 'string',
      value: 'ADDRESS',
      about: `share notes with your other machines through this git repository (sets sync.remote), and sync now; '' removes the remote`,
    },
    command: { type: 'string', value: 'CMD', about: "run this instead of the installed program in the hooks, such as 'npx recollect'" },
    print: { type: 'boolean', about: 'print the new settings and what else would be written, and write nothing' },
    'dry-run': dryRun,
    remove: { type: 'boolean', about: "the same as 'recollect uninstall'" },
    json,
  },
  async run({ values }) {
    if (values.remove) return uninstallAll(values)
    const project = values.project ? process.cwd() : null
    const command = values.command === undefined ? null : usableCommand(values.command)
    const planned = await installHooks({ project, dryRun: true, command })
    if (planned.kind !== 'planned') throw installError(planned)
    if (values.print) return printFiles(planned, command, project, values['no-mcp'] ?? false)
    const registerMcp = async (dryRun: boolean): Promise<McpOutcome | null> =>
      values['no-mcp'] ? null : installMcp({ environment: readEnvironment(), project, dryRun, program: PROGRAM })
    if (values['dry-run']) return printPlan(planned, await registerMcp(true), values.json ?? false)

    const question = `Write hooks to ${planned.file}? A backup is written next to it.`
    if (planned.changed && !values.yes && !(await confirmed(question))) return print('Nothing was changed.')
    const installed = await installHooks({ project, command })
    if (installed.kind !== 'installed' && installed.kind !== 'unchanged') throw installError(installed)
    const mcp = await registerMcp(false)
    const synced = values.remote === undefined ? null : await setRemote(values.remote)
    if (values.json) printJson({ ...installed, mcp, ...(synced ? { sync: synced } : {}) })
    else {
      printInstalled(installed, mcp)
      if (synced) printSharing(values.remote !== '', synced)
    }
    if (synced?.outcome === 'refused') return EXIT.error
    if (!values.json) printNextSteps()
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
  print(text.replace(/\n$/, ''))
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

function printPlan(planned: PlannedHooks, mcp: McpOutcome | null, asJson: boolean): undefined {
  if (asJson) return printJson({ ...planned, text: undefined, mcp })
  if (planned.changed) print(`Would write hooks to ${planned.file}. To see the whole file: recollect init --print`)
  else print(`${planned.file} already has the hooks.`)
  if (mcp) printMcpOutcome(mcp)
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

function printNextSteps(): void {
  print(`\nClaude Code now remembers. Open sessions are captured too; a new session is shown what earlier ones learned.`)
  print(dim(`To check the installation: recollect doctor. To remove it: recollect uninstall.`))
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
