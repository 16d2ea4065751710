import { dirname } from 'node:path'
import type { CaptureRules } from '../capture/capture.ts'
import type { ReadAction } from '../core/action.ts'
import { exclusionOf } from '../core/exclusion.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { Change } from '../core/memory.ts'
import { possibleProjects, projectKey, unconfirmedMarker } from '../core/project.ts'
import { usablePatterns } from '../core/secrets.ts'
import type { CheckCode } from '../inject/brief.ts'
import type { Agent, Agents } from '../integrations/agent.ts'
import type { Notebook } from '../notes/notes.ts'
import { confirmMarker } from '../platform/confirmed-markers.ts'
import { type Environment, readEnvironment } from '../platform/environment.ts'
import type { Log } from '../platform/log.ts'
import { type Home, homePaths } from '../platform/paths.ts'
import { findProject } from '../platform/project.ts'
import type { StartSettings } from '../platform/settings.ts'
import type { OpenedTextModel } from '../providers/text.ts'
import type { SemanticSearch } from '../retrieval/search.ts'
import type { Store } from '../store/store.ts'
import type { BackgroundTeam } from './background-team.ts'
import type { Embedding } from './embedding.ts'
import type { Queue } from './queue.ts'
import type { Stream } from './stream.ts'
import type { WithTurnLock } from './turn-locks.ts'
import type { ViewerFiles } from './viewer-files.ts'
import type { Visitors } from './visitors.ts'

/** Everything the parts of a running worker share. */
export type Services = {
  home: Home
  environment: Environment
  settings: StartSettings
  store: Store
  log: Log
  stream: Stream
  queue: Queue
  agents: Agents
  rules(agent: Agent): CaptureRules
  notebook: Notebook
  /** Null when the worker has no embedder at all. */
  semanticSearch: SemanticSearch | null
  /** The same for hooks: finds nothing rather than make the person wait. */
  quickSemanticSearch: SemanticSearch | null
  /** Absent unless the settings name a model that can be reached. */
  textModel: OpenedTextModel
  /** Resolves when `textModel` is final. Until then a key or a package may still be being looked up. */
  modelOpened: Promise<void>
  /** Keeps two callers from distilling the same turn at once. */
  withTurnLock: WithTurnLock
  /** Aborted when the worker stops. */
  stopSignal: AbortSignal
  embedding: Pick<Embedding, 'report' | 'reload' | 'problem'>
  /** Browsers that may use the viewer, and the files they load. */
  visitors: Visitors
  viewer: ViewerFiles
  /** The exchange with the team's hub. Loaded when it is first needed. */
  team(): Promise<BackgroundTeam>
  /** Sends changes to the listeners of the event stream. */
  announce(changes: Change[]): void
}

/** Compares memories with the code in a folder, or where a project was last worked on, before they are shown. */
export const codeCheck =
  (services: Services, place: { folder: string } | { project: ProjectKey }): CheckCode =>
  async (memories) =>
    (await import('./code-check.ts')).marksForHook(services, place, memories)

/** Reads stored tool uses with the agent that made them. */
export const readActionWith =
  (agents: Agents): ReadAction =>
  async (use, agent) =>
    (await agents[agent]()).readAction(use)

/** The capture rules of each agent, made when they are first needed. */
export function captureRulesByAgent(settings: StartSettings, userHome: string, home: Home): Services['rules'] {
  const made = new Map<Agent, CaptureRules>()
  return (agent) => {
    const rules = made.get(agent) ?? captureRules(settings, agent, userHome, home)
    made.set(agent, rules)
    return rules
  }
}

/** What capture needs to know from the person's settings and about the agent's tools. */
export function captureRules(
  settings: StartSettings,
  agent: Agent,
  userHome = readEnvironment().userHome,
  home = homePaths(),
): CaptureRules {
  const { user_prompt, post_tool_use } = settings.hooks
  const exclusion = exclusionOf(settings.privacy.exclude_projects, userHome)
  const isExcludedPlace = (folder: string) =>
    possibleProjects(findProject(folder, userHome, home)).some((key) => exclusion.isExcluded(key, folder))
  const skipped = new Set(post_tool_use.skip_tools)
  const files = post_tool_use.exclude_patterns.flatMap((pattern) => filePatterns(pattern, userHome)).map((pattern) => new Bun.Glob(pattern))
  return {
    isWanted: (kind) => (kind === 'prompt-submitted' ? user_prompt.enabled : kind === 'tool-used' ? post_tool_use.enabled : true),
    isSkipped: (tool) => skipped.has(tool) || agent.skipTools.has(tool) || agent.isOwnTool(tool),
    isExcludedInput: (input) => {
      const path = files.length > 0 ? agent.fileOf(input) : null
      return path !== null && files.some((glob) => glob.match(path))
    },
    isExcludedProject: (project, folder) => isWithin(home.thinking, folder) || exclusion.isExcluded(project, folder),
    isInExcludedFolder: (event) => {
      if (exclusion.isEmpty) return false
      if (event.cwd !== null && isExcludedPlace(event.cwd)) return true
      if (event.kind !== 'tool-used') return false
      const file = agent.fileOf(event.input)
      return exclusion.excludedPathIn(event.input, event.cwd) !== null || (file !== null && isExcludedPlace(dirname(file)))
    },
    redactPatterns: redactPatterns(settings),
    noticeText: agent.noticeText,
    compactSummary: agent.compactSummary,
    markers: user_prompt.markers,
    // Looked up whenever a session opens: the person may have switched branches or added a marker file since the last one.
    projectOf: (folder) => {
      const found = findProject(folder, userHome, home)
      return { project: projectKey(found), branch: found.branch, claim: unconfirmedMarker(found) }
    },
    confirmClaim: ({ folder, project }) => confirmMarker(home, folder, project),
  }
}

/** A pattern that does not start at the root matches at any depth, and a folder covers everything below it: `.env`, `secrets`, `node_modules/*`. */
function filePatterns(pattern: string, userHome: string): string[] {
  const path = pattern.replace(/\/\**$/, '').replace(/^~(?=\/)/, userHome)
  const anywhere = path.startsWith('/') || path.startsWith('**/') ? path : `**/${path}`
  return path === pattern ? [anywhere, `${anywhere}/**`] : [`${anywhere}/**`]
}

/** The person's own patterns of secrets; null when redaction is switched off. */
export const redactPatterns = ({ privacy }: StartSettings): RegExp[] | null => (privacy.redact ? usablePatterns(privacy.patterns) : null)

/** Sessions that Recollect itself holds with a model must not become memories. macOS may report the folder below `/private`. */
const isWithin = (parent: string, folder: string) => `${folder}/`.startsWith(`${parent}/`) || `${folder}/`.startsWith(`/private${parent}/`)
