import { parseArgs } from 'node:util'
import { uninstall } from '../integrations/install.ts'
import { readEnvironment } from '../platform/environment.ts'
import { exists } from '../platform/files.ts'
import { removeFolder } from '../platform/folder.ts'
import { forgetInstall, readInstalls } from '../platform/installs.ts'
import { homePaths } from '../platform/paths.ts'
import { confirmed } from './confirm.ts'
import { CliError, dim, say, sayJson } from './print.ts'
import { stopWorker } from './stop.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parseArgs({
    args,
    options: {
      project: { type: 'boolean' },
      purge: { type: 'boolean' },
      yes: { type: 'boolean', short: 'y' },
      json: { type: 'boolean' },
      'dry-run': { type: 'boolean' },
    },
  })
  const environment = readEnvironment()
  const home = homePaths(environment)
  const dryRun = values['dry-run'] ?? false
  // Without --project: the person's own settings and every project that init was run in.
  const places = values.project ? [process.cwd()] : [null, ...readInstalls(home).flatMap((known) => known.project ?? [])]
  const outcomes = []
  for (const project of new Set(places)) {
    const outcome = await uninstall({ environment, project, dryRun })
    if (outcome.kind === 'unreadable' || outcome.kind === 'unwritable')
      throw new CliError(`${outcome.file}: ${outcome.reason}. Nothing was changed there.`)
    if (!dryRun && exists(home.folder)) forgetInstall(home, project)
    outcomes.push(outcome)
  }
  const purge =
    values.purge === true && !dryRun && (values.yes || (await confirmed(`Delete everything in ${home.folder}? This cannot be undone.`)))
  if (purge) {
    await stopWorker()
    removeFolder(home.folder)
  }
  if (values.json) return sayJson({ outcomes, purged: purge })
  for (const outcome of outcomes) {
    if (outcome.kind === 'planned')
      say(outcome.changed ? `Would remove the hooks from ${outcome.file}.` : `No hooks of Recollect are in ${outcome.file}.`)
    else say(outcome.kind === 'removed' ? `Hooks removed from ${outcome.file}.` : `No hooks of Recollect were in ${outcome.file}.`)
  }
  if (purge) say(`Deleted ${home.folder}.`)
  else say(dim(`Memories stay in ${home.folder}; 'recollect uninstall --purge' deletes them.`))
}
