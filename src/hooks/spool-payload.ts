import { excludedProjects } from '../core/exclusion.ts'
import { mapStrings, withoutPrivate } from '../core/privacy.ts'
import { projectKey } from '../core/project.ts'
import { redactJson, usablePatterns } from '../core/secrets.ts'
import { readEnvironment } from '../platform/environment.ts'
import type { Home } from '../platform/paths.ts'
import { type PrivacyRules, readPrivacyRules } from '../platform/privacy-rules.ts'
import { findProject } from '../platform/project.ts'
import { keepForLater, type SpooledPayload } from '../wire/spool.ts'
import { headFields } from './payload-size.ts'

/**
 * Keeps a payload that met no worker, as the person wants it kept: without private parts, secrets and what their own patterns find, and
 * not at all from a project they have excluded. Loaded only here, where nobody was there to be asked anyway. Of one that is too much
 * to read in a hook's time only the session is kept, so that the worker reads its transcript, which has the rest.
 */
export function spoolPayload(home: Home, payload: Uint8Array, isTooMuch: boolean, spooled: Omit<SpooledPayload, 'payload'>): void {
  const rules = readPrivacyRules(home)
  if (!rules) return
  const said: unknown = isTooMuch ? headFields(payload) : JSON.parse(new TextDecoder().decode(payload))
  const folders = [spooled.context.projectFolder, (said as { cwd?: unknown } | null)?.cwd]
  if (folders.some((folder) => typeof folder === 'string' && isExcluded(folder, rules))) return
  keepForLater(home, { ...spooled, payload: redactPayload(said, rules), ...(isTooMuch ? { headOnly: true } : {}) })
}

function isExcluded(folder: string, { excludeProjects }: PrivacyRules): boolean {
  if (excludeProjects.length === 0) return false
  const { userHome } = readEnvironment()
  return excludedProjects(excludeProjects, userHome)(projectKey(findProject(folder, userHome)), folder)
}

/** An empty part stays in the place of a private one: the worker must know of a private prompt to keep its turn out. */
function redactPayload(payload: unknown, { redact, patterns }: PrivacyRules): unknown {
  const open = mapStrings(payload, (text) => {
    const seen = withoutPrivate(text)
    return seen.hidPrivate ? `${seen.text}<private/>` : seen.text
  })
  return redact ? redactJson(open, usablePatterns(patterns)) : open
}
