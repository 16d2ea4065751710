import { basename } from 'node:path'
import type { Action, PerformedAction } from '../core/action.ts'

/** What a deed begins with names it; the rest of a file or of a long command would drown the others. */
const MAX_ACTION_CHARS = 1000
/** A turn of a hundred edits is found by what it began with. */
const MAX_ACTIVITY_CHARS = 24_000

/**
 * The words of what was done in a turn: the files that were changed and what was written into them, commands, tasks handed on, plans. People
 * remember a function or a flag that nobody spoke of. What was only read or looked for is in many turns and tells none of them apart.
 */
export function activityText(acts: PerformedAction[]): string {
  const deeds = new Set(acts.filter((act) => !act.interrupted).map(({ action }) => actionText(action).slice(0, MAX_ACTION_CHARS)))
  return [...deeds]
    .filter((deed) => deed.trim() !== '')
    .join('\n')
    .slice(0, MAX_ACTIVITY_CHARS)
    .toWellFormed()
}

function actionText(action: Action): string {
  switch (action.kind) {
    case 'edit':
      return `${basename(action.file)} ${action.added} ${action.removed}`
    case 'write':
      return `${basename(action.file)} ${action.content}`
    case 'command':
      return `${action.purpose ?? ''} ${action.command}`
    case 'delegate':
      return action.task
    case 'plan':
      return action.text
    default:
      return ''
  }
}
