import { dirname } from 'node:path'
import { defaultAgent } from '../integrations/agent.ts'
import { readClaudeMemExclusions } from '../platform/claude-mem.ts'
import { loadSettings } from '../platform/settings.ts'
import { call } from './call.ts'
import { stopWorker } from './commands/stop.ts'
import { bold, dim, print } from './print.ts'

/** A setting of ours, and the value with what a person excluded in claude-mem added to it. */
export type OfferedSetting = { name: 'privacy.exclude_projects' | 'hooks.post_tool_use.skip_tools'; added: string[]; value: string[] }

/** The settings beside a claude-mem database that ours do not say yet. Tools that are never recorded are left out. */
export function offeredSettings(database: string): OfferedSetting[] {
  const { projects, tools } = readClaudeMemExclusions(dirname(database))
  const { privacy, hooks } = loadSettings().settings
  const offer = (name: OfferedSetting['name'], ours: string[], theirs: string[]): OfferedSetting => {
    const added = theirs.filter((one) => !ours.includes(one))
    return { name, added, value: [...ours, ...added] }
  }
  const recorded = tools.filter((tool) => !defaultAgent.skipTools.has(tool))
  return [
    offer('privacy.exclude_projects', privacy.exclude_projects, projects),
    offer('hooks.post_tool_use.skip_tools', hooks.post_tool_use.skip_tools, recorded),
  ].filter(({ added }) => added.length > 0)
}

/** The worker reads these settings when it starts, so it is stopped; the next request starts it again. */
export async function applyOfferedSettings(offers: OfferedSetting[]): Promise<void> {
  for (const { name, value } of offers) await call('PUT /api/settings', { name, value })
  if (offers.length > 0) await stopWorker()
}

/** Says how to take over the settings of claude-mem, or that it was done. */
export function printOfferedSettings(offers: OfferedSetting[], isApplied: boolean): void {
  if (offers.length === 0) return
  print(bold(isApplied ? '\nTaken over from claude-mem’s settings:' : '\nclaude-mem’s settings leave these out:'))
  for (const { name, added } of offers) print(`  ${name}: ${added.join(', ')}`)
  if (!isApplied) print(dim('To leave them out here too, import again with --settings.'))
}
