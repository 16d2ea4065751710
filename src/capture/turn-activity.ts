import { basename } from 'node:path'
import type { Action, PerformedAction } from '../core/action.ts'

/** The start of an action identifies it; a long file or command in full would drown the others. */
const MAX_ACTION_CHARS = 1000
const MAX_ACTIVITY_CHARS = 24_000

/**
 * Searchable words about what a turn did: changed files and their new content, commands, delegated tasks, plans. People remember a function
 * or a flag that no prompt or answer mentions. Reads and searches are left out: they occur in many turns and distinguish none.
 */
export function activityText(actions: PerformedAction[]): string {
  const texts = new Set(
    actions.filter(({ interrupted }) => !interrupted).map(({ action }) => actionText(action).slice(0, MAX_ACTION_CHARS)),
  )
  return [...texts]
    .filter((text) => text.trim() !== '')
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
