import { readOrCreateSecret } from '../platform/files.ts'
import { readInstalls, rememberInstall } from '../platform/installs.ts'
import { PROGRAM } from '../platform/program.ts'
import type { Services } from './services.ts'

/**
 * Writes the worker's port into the settings that `init` wrote with another one. http hooks have the port in them; when a stranger
 * holds it, they would talk to the stranger. The client reads its settings again while it runs, so even this session's hooks follow.
 */
export async function updateHookPort(services: Services, port: number): Promise<void> {
  for (const known of readInstalls(services.home)) {
    if (known.form !== 'http' || known.port === port) continue
    const { install } = await import('../integrations/install.ts')
    const outcome = await install({
      environment: services.environment,
      project: known.project,
      form: 'http',
      port,
      hookToken: readOrCreateSecret(services.home.hookToken),
      program: PROGRAM,
    })
    services.log.info('hooks follow the worker to another port', { from: known.port, to: port, outcome: outcome.kind })
    if (outcome.kind === 'installed' || outcome.kind === 'unchanged') rememberInstall(services.home, { ...known, port })
  }
}
