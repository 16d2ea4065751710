import type { CaptureRules } from '../capture/capture.ts'
import { excludedProjects } from '../core/exclusion.ts'
import type { Change } from '../core/memory.ts'
import { projectKey } from '../core/project.ts'
import { usablePatterns } from '../core/secrets.ts'
import type { Agent } from '../integrations/agent.ts'
import type { Notebook } from '../notes/notes.ts'
import { type Environment, readEnvironment } from '../platform/environment.ts'
import type { Log } from '../platform/log.ts'
import { type Home, homePaths } from '../platform/paths.ts'
import { findProject } from '../platform/project.ts'
import type { StartSettings } from '../platform/settings.ts'
import type { OpenedTextModel } from '../providers/text.ts'
import type { SemanticSearch } from '../retrieval/search.ts'
import type { Store } from '../store/store.ts'
import type { Embedding } from './embedding.ts'
import type { Queue } from './queue.ts'
import type { Stream } from './stream.ts'
import type { WithTurnLock } from './turn-locks.ts'
import type { ViewerFiles } from './viewer-files.ts'
import type { Visitors } from './visitors.ts'

/** What every part of the running worker has at hand. */
export type Services = {
  home: Home
  environment: Environment
  settings: StartSettings
  store: Store
  log: Log
  stream: Stream
  queue: Queue
  agents: Record<string, Agent>
  rules(agent: Agent): CaptureRules
  notebook: Notebook
  /** Finds by what is meant; null while there is nothing that could. */
  semanticSearch: SemanticSearch | null
  /** The same where somebody waits; it finds nothing rather than keep them. */
  quickSemanticSearch: SemanticSearch | null
  /** Writes what no rule can; absent unless a person wants it. */
  textModel: OpenedTextModel
  /** Resolves when it is known whether there is one; a key or a package may have to be looked for. */
  modelOpened: Promise<void>
  /** Which turns it is being asked about. */
  withTurnLock: WithTurnLock
  /** Says when the worker stops: nobody is waited for then. */
  stopSignal: AbortSignal
  embedding: Pick<Embedding, 'report' | 'reload' | 'trouble'>
  /** Browsers that were let in, and what they load. */
  visitors: Visitors
  viewer: ViewerFiles
  /** Tells whoever listens. */
  announce(changes: Change[]): void
}

/** The person's settings and the agent's habits, as capture asks for them. */
export function captureRules(
  settings: StartSettings,
  agent: Agent,
  userHome = readEnvironment().userHome,
  thinking = homePaths().thinking,
): CaptureRules {
  const { user_prompt, post_tool_use } = settings.hooks
  const isExcluded = excludedProjects(settings.privacy.exclude_projects, userHome)
  const skipped = new Set(post_tool_use.skip_tools)
  const glob = (pattern: string) => new Bun.Glob(pattern.replace(/^~(?=\/)/, userHome))
  // A pattern that does not begin at the root is meant at any depth: `.env`, `secrets/**`.
  const files = post_tool_use.exclude_patterns.map((pattern) => glob(/^[~/]/.test(pattern) ? pattern : `**/${pattern}`))
  return {
    isWanted: (kind) => (kind === 'prompt-submitted' ? user_prompt.enabled : kind === 'tool-used' ? post_tool_use.enabled : true),
    isSkipped: (tool) => skipped.has(tool) || agent.skipTools.has(tool) || agent.isOwnTool(tool),
    isExcludedInput: (input) => {
      const path = files.length > 0 ? agent.fileOf(input) : null
      return path !== null && files.some((glob) => glob.match(path))
    },
    isExcludedProject: (project, folder) => isWithin(thinking, folder) || isExcluded(project, folder),
    redactPatterns: settings.privacy.redact ? usablePatterns(settings.privacy.patterns) : null,
    markers: user_prompt.markers,
    // Looked up each time a session opens: meanwhile the person may have changed the branch, or put a marker there.
    projectOf: (folder) => {
      const signs = findProject(folder)
      return { project: projectKey(signs), branch: signs.branch }
    },
  }
}

/** What our own sessions with a model do must not become a memory. A system may show its folders under another name (`/private/tmp`). */
const isWithin = (parent: string, folder: string) => `${folder}/`.startsWith(`${parent}/`) || `${folder}/`.startsWith(`/private${parent}/`)
