import { duplicateConnectionFix, findConnection, type InspectedFile, inspectHooks } from '../integrations/install.ts'
import type { Environment } from '../platform/environment.ts'
import { readInstalls } from '../platform/installs.ts'
import { homeFlagOf, launcherProblem } from '../platform/launcher.ts'
import type { Home } from '../platform/paths.ts'
import { installHooks, optionalEvents } from './install-hooks.ts'
import { plural } from './print.ts'

/** The result of one check of `doctor`. */
export type DoctorFinding = {
  what: string
  state: 'ok' | 'warning' | 'broken'
  says: string
  /** How a person can fix it. */
  fix?: string
  /** What --fix does. */
  repair?: () => Promise<unknown>
}

/** Checks the hooks in the client's settings, and the launcher that they call. */
export function hookFindings(environment: Environment, home: Home): DoctorFinding[] {
  const inspected = inspectHooks(environment, process.cwd())
  const { files, isInstalledTwice, hooksOff, otherMemory } = inspected
  const connection = findConnection(environment, inspected)
  const { plugin, init } = connection
  const findings = files.flatMap((file) => fileFinding(file, environment) ?? [])
  if (plugin && init.hooks)
    findings.push(
      hooksFinding(
        'warning',
        `installed twice, by 'recollect init' and by the plugin ${plugin}; the plugin stays silent`,
        duplicateConnectionFix(connection),
      ),
    )
  else if (plugin) findings.push({ what: 'Hooks', state: 'ok', says: `installed by the plugin ${plugin}` })
  else if (!init.hooks) findings.push({ what: 'Hooks', state: 'broken', says: 'not installed', ...reinstall(null) })
  else if (readInstalls(home).length === 0)
    findings.push({ what: 'Hooks', state: 'warning', says: 'installed, but not for this home', ...reinstall(null) })
  if (isInstalledTwice)
    findings.push(
      hooksFinding(
        'warning',
        'installed twice, for you and for this project: every event arrives twice (and is stored once)',
        'recollect uninstall --project',
      ),
    )
  if (hooksOff) findings.push(hooksFinding('broken', 'disableAllHooks in the settings turns them off', 'Remove disableAllHooks.'))
  for (const { kind, name, file } of otherMemory) {
    const says = `${name} is connected too: both would show the model the same things`
    const fix =
      kind === 'plugin' ? `To keep only Recollect: claude plugin disable ${name}` : `To keep only Recollect, remove its hooks from ${file}`
    findings.push({ what: 'Other memory', state: 'warning', says, fix })
  }
  return findings
}

function fileFinding(file: InspectedFile, environment: Environment): DoctorFinding | null {
  if (file.kind === 'unreadable') {
    return hooksFinding('broken', `${file.file} cannot be read (${file.reason}), and the client ignores it too`, 'Correct the file.')
  }
  if (file.kind !== 'read' || file.own.length === 0) return null
  const otherHome = file.own.find((hook) => hook.kind !== 'http' && hook.home !== homeFlagOf(environment))
  if (otherHome)
    return hooksFinding(
      'warning',
      `${file.file} belongs to another home (${otherHome.home ?? 'the default one'})`,
      'To use it for this home: recollect init',
    )
  const isOld = file.own.some((hook) => hook.kind !== 'current')
  const problem = isOld ? 'an earlier version wrote them' : launcherProblem(environment)
  if (problem)
    return {
      what: 'Hooks',
      state: 'broken',
      says: `in ${file.file}: ${problem}`,
      ...reinstall(file.scope === 'user' ? null : process.cwd()),
    }
  const wanted = optionalEvents(environment).includes('PreToolUse')
  if (wanted !== file.own.some((hook) => hook.event === 'PreToolUse')) {
    const says = `hooks.pre_tool_use.enabled is ${wanted}, but ${file.file} has ${wanted ? 'no' : 'a'} hook for PreToolUse`
    return { what: 'Hooks', state: 'warning', says, ...reinstall(file.scope === 'user' ? null : process.cwd()) }
  }
  return { what: 'Hooks', state: 'ok', says: `${plural(file.own.length, 'event')} in ${file.file}` }
}

const hooksFinding = (state: DoctorFinding['state'], says: string, fix: string): DoctorFinding => ({ what: 'Hooks', state, says, fix })

function reinstall(project: string | null): Pick<DoctorFinding, 'fix' | 'repair'> {
  return {
    fix: project ? 'recollect init --project' : 'recollect init',
    repair: async () => {
      const outcome = await installHooks({ project })
      if (outcome.kind !== 'installed' && outcome.kind !== 'unchanged') throw new Error(`cannot write the settings (${outcome.kind})`)
    },
  }
}
