import { join } from 'node:path'
import { readEnvironment } from '../platform/environment.ts'
import { readIfThere } from '../platform/files.ts'
import { readInstalls } from '../platform/installs.ts'
import { homePaths } from '../platform/paths.ts'

/**
 * What a hook of the plugin answers when `init` has written hooks as well: nothing, so that each event is told once, and at the start of a
 * session a word about it to the person. Null when the plugin is alone. What `init` noted is not enough, because a person may have taken
 * the hooks out by hand: the settings must still hold them.
 */
export function replyIfInstalledTwice(event: string | undefined, project: string | null): string | null {
  const environment = readEnvironment()
  const places = readInstalls(homePaths(environment)).filter((known) => known.project === null || known.project === project)
  const isThere = places.some(({ project }) => {
    const file = project === null ? join(environment.claudeConfig, 'settings.json') : join(project, '.claude', 'settings.local.json')
    const text = readIfThere(file) ?? ''
    return text.includes('/hook/claude-code') || /"hook",\s*"claude-code"|\bhook claude-code\b/.test(text)
  })
  if (!isThere) return null
  const said =
    "Recollect is connected twice, by 'recollect init' and by its plugin. The plugin stays silent; keep one: 'recollect uninstall', or 'claude plugin disable recollect@recollect'."
  return event === 'SessionStart' ? JSON.stringify({ systemMessage: said }) : '{}'
}
