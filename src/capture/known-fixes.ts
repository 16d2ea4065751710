import type { PerformedAction } from '../core/action.ts'
import type { KnownFix, OpenFailure } from '../core/memory.ts'
import { shorten } from '../core/text.ts'
import { type CheckRun, checkRunsOf, describeRun } from './plain/check-runs.ts'
import { type CommandPart, commandsOf, type FinishedCommand } from './plain/commands.ts'
import { changesByFile, describeFileChange, describeReplacedLines, type TurnEdit } from './plain/edits.ts'
import { errorSignatures } from './plain/error-signature.ts'
import { followFailures } from './plain/failures.ts'
import { unique } from './plain/lists.ts'

const MAX_FIXES_PER_TURN = 8
const MAX_FIXED_FILES = 6
const MAX_REPAIR_COMMANDS = 2
const MAX_FIX_LINES = 3

/**
 * The failures that a turn put right, so that the same error can be answered when it comes back: after edits, or after commands such as an
 * install. `carried` are the failures that earlier turns left open.
 */
export function knownFixes(runs: CheckRun[], edits: TurnEdit[], commands: FinishedCommand[], carried: OpenFailure[]): KnownFix[] {
  const { solved, retried } = followFailures(runs, edits, carried, 0)
  const byEdits = solved.map(({ failure, passed, edits: between, lastEdits }) => {
    const fixing = lastEdits.length > 0 ? lastEdits : between
    const files = unique(fixing.map(({ path }) => path)).slice(0, MAX_FIXED_FILES)
    return { ...fixOf(failure, passed), files, changes: describeFix(fixing), commands: [] }
  })
  const byCommands = retried.map(({ failure, failed, passed }) => ({
    ...fixOf(failure, passed),
    files: [],
    changes: [],
    commands: repairCommands(commands, failed?.index ?? -1, passed.index),
  }))
  const fixes = [...byEdits, ...byCommands.filter(({ commands: repairs }) => repairs.length > 0)]
  return fixes.filter(({ signatures }) => signatures.length > 0).slice(0, MAX_FIXES_PER_TURN)
}

/** The checks that fail in one tool use, with their signatures; only those that can be recognised. */
export function recognizableFailures(action: PerformedAction, folder: string): { failure: OpenFailure; signatures: string[] }[] {
  const { open } = followFailures(checkRunsOf(commandsOf([action]), folder), [], [], 0)
  return open.map((failure) => ({ failure, signatures: errorSignatures(failure) })).filter(({ signatures }) => signatures.length > 0)
}

/** The checks that a shell line runs, as failures name them; none of those that it runs in a folder of its own. */
export function checksInCommand(command: string, folder: string): string[] {
  const use = { action: { kind: 'command' as const, command, purpose: null, output: '', exitCode: 0 } }
  const action: PerformedAction = { id: '', tool: '', at: 0, failed: false, error: null, interrupted: false, agentId: null, ...use }
  return checkRunsOf(commandsOf([action]), folder).flatMap((run) => (run.folder === '' ? describeRun(run) : []))
}

function fixOf(failure: OpenFailure, passed: CheckRun): Pick<KnownFix, 'signatures' | 'command' | 'failedAt' | 'at'> {
  return { signatures: errorSignatures(failure), command: failure.command, failedAt: failure.at, at: passed.at }
}

/** The changed lines, or what was added where no line was replaced. */
function describeFix(edits: TurnEdit[]): string[] {
  const changes = changesByFile(edits)
  const replaced = describeReplacedLines(changes, MAX_FIX_LINES)
  return (replaced.length > 0 ? replaced : changes.slice(0, MAX_FIX_LINES).map(describeFileChange)).map((line) => shorten(line, 220))
}

/** The last commands between the failure and the pass that changed something. */
function repairCommands(commands: FinishedCommand[], after: number, before: number): string[] {
  const between = commands.filter(({ index, failed }) => index > after && index < before && !failed)
  const repairs = between.flatMap(({ parts }) => parts.filter(changesSomething).map(({ words }) => shorten(words.join(' '), 100)))
  return unique(repairs).slice(-MAX_REPAIR_COMMANDS)
}

function changesSomething({ kind, tool, words }: CommandPart): boolean {
  if (kind === 'git') return / (?:pull|merge|rebase|checkout|switch|submodule|lfs|reset)$/.test(tool)
  if (kind === 'lint') return words.some((word) => /^--(?:fix|write|unsafe)|fix$|^format$/.test(word))
  return kind === 'install' || kind === 'migrate' || (kind === 'build' && !/^(?:go|cargo) /.test(tool))
}
