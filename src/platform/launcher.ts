import { dirname } from 'node:path'
import { type Environment, readEnvironment } from './environment.ts'
import { ensurePrivateFolder, readIfThere, writeFileAtomically } from './files.ts'
import { homePaths } from './paths.ts'
import { HOOK_PROGRAM } from './program.ts'

/**
 * Writes the script that the agents' hooks call, so that their settings need not change when the program moves. It runs the program that wrote it
 * last, or the one on the PATH if that is gone.
 */
export function writeLauncher(environment: Environment = readEnvironment()): void {
  const { launcher } = homePaths(environment)
  const text = launcherText(environment)
  if (readIfThere(launcher) === text) return
  ensurePrivateFolder(environment.home)
  ensurePrivateFolder(dirname(launcher))
  writeFileAtomically(launcher, text, 0o700)
}

/** Whether the hooks would run this program. */
export const isLauncherCurrent = (environment: Environment): boolean =>
  readIfThere(homePaths(environment).launcher) === launcherText(environment)

function launcherText(environment: Environment): string {
  const home = homeFlagOf(environment)
  const program = [HOOK_PROGRAM.command, ...HOOK_PROGRAM.args]
  const files = program.filter((word) => word.startsWith('/')).map((file) => `[ -f ${shellQuoted(file)} ]`)
  return `#!/bin/sh
# Written by Recollect, which keeps it up to date. The hooks of coding agents call it; without the program it does nothing.
${home === null ? '' : `export RECOLLECT_HOME=${shellQuoted(home)}\n`}${files.join(' && ')} && exec ${program.map(shellQuoted).join(' ')} "$@"
program=$(command -v recollect) && exec "$program" hook "$@"
exit 0
`
}

/** The value of `--home` in the calls that an agent makes; null for the default home. */
export const homeFlagOf = ({ home, userHome }: Environment): string | null => (home === `${userHome}/.recollect` ? null : home)

export const shellQuoted = (word: string): string => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)
