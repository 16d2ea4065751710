import type { OpenFailure, Turn } from '../../core/memory.ts'
import { commandsOf } from './commands.ts'
import { type GitWork, gitWorkOf } from './commits.ts'
import { changesByFile, type Edit, editsOf, type FileChange } from './edits.ts'
import { type Effects, effectsOf } from './effects.ts'
import { followFailures, type Solved } from './failures.ts'
import { unique } from './lists.ts'
import { looksOf } from './looks.ts'
import { inReply } from './menu.ts'
import { isThrowaway, shownPath } from './paths.ts'
import { type Asked, readPrompt } from './prompt.ts'
import { readProse, type Said } from './prose.ts'
import { type Run, runsOf } from './runs.ts'

/** Everything the rules want to know about a turn, worked out once. */
export type Reading = {
  turn: Turn
  asked: Asked
  said: Said[]
  edits: Edit[]
  changes: FileChange[]
  runs: Run[]
  git: GitWork
  effects: Effects
  solved: Solved[]
  open: OpenFailure[]
  filesRead: string[]
  searched: string[]
}

export function readTurn(turn: Turn): Reading {
  const asked = readPrompt(turn.prompt, turn.origin)
  const commands = commandsOf(turn.acts)
  const edits = editsOf(turn.acts, commands, turn.folder)
  const runs = runsOf(commands, turn.folder)
  const looks = looksOf(commands)
  const good = turn.acts.filter((act) => !act.failed && !act.interrupted).map((act) => act.action)
  return {
    turn,
    asked: turn.origin === 'person' ? inReply(asked, turn.before ?? '') : asked,
    said: readProse(turn.answer ?? ''),
    edits,
    changes: changesByFile(edits),
    runs,
    git: gitWorkOf(commands),
    effects: effectsOf(commands, turn.folder),
    ...followFailures(runs, edits, turn.openFailures, turn.promptNumber),
    filesRead: unique(
      [...good.flatMap((a) => (a.kind === 'read' ? a.file : [])), ...looks.files].map((file) => shownPath(file, turn.folder)),
    ).filter((path) => !isThrowaway(path)),
    // A pattern for file names finds the way; a pattern for contents says what was looked for.
    searched: unique([
      ...good.flatMap((a) => (a.kind === 'search' && !/[*]{2}|^\*|\*$|\/\*/.test(a.pattern) ? a.pattern : [])),
      ...looks.patterns,
    ]),
  }
}
