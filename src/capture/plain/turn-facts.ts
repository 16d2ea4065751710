import type { OpenFailure, Turn } from '../../core/memory.ts'
import { type ProseItem, readProse } from '../../core/prose.ts'
import { type CheckRun, checkRunsOf } from './check-runs.ts'
import { commandsOf } from './commands.ts'
import { type GitWork, gitWorkOf } from './commits.ts'
import { changesByFile, editsOf, type FileChange, type TurnEdit } from './edits.ts'
import { type CommandEffects, effectsOf } from './effects.ts'
import { followFailures, type SolvedFailure } from './failures.ts'
import { unique } from './lists.ts'
import { displayPath, isThrowaway } from './paths.ts'
import { type ParsedPrompt, readPrompt } from './prompt.ts'
import { resolveShortReply } from './reply-options.ts'
import { findShellLookups } from './shell-lookups.ts'

/** Everything the rules need to know about a turn, computed once. */
export type TurnFacts = {
  turn: Turn
  request: ParsedPrompt
  answerItems: ProseItem[]
  edits: TurnEdit[]
  changes: FileChange[]
  runs: CheckRun[]
  git: GitWork
  effects: CommandEffects
  solved: SolvedFailure[]
  /** The checks that fail at the end of the turn. */
  open: OpenFailure[]
  /** `open`, and the checks that may or may not still fail. */
  unsolved: OpenFailure[]
  filesRead: string[]
  searchPatterns: string[]
}

export function readTurnFacts(turn: Turn): TurnFacts {
  const prompt = readPrompt(turn.prompt, turn.origin)
  const commands = commandsOf(turn.actions)
  const edits = editsOf(turn.actions, commands, turn.folder)
  const runs = checkRunsOf(commands, turn.folder)
  const lookups = findShellLookups(commands)
  const { solved, open: unsolved } = followFailures(runs, edits, turn.openFailures, turn.promptNumber)
  const succeeded = turn.actions.filter((use) => !use.failed && !use.interrupted).map((use) => use.action)
  return {
    turn,
    request: turn.origin === 'person' ? resolveShortReply(prompt, turn.before ?? '') : prompt,
    answerItems: readProse(turn.answer ?? ''),
    edits,
    changes: changesByFile(edits),
    runs,
    git: gitWorkOf(commands),
    effects: effectsOf(commands, turn.folder),
    solved,
    open: unsolved.filter((failure) => !failure.isUnclear),
    unsolved,
    filesRead: unique(
      [...succeeded.flatMap((a) => (a.kind === 'read' ? a.file : [])), ...lookups.files].map((file) => displayPath(file, turn.folder)),
    ).filter((path) => !isThrowaway(path)),
    // Skip glob patterns for file names: only patterns for content say what the agent was looking for.
    searchPatterns: unique([
      ...succeeded.flatMap((a) => (a.kind === 'search' && !/[*]{2}|^\*|\*$|\/\*/.test(a.pattern) ? a.pattern : [])),
      ...lookups.patterns,
    ]),
  }
}
