import { exists, readJsonIfThere, writeFileAtomically } from './files.ts'
import type { Home } from './paths.ts'

/** What a person wants hidden, for a hook that keeps a payload because it met no worker. */
export type PrivacyRules = { redact: boolean; patterns: string[]; excludeProjects: string[] }

const DEFAULT_PRIVACY_RULES: PrivacyRules = { redact: true, patterns: [], excludeProjects: [] }

/** The worker leaves the rules behind at its start: reading the settings themselves would cost a hook more than all else it does. */
export function writePrivacyRules(home: Home, rules: PrivacyRules): void {
  writeFileAtomically(home.privacyRules, `${JSON.stringify(rules)}\n`)
}

/** The rules as the last worker knew them; null when they cannot be read, and then nothing may be kept. */
export function readPrivacyRules(home: Home): PrivacyRules | null {
  if (!exists(home.privacyRules)) return DEFAULT_PRIVACY_RULES
  const { redact, patterns, excludeProjects } = (readJsonIfThere(home.privacyRules) ?? {}) as Partial<PrivacyRules>
  const areTexts = (list: unknown): list is string[] => Array.isArray(list) && list.every((item) => typeof item === 'string')
  return typeof redact === 'boolean' && areTexts(patterns) && areTexts(excludeProjects) ? { redact, patterns, excludeProjects } : null
}
