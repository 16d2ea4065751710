import { cleanJson } from '../core/clean-text.ts'
import { excludedProjects } from '../core/exclusion.ts'
import { headFields } from '../core/payload-head.ts'
import { projectKey } from '../core/project.ts'
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
  const { cwd = undefined, project_path = undefined } = (content ?? {}) as { cwd?: unknown; project_path?: unknown }
  const folders = [spooled.context.projectFolder, cwd, project_path, spooled.context.workingFolder]
  if (folders.some((folder) => typeof folder === 'string' && isExcluded(folder, rules))) return true
  const redactPatterns = rules.redact ? usablePatterns(rules.patterns) : null
  // The worker must learn of a private prompt to leave its turn out, so an empty private part marks the place.
  const cleaned = cleanJson(content, { redactPatterns }, { markPrivate: true })
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

function isExcluded(folder: string, { excludeProjects }: PrivacyRules): boolean {
  if (excludeProjects.length === 0) return false
  const { userHome } = readEnvironment()
  return excludedProjects(excludeProjects, userHome)(projectKey(findProject(folder, userHome)), folder)
}
