import type { OpenFailure, Turn } from '../../core/memory.ts'
import { type CheckRun, checkRunsOf } from './check-runs.ts'
import { commandsOf } from './commands.ts'
import { type GitWork, gitWorkOf } from './commits.ts'
import { changesByFile, editsOf, type FileChange, type TurnEdit } from './edits.ts'
import { type CommandEffects, effectsOf } from './effects.ts'
import { followFailures, type SolvedFailure } from './failures.ts'
import { unique } from './lists.ts'
import { displayPath, isThrowaway } from './paths.ts'
import { type ParsedPrompt, readPrompt } from './prompt.ts'
import { type ProseItem, readProse } from './prose.ts'
import { resolveShortReply } from './reply-options.ts'
import { findShellLookups } from './shell-lookups.ts'

/** Everything the rules want to know about a turn, worked out once. */
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
  open: OpenFailure[]
  filesRead: string[]
  searchPatterns: string[]
}

export function readTurnFacts(turn: Turn): TurnFacts {
  const asked = readPrompt(turn.prompt, turn.origin)
  const commands = commandsOf(turn.actions)
  const edits = editsOf(turn.actions, commands, turn.folder)
  const runs = checkRunsOf(commands, turn.folder)
  const looks = findShellLookups(commands)
  const good = turn.actions.filter((act) => !act.failed && !act.interrupted).map((act) => act.action)
  return {
    turn,
    request: turn.origin === 'person' ? resolveShortReply(asked, turn.before ?? '') : asked,
    answerItems: readProse(turn.answer ?? ''),
    edits,
    changes: changesByFile(edits),
    runs,
    git: gitWorkOf(commands),
    effects: effectsOf(commands, turn.folder),
    ...followFailures(runs, edits, turn.openFailures, turn.promptNumber),
    filesRead: unique(
      [...good.flatMap((a) => (a.kind === 'read' ? a.file : [])), ...looks.files].map((file) => displayPath(file, turn.folder)),
    ).filter((path) => !isThrowaway(path)),
    // A pattern for file names finds the way; a pattern for contents says what was looked for.
    searchPatterns: unique([
      ...good.flatMap((a) => (a.kind === 'search' && !/[*]{2}|^\*|\*$|\/\*/.test(a.pattern) ? a.pattern : [])),
      ...looks.patterns,
    ]),
  }
}
