import { dirname } from 'node:path'
import { type Environment, readEnvironment } from './environment.ts'
import { ensurePrivateFolder, exists, readIfThere, writeFileAtomically } from './files.ts'
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

/** Why the hooks of this home cannot run a program; null if they can. */
export function launcherProblem(environment: Environment): string | null {
  const { launcher } = homePaths(environment)
  const text = readIfThere(launcher)
  if (text === null) return `${launcher} is missing`
  const files = [...text.matchAll(/\[ -f ('.*?'|\S+) \] &&/g)].map(([, file = '']) =>
    file.replaceAll(`'\\''`, '\0').replaceAll("'", '').replaceAll('\0', "'"),
  )
  if (files.length === 0) return `${launcher} is damaged`
  const missing = files.find((file) => !exists(file))
  return missing ? `they call ${missing}, which no longer exists` : null
}

/** The text of the launcher for this program and home. */
export function launcherText(environment: Environment): string {
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
