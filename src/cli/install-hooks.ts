import { type InstallOutcome, install } from '../integrations/install.ts'
import { type Environment, proxySettings, readEnvironment } from '../platform/environment.ts'
import { readIfThere, readOrCreateSecret } from '../platform/files.ts'
import { rememberInstall } from '../platform/installs.ts'
import { homePaths } from '../platform/paths.ts'
import { PROGRAM } from '../platform/program.ts'
import { loadSettings } from '../platform/settings.ts'
import { readWorkerFile } from '../wire/worker-file.ts'
import { call } from './call.ts'

type HookInstallOptions = { project: string | null; dryRun?: boolean; form?: 'http' | 'command' | undefined }

/** Writes the hooks that suit the client and the running worker, and records where they are. */
export async function installHooks({ project, dryRun = false, form }: HookInstallOptions): Promise<InstallOutcome> {
  const environment = readEnvironment()
  const home = homePaths(environment)
  const { port, wantedPort } = dryRun ? plannedPort(environment) : await call('GET /api/status')
  const outcome = await install({
    environment,
    project,
    dryRun,
    ...(form ? { form } : {}),
    proxies: proxySettings(),
    port: wantedPort === 0 ? 0 : port,
    // A dry run writes nothing, not even a new token.
    hookToken: dryRun ? (readIfThere(home.hookToken)?.trim() ?? 'made-by-init') : readOrCreateSecret(home.hookToken),
    program: PROGRAM,
  })
  if (outcome.kind === 'installed' || outcome.kind === 'unchanged')
    rememberInstall(home, {
      project,
      form: outcome.form,
      port,
      ...(outcome.kind === 'installed' && outcome.backup === null ? { madeFile: true } : {}),
    })
  return outcome
}

/** The port of the running worker, or the configured one. Starts no worker. */
function plannedPort(environment: Environment): { port: number; wantedPort: number } {
  const wantedPort = loadSettings(environment).settings.worker.port
  return { port: readWorkerFile(homePaths(environment)).port ?? wantedPort, wantedPort }
}
