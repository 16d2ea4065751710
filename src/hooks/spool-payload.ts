import { cleanJson } from '../core/clean-text.ts'
import type { EventContext } from '../core/event.ts'
import { exclusionOf } from '../core/exclusion.ts'
import { headFields } from '../core/payload-head.ts'
import { possibleProjects } from '../core/project.ts'
import { usablePatterns } from '../core/secrets.ts'
import { readEnvironment } from '../platform/environment.ts'
import type { Home } from '../platform/paths.ts'
import { type PrivacyRules, readPrivacyRules } from '../platform/privacy-rules.ts'
import { findProject } from '../platform/project.ts'
import { keepForLater, type SpooledPayload } from '../wire/spool.ts'

/**
 * Writes a payload that did not reach a worker to the spool, without private parts, secrets and matches of the person's own patterns, and not
 * at all for an excluded project. Only loaded in this case. Of a payload too large to clean in a hook's time only the session is written;
 * the worker then reads the rest from its transcript. Private parts of text that is not JSON cannot be found, so only the fact that it came is
 * written. False in that case.
 */
export function spoolPayload(home: Home, payload: Uint8Array, isTooLarge: boolean, spooled: Omit<SpooledPayload, 'payload'>): boolean {
  const rules = readPrivacyRules(home)
  if (!rules) return true
  const content: unknown = isTooLarge ? headFields(payload) : parseJson(payload)
  if (content === undefined) {
    keepForLater(home, { ...spooled, payload: null, bytes: payload.length })
    return false
  }
  const wanted = withoutExcluded(content, spooled.context, rules)
  if (wanted === null) return true
  const redactPatterns = rules.redact ? usablePatterns(rules.patterns) : null
  // The worker must learn of a private prompt to leave its turn out, so an empty private part marks the place.
  const cleaned = cleanJson(wanted, { redactPatterns }, { markPrivate: true })
  keepForLater(home, { ...spooled, payload: cleaned, ...(isTooLarge ? { headOnly: true } : {}) })
  return true
}

/** Undefined when it is not JSON. */
function parseJson(payload: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(payload))
  } catch {
    return undefined
  }
}

/**
 * The payload; null for a session in an excluded project. When a session from elsewhere works in an excluded folder, only what tells the worker
 * to leave this turn out.
 */
function withoutExcluded(content: unknown, { projectFolder, workingFolder }: EventContext, { excludeProjects }: PrivacyRules): unknown {
  const { userHome } = readEnvironment()
  const exclusion = exclusionOf(excludeProjects, userHome)
  if (exclusion.isEmpty || typeof content !== 'object' || content === null) return content
  const isExcluded = (folder: string) => possibleProjects(findProject(folder, userHome)).some((key) => exclusion.isExcluded(key, folder))
  if (projectFolder !== null && isExcluded(projectFolder)) return null
  const { cwd, project_path, tool_input, ...fields }: { cwd?: unknown; project_path?: unknown; tool_input?: unknown } = content
  const folder = [cwd, project_path, workingFolder].find((one) => typeof one === 'string') ?? null
  const path = exclusion.excludedPathIn(tool_input, folder)
  if (path === null && (folder === null || !isExcluded(folder))) return content
  if (projectFolder === null && folder !== null && isExcluded(folder)) return null
  const kept = Object.entries(fields).filter(([name]) => IDENTIFYING_FIELDS.has(name))
  return { ...Object.fromEntries(kept), cwd: folder, prompt: '', tool_input: { file_path: path ?? folder } }
}

const IDENTIFYING_FIELDS = new Set(['session_id', 'transcript_path', 'hook_event_name', 'hook', 'prompt_id', 'tool_name', 'tool_use_id'])
