import { DEFAULT_AGENT } from '../../core/agent.ts'
import { type McpOutcome, uninstall, uninstallMcp } from '../../integrations/install.ts'
import { readEnvironment } from '../../platform/environment.ts'
import { exists } from '../../platform/files.ts'
import { removeOwnFiles } from '../../platform/folder.ts'
import { forgetInstall, readInstalls } from '../../platform/installs.ts'
import { type Home, homePaths } from '../../platform/paths.ts'
import { agentFailures, connectedOthers, disconnectAgents, isOtherAgent, parseAgents, printAgentOutcomes } from '../agents.ts'
import { dryRun, json, yes } from '../command.ts'
import { confirmed } from '../confirm.ts'
import { printMcpOutcome } from '../mcp-outcome.ts'
import { defineCommand } from '../parse.ts'
import { CliError, dim, print, printJson } from '../print.ts'
import { stopWorker } from './stop.ts'

export const command = defineCommand({
  name: 'uninstall',
  summary: 'remove the hooks and the MCP server; keeps memories',
  usage: `recollect uninstall [--agent A,B] [--project] [--purge] [--dry-run] [--yes] [--json]

  Disconnects every agent, or only those that you name. Settings files get back the bytes that they had before 'recollect init'.`,
  words: null,
  options: {
    agent: { type: 'string', value: 'A,B', about: 'disconnect only these: claude-code, codex, copilot, gemini, qwen, opencode' },
    project: { type: 'boolean', about: 'remove them from this folder only' },
    purge: { type: 'boolean', about: 'also stop the worker and delete all memories and settings' },
    'dry-run': dryRun,
    yes,
    json,
  },
  run: ({ values }) => uninstallAll(values),
})

/** Everything that Recollect writes into its home. Other files in that folder are not deleted. */
const OWNED_HOME_ENTRIES = [
  'recollect.db',
  'bin',
  'config.toml',
  'memory',
  'local',
  'machine',
  'spool',
  'run',
  'logs',
  'models',
  'off-sessions',
  'incoming',
  'replaced',
]

type UninstallFlags = {
  agent?: string | undefined
  project?: boolean | undefined
  purge?: boolean | undefined
  'dry-run'?: boolean | undefined
  yes?: boolean | undefined
  json?: boolean | undefined
}

export async function uninstallAll(flags: UninstallFlags): Promise<undefined> {
  const home = homePaths(readEnvironment())
  const dryRun = flags['dry-run'] ?? false
  const purge = flags.purge === true && !dryRun
  const question = `Remove the hooks and delete everything in ${home.folder}? This cannot be undone.`
  if (purge && !flags.yes && !(await confirmed(question))) return print('Nothing was changed.')
  // Without --project: the person's own settings, and each project in which init was run.
  const named = parseAgents(flags.agent)
  const projects = flags.project ? [process.cwd()] : [null, ...readInstalls(home).flatMap((known) => known.project ?? [])]
  const { outcomes, mcp, failures } = await disconnect(home, !named || named.includes(DEFAULT_AGENT) ? projects : [], dryRun)
  const others = flags.project ? [] : (named?.filter(isOtherAgent) ?? connectedOthers())
  const agents = await disconnectAgents(others, dryRun)
  if (purge) await stopWorker()
  const isHomeGone = purge && removeOwnFiles(home.folder, OWNED_HOME_ENTRIES)
  if (flags.json) printJson({ outcomes, mcp, ...(agents.length > 0 ? { agents } : {}), purged: purge })
  else {
    for (const outcome of outcomes) printOutcome(outcome)
    for (const one of mcp) printMcpOutcome(one)
    printAgentOutcomes(agents, 'remove')
    if (isHomeGone) print(`Deleted ${home.folder}.`)
    else if (purge) print(`Deleted all of Recollect's files in ${home.folder}; other files in it were not touched.`)
    else if (flags.purge) print(`Would delete everything in ${home.folder}.`)
    else print(dim(`Memories stay in ${home.folder}. To delete them too: recollect uninstall --purge`))
  }
  failures.push(...agentFailures(agents))
  if (failures.length > 0) throw new CliError(failures.join(' '))
}

/** Removes hooks and MCP server from each project. A settings file that cannot be read or written does not stop the others. */
async function disconnect(home: Home, projects: (string | null)[], dryRun: boolean) {
  const environment = readEnvironment()
  const outcomes: HookRemoval[] = []
  const mcp: McpOutcome[] = []
  const failures: string[] = []
  for (const project of new Set(projects)) {
    const madeByUs = readInstalls(home).some((known) => known.project === project && known.madeFile === true)
    const outcome = await uninstall({ environment, project, dryRun, madeByUs })
    if (outcome.kind === 'unreadable' || outcome.kind === 'unwritable')
      failures.push(`${outcome.file} was not changed: ${outcome.reason}. Correct it and run 'recollect uninstall' again.`)
    else if (!dryRun && exists(home.folder)) forgetInstall(home, project)
    outcomes.push(outcome)
    mcp.push(await uninstallMcp({ environment, project, dryRun }))
  }
  return { outcomes, mcp, failures }
}

type HookRemoval = Awaited<ReturnType<typeof uninstall>>

function printOutcome(outcome: HookRemoval): undefined {
  switch (outcome.kind) {
    case 'planned':
      return print(outcome.changed ? `Would remove the hooks from ${outcome.file}.` : `${outcome.file} has no hooks of this home.`)
    case 'removed':
      return print(outcome.fileGone ? `Deleted ${outcome.file}, which init had created.` : `Removed the hooks from ${outcome.file}.`)
    case 'unreadable':
    case 'unwritable':
      return
    default:
      return print(`${outcome.file} contained no hooks for this home.`)
  }
}
