import { resolve } from 'node:path'
import type { SyncReport } from '../core/sync.ts'
import { type InstallOutcome, install, installMcp, type McpOutcome } from '../integrations/install.ts'
import { type Environment, proxySettings, readEnvironment } from '../platform/environment.ts'
import { exists, readIfThere, readJsonIfThere, readOrCreateSecret } from '../platform/files.ts'
import { rememberInstall } from '../platform/installs.ts'
import { homePaths } from '../platform/paths.ts'
import { PROGRAM } from '../platform/program.ts'
import { loadSettings } from '../platform/settings.ts'
import type { WorkerStatus } from '../wire/api.ts'
import { ask, post } from './ask.ts'
import { confirmed } from './confirm.ts'
import { sayMcpOutcome } from './mcp-outcome.ts'
import { parse } from './parse.ts'
import { bold, CliError, dim, EXIT, say, sayJson } from './print.ts'
import { saySyncReport } from './sync.ts'
import { run as uninstall } from './uninstall.ts'

export async function run(args: string[]): Promise<number | undefined> {
  const { values } = parse('init', args)
  if (values.remove) return uninstall(args.filter((arg) => arg !== '--remove'))
  const form = values.form
  if (form !== undefined && form !== 'http' && form !== 'command') throw new CliError('--form is http or command', EXIT.invalid)
  const project = values.project ? process.cwd() : null
  const write = (dryRun: boolean) => installHooks({ project, dryRun, ...(form ? { form } : {}) })

  const planned = await write(true)
  if (planned.kind !== 'planned') throw installError(planned)
  if (values.print) return say(planned.text.trimEnd())
  const register = (dryRun: boolean): Promise<McpOutcome | null> =>
    values['no-mcp'] ? Promise.resolve(null) : installMcp({ environment: readEnvironment(), project, dryRun, program: PROGRAM })
  if (values['dry-run']) {
    const mcp = await register(true)
    if (values.json) return sayJson({ ...planned, text: undefined, mcp })
    say(
      planned.changed
        ? `Would write ${planned.form} hooks into ${planned.file}. --print shows the whole file.`
        : `${planned.file} is as it should be.`,
    )
    return mcp ? sayMcpOutcome(mcp) : undefined
  }
  const goOn =
    !planned.changed || values.yes || (await confirmed(`Write ${planned.form} hooks into ${planned.file}? A backup is kept beside it.`))
  if (!goOn) return say('Nothing was changed.')
  const outcome = await write(false)
  if (outcome.kind !== 'installed' && outcome.kind !== 'unchanged') throw installError(outcome)
  const mcp = await register(false)
  const synced = values.remote === undefined ? null : await shareNotes(values.remote)
  if (values.json) {
    sayJson({ ...outcome, mcp, ...(synced ? { sync: synced } : {}) })
    return synced?.outcome === 'refused' ? EXIT.error : undefined
  }
  say(
    outcome.kind === 'installed'
      ? `Hooks written into ${bold(outcome.file)} (${outcome.form}).`
      : `${outcome.file} is as it should be already.`,
  )
  if (outcome.backup) say(dim(`The file as it was: ${outcome.backup}`))
  if (outcome.because && outcome.because !== 'asked') say(dim(reasonFor(outcome.because)))
  if (mcp) sayMcpOutcome(mcp)
  if (synced) {
    say(values.remote ? '\nNotes are shared through this remote from now on.' : '\nNotes stay on this machine from now on.')
    saySyncReport(synced)
    if (synced.outcome === 'refused') return EXIT.error
  }
  if (project) say(dim('It holds a token of yours: keep .claude/settings.local.json out of the repository.'))
  say(
    `\nFrom now on Claude Code remembers by itself. Sessions that are open pick it up too; a new one is told what earlier ones left behind.`,
  )
  say(dim(`'recollect doctor' checks the whole chain; 'recollect uninstall' takes it out again.`))
}

/** Gives the notes a remote, and brings together at once what is there and here. */
async function shareNotes(remote: string): Promise<SyncReport> {
  const address = exists(resolve(remote)) ? resolve(remote) : remote
  return ask<SyncReport>('/api/sync/remote', { ...post({ remote: address }), timeoutMs: 300_000 })
}

/** Writes the hooks that fit the client and the running worker, and remembers where. */
export async function installHooks(wish: { project: string | null; dryRun?: boolean; form?: 'http' | 'command' }): Promise<InstallOutcome> {
  const environment = readEnvironment()
  const home = homePaths(environment)
  const { port, wantedPort } = wish.dryRun ? plannedPort(environment) : await ask<WorkerStatus>('/api/status')
  const outcome = await install({
    environment,
    ...wish,
    proxies: proxySettings(),
    port: wantedPort === 0 ? 0 : port,
    // A dry run writes nothing, not even the token it would use.
    hookToken: wish.dryRun ? (readIfThere(home.hookToken)?.trim() ?? 'made-by-init') : readOrCreateSecret(home.hookToken),
    program: PROGRAM,
  })
  if (outcome.kind === 'installed' || outcome.kind === 'unchanged')
    rememberInstall(home, {
      project: wish.project,
      form: outcome.form,
      port,
      ...(outcome.kind === 'installed' && outcome.backup === null ? { madeFile: true } : {}),
    })
  return outcome
}

/** The port a worker has or would ask for, without starting one. */
function plannedPort(environment: Environment): { port: number; wantedPort: number } {
  const wantedPort = loadSettings(environment).settings.worker.port
  const running = readJsonIfThere(homePaths(environment).workerFile) as { port?: number } | null
  return { port: running?.port ?? wantedPort, wantedPort }
}

function installError(outcome: InstallOutcome): CliError {
  switch (outcome.kind) {
    case 'plugin':
      return new CliError(
        `the plugin ${outcome.plugin} is enabled in ${outcome.file} and does what these hooks would; keep one of both. 'claude plugin disable ${outcome.plugin}' makes room for 'recollect init'.`,
      )
    case 'too-old':
      return new CliError(`Claude Code ${outcome.version} has no hooks that Recollect could use; update it and try again`)
    case 'unreadable':
      return new CliError(`${outcome.file} cannot be read (${outcome.reason}); put it right and try again. Nothing was changed.`)
    case 'unwritable':
      return new CliError(
        `${outcome.file} cannot be written (${outcome.reason}). If another program makes it, put the hooks there: 'recollect init --print' shows them.`,
      )
    default:
      return new CliError('the hooks were not written')
  }
}

function reasonFor(because: string): string {
  const reasons: Record<string, string> = {
    'no-client': 'Claude Code was not found, so command hooks were written: every version understands them.',
    'old-client': 'This Claude Code does not know http hooks, so command hooks were written.',
    'no-port': 'The worker has no fixed port, so command hooks were written.',
    proxy: 'The shell sends http through a proxy, so command hooks were written.',
    'url-list': 'The settings allow http hooks to other addresses only, so command hooks were written.',
  }
  return reasons[because] ?? ''
}
