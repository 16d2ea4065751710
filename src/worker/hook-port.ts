import { readOrCreateSecret } from '../platform/files.ts'
import { readInstalls, rememberInstall } from '../platform/installs.ts'
import { PROGRAM } from '../platform/program.ts'
import type { Services } from './services.ts'

/**
 * Writes the worker's port into the settings that `init` wrote with another port. http hooks contain the port, and would otherwise call
 * whatever program uses it now. A running client reads its settings again, so even current sessions use the new port.
 */
export async function updateHookPort(services: Services, port: number): Promise<void> {
  for (const installed of readInstalls(services.home)) {
    if (installed.form !== 'http' || installed.port === port) continue
    const { install } = await import('../integrations/install.ts')
    const outcome = await install({
      environment: services.environment,
      project: installed.project,
      form: 'http',
      port,
      hookToken: readOrCreateSecret(services.home.hookToken),
      program: PROGRAM,
    })
    services.log.info('updated the port in the hooks', { from: installed.port, to: port, outcome: outcome.kind })
    if (outcome.kind === 'installed' || outcome.kind === 'unchanged') rememberInstall(services.home, { ...installed, port })
  }
}
