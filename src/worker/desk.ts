import type { CaptureRules } from '../capture/capture.ts'
import type { Change } from '../core/memory.ts'
import { projectKey, projectName } from '../core/project.ts'
import type { Agent } from '../integrations/agent.ts'
import type { Environment } from '../platform/environment.ts'
import type { Log } from '../platform/log.ts'
import type { Home } from '../platform/paths.ts'
import { findProject } from '../platform/project.ts'
import type { Settings } from '../platform/settings.ts'
import type { Store } from '../store/store.ts'
import type { Queue } from './queue.ts'
import type { Stream } from './stream.ts'

/** What every part of the running worker has at hand. */
export type Desk = {
  home: Home
  environment: Environment
  settings: Settings
  store: Store
  log: Log
  stream: Stream
  queue: Queue
  agents: Record<string, Agent>
  rules(agent: Agent): CaptureRules
  /** Tells whoever listens. */
  announce(changes: Change[]): void
}

/** The person's settings and the agent's habits, as capture asks for them. */
export function captureRules(settings: Settings, agent: Agent): CaptureRules {
  const skipped = new Set(settings.hooks.post_tool_use.skip_tools)
  const files = settings.hooks.post_tool_use.exclude_patterns.map((pattern) => new Bun.Glob(pattern))
  const projects = settings.privacy.exclude_projects
  const folders = projects.map((pattern) => new Bun.Glob(pattern))
  const known = new Map<string, ReturnType<CaptureRules['projectOf']>>()
  const { user_prompt, post_tool_use } = settings.hooks
  return {
    isWanted: (kind) => (kind === 'prompt-submitted' ? user_prompt.enabled : kind === 'tool-used' ? post_tool_use.enabled : true),
    isSkipped: (tool) => skipped.has(tool) || agent.skipTools.has(tool) || agent.isOwnTool(tool),
    isExcludedInput: (input) => {
      const path = files.length > 0 ? agent.fileOf(input) : null
      return path !== null && files.some((glob) => glob.match(path))
    },
    isExcludedProject: (project, folder) =>
      projects.includes(project) || projects.includes(projectName(project)) || folders.some((glob) => glob.match(folder)),
    redactPatterns: settings.privacy.redact ? settings.privacy.patterns.flatMap(usablePattern) : null,
    projectOf: (folder) => {
      const before = known.get(folder)
      if (before) return before
      const signs = findProject(folder)
      const found = { project: projectKey(signs), branch: signs.branch }
      if (known.size < 1000) known.set(folder, found)
      return found
    },
  }
}

/** A pattern that is no regular expression is named by `doctor`; here it must not stop anything. */
function usablePattern(text: string): RegExp[] {
  try {
    return [new RegExp(text, 'g')]
  } catch {
    return []
  }
}
