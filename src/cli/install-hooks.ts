import { type InstallOutcome, install } from '../integrations/install.ts'
import { type Environment, readEnvironment } from '../platform/environment.ts'
import { rememberInstall } from '../platform/installs.ts'
import { writeLauncher } from '../platform/launcher.ts'
import { homePaths } from '../platform/paths.ts'
import { loadSettings } from '../platform/settings.ts'
import { call } from './call.ts'

/** The events that the person switched on. */
export const optionalEvents = (environment: Environment): string[] =>
  loadSettings(environment).settings.hooks.pre_tool_use.enabled ? ['PreToolUse'] : []

/** `command` runs this program, instead of the launcher, for a person who has it elsewhere. */
type InstallHooksOptions = { project: string | null; dryRun?: boolean; command?: string | null }

/** Writes the hooks and the launcher that they call, and records where the hooks are. */
export async function installHooks({ project, dryRun = false, command = null }: InstallHooksOptions): Promise<InstallOutcome> {
  const environment = readEnvironment()
  if (!dryRun) {
    // A worker must have read the settings once, because hooks take the person's privacy rules from it.
    await call('GET /api/status')
    writeLauncher(environment)
  }
  const outcome = await install({ environment, project, dryRun, command, wanted: optionalEvents(environment) })
  if (outcome.kind === 'installed' || outcome.kind === 'unchanged')
    rememberInstall(homePaths(environment), {
      project,
      ...(outcome.kind === 'installed' && outcome.backup === null ? { madeFile: true } : {}),
    })
  return outcome
}
