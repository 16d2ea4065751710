import type { CommandPart, FinishedCommand } from './commands.ts'
import { unique } from './lists.ts'
import { displayPath, isThrowaway } from './paths.ts'

/** What commands changed in the project. */
export type CommandEffects = {
  installed: string[]
  removed: string[]
  moved: { from: string; to: string }[]
}

export function effectsOf(commands: FinishedCommand[], folder: string): CommandEffects {
  const parts = commands.filter((command) => !command.failed).flatMap((command) => command.parts)
  return {
    installed: unique(parts.flatMap(installedBy)),
    removed: unique(parts.filter((part) => isRemoval(part)).flatMap((part) => filesOf(part, folder))),
    moved: parts.filter((part) => isMove(part)).flatMap((part) => moveOf(filesOf(part, folder))),
  }
}

/** Packages that were installed by name. A bare `npm install` only restores known dependencies. */
function installedBy(part: CommandPart): string[] {
  if (part.kind !== 'install' || /^(apt|apt-get|apk|dnf|brew) /.test(part.tool)) return []
  return part.args.filter((arg) => /^@?[\w][\w./@:=~^<>-]*$/.test(arg) && !/^(package|install|pip|\.)$/.test(arg) && !arg.endsWith('.txt'))
}

function isRemoval({ tool }: CommandPart): boolean {
  return tool === 'rm' || /^git (.* )?rm$/.test(tool)
}

function isMove({ tool }: CommandPart): boolean {
  return tool === 'mv' || /^git (.* )?mv$/.test(tool)
}

/** Only named files: patterns and build folders are housekeeping. */
function filesOf(part: CommandPart, folder: string): string[] {
  return part.args
    .filter((arg) => !arg.startsWith('-') && !/[*$?{]/.test(arg))
    .map((arg) => displayPath(arg, folder))
    .filter((path) => !isThrowaway(path) && !/(^|\/)(node_modules|dist|build|target|\.git|coverage|out)(\/|$)|\.lock$/.test(path))
}

function moveOf(files: string[]): { from: string; to: string }[] {
  const [from, to] = files
  return files.length === 2 && from && to ? [{ from, to: to.endsWith('/') ? `${to}${from.slice(from.lastIndexOf('/') + 1)}` : to }] : []
}
