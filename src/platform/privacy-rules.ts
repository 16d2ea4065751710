import { jsonFields } from '../core/json-object.ts'
import { exists, readIfThere, readJsonIfThere, writeFileAtomically } from './files.ts'
import type { Home } from './paths.ts'

/** The person's privacy rules, for a hook that writes its payload to the spool because it cannot reach the worker. */
export type PrivacyRules = { redact: boolean; patterns: string[]; excludeProjects: string[] }

const DEFAULT_PRIVACY_RULES: PrivacyRules = { redact: true, patterns: [], excludeProjects: [] }

/** The worker writes the rules when it starts: parsing the settings would take a hook longer than everything else it does. */
export function writePrivacyRules(home: Home, rules: PrivacyRules): void {
  const text = `${JSON.stringify(rules)}\n`
  if (!contains(home.privacyRules, text)) writeFileAtomically(home.privacyRules, text)
}

/** False too for a file that cannot be read: it is replaced. */
function contains(path: string, text: string): boolean {
  try {
    return readIfThere(path) === text
  } catch {
    return false
  }
}

/** The rules of the last worker; null when they cannot be read: then the hook must not write anything. */
export function readPrivacyRules(home: Home): PrivacyRules | null {
  if (!exists(home.privacyRules)) return DEFAULT_PRIVACY_RULES
  const { redact, patterns, excludeProjects } = jsonFields(readJsonIfThere(home.privacyRules))
  const areTexts = (list: unknown): list is string[] => Array.isArray(list) && list.every((item) => typeof item === 'string')
  return typeof redact === 'boolean' && areTexts(patterns) && areTexts(excludeProjects) ? { redact, patterns, excludeProjects } : null
}
