import type { CommandPart, FinishedCommand } from './commands.ts'
import { unique } from './lists.ts'
import { displayPath, isThrowaway } from './paths.ts'

/** What commands did to the project besides checking it. */
export type CommandEffects = {
  installed: string[]
  /** Files taken away by a command. */
  removed: string[]
  moved: { from: string; to: string }[]
}

export function effectsOf(commands: FinishedCommand[], folder: string): CommandEffects {
  const parts = commands.filter((ran) => !ran.failed).flatMap((ran) => ran.parts)
  return {
    installed: unique(parts.flatMap(installedBy)),
    removed: unique(parts.filter((part) => isRemoval(part)).flatMap((part) => filesOf(part, folder))),
    moved: parts.filter((part) => isMove(part)).flatMap((part) => moveOf(filesOf(part, folder))),
  }
}

/** Packages asked for by name; a bare `npm install` restores what was already agreed. */
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

/** Named files only: a pattern or a folder of build output is housekeeping. */
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
