import { join } from 'node:path'
import { readEnvironment } from '../platform/environment.ts'
import { readIfThere } from '../platform/files.ts'
import { readInstalls } from '../platform/installs.ts'
import { homePaths } from '../platform/paths.ts'

/**
 * The reply of a plugin hook if `init` has installed hooks too: empty, so each event is captured once, and a message to the person when a
 * session starts. Null if only the plugin is installed. The list of installs is not enough, because a person may have removed the hooks by
 * hand: the settings must still contain them.
 */
export function replyIfInstalledTwice(event: string | undefined, project: string | null): string | null {
  const environment = readEnvironment()
  const installs = readInstalls(homePaths(environment)).filter((known) => known.project === null || known.project === project)
  const isInstalled = installs.some(({ project }) => {
    const file = project === null ? join(environment.claudeConfig, 'settings.json') : join(project, '.claude', 'settings.local.json')
    const text = readIfThere(file) ?? ''
    return /\/hook\/claude-code|"hook",\s*"claude-code"|\bhook claude-code\b|-- claude-code .*recollect-hook/.test(text)
  })
  if (!isInstalled) return null
  const message =
    "Recollect is connected twice, by 'recollect init' and by its plugin. The plugin stays silent. Remove one: 'recollect uninstall', or 'claude plugin disable recollect@recollect'."
  return event === 'SessionStart' ? JSON.stringify({ systemMessage: message }) : '{}'
}
