import { type McpOutcome, uninstall, uninstallMcp } from '../integrations/install.ts'
import { readEnvironment } from '../platform/environment.ts'
import { exists, readIfThere } from '../platform/files.ts'
import { removeOwnFiles } from '../platform/folder.ts'
import { forgetInstall, readInstalls } from '../platform/installs.ts'
import { homePaths } from '../platform/paths.ts'
import { confirmed } from './confirm.ts'
import { sayMcpOutcome } from './mcp-outcome.ts'
import { parse } from './parse.ts'
import { CliError, dim, say, sayJson } from './print.ts'
import { stopWorker } from './stop.ts'

/** Everything that Recollect ever writes into its home. A folder that holds other things keeps them. */
const OWNED_HOME_ENTRIES = ['recollect.db', 'config.toml', 'memory', 'local', 'machine', 'spool', 'run', 'logs', 'models']

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('uninstall', args)
  const environment = readEnvironment()
  const home = homePaths(environment)
  const dryRun = values['dry-run'] ?? false
  if (
    values.purge &&
    !dryRun &&
    !values.yes &&
    !(await confirmed(`Remove the hooks and delete everything in ${home.folder}? This cannot be undone.`))
  ) {
    return say('Nothing was changed.')
  }
  // Without --project: the person's own settings and every project that init was run in.
  const places = values.project ? [process.cwd()] : [null, ...readInstalls(home).flatMap((known) => known.project ?? [])]
  const outcomes = []
  const servers: McpOutcome[] = []
  const failed: string[] = []
  for (const project of new Set(places)) {
    const madeByUs = readInstalls(home).some((known) => known.project === project && known.madeFile === true)
    const outcome = await uninstall({ environment, project, dryRun, hookToken: readIfThere(home.hookToken)?.trim() ?? null, madeByUs })
    // A settings file that cannot be read must not keep anything else from going.
    if (outcome.kind === 'unreadable' || outcome.kind === 'unwritable')
      failed.push(`${outcome.file}: ${outcome.reason}. It was left as it is.`)
    else if (!dryRun && exists(home.folder)) forgetInstall(home, project)
    outcomes.push(outcome)
    servers.push(await uninstallMcp({ environment, project, dryRun }))
  }
  const purge = values.purge === true && !dryRun
  let emptied = true
  if (purge) {
    await stopWorker()
    emptied = removeOwnFiles(home.folder, OWNED_HOME_ENTRIES)
  }
  if (values.json) {
    sayJson({ outcomes, mcp: servers, purged: purge })
    if (failed.length > 0) throw new CliError(failed.join(' '))
    return
  }
  for (const outcome of outcomes) {
    if (outcome.kind === 'unreadable' || outcome.kind === 'unwritable') continue
    if (outcome.kind === 'planned')
      say(outcome.changed ? `Would remove the hooks from ${outcome.file}.` : `No hooks of this home are in ${outcome.file}.`)
    else if (outcome.kind === 'removed')
      say(outcome.fileGone ? `Removed ${outcome.file}, which init had made.` : `Hooks removed from ${outcome.file}.`)
    else say(`No hooks of this home were in ${outcome.file}.`)
  }
  for (const server of servers) sayMcpOutcome(server)
  if (purge) say(emptied ? `Deleted ${home.folder}.` : `Deleted everything of Recollect in ${home.folder}; what else is in there was left.`)
  else if (values.purge) say(`Would delete everything in ${home.folder}.`)
  else say(dim(`Memories stay in ${home.folder}; 'recollect uninstall --purge' deletes them.`))
  if (failed.length > 0) throw new CliError(failed.join(' '))
}
