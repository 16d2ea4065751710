import type { Observation, OpenFailure, PassedTestRun } from '../core/memory.ts'
import { shorten } from '../core/text.ts'
import type { Store } from '../store/store.ts'

/** What a session has put right: the memories of failures that it fixed, as `observation:12`, and the tests that passed in it. */
export type Repairs = { fixed: Set<string>; passes: PassedTestRun[] }

export const NO_REPAIRS: Repairs = { fixed: new Set(), passes: [] }

export async function repairsOf(store: Store, sessions: Set<number>): Promise<Repairs> {
  const fixed = await store.links.fixedBy([...sessions])
  return { fixed: new Set(fixed.map(({ kind, ref }) => `${kind}:${ref}`)), passes: await store.prompts.passesOf([...sessions]) }
}

/** Whether the session saw the failing tests pass later: in a run of all tests, of the same command, or of a file or test that failed. */
export function isRepaired({ command, names, at }: OpenFailure, { passes }: Repairs): boolean {
  const selectsFailed = (passed: string) => targetsOf(passed).some((target) => names.some((name) => name.includes(target)))
  return passes.some((pass) => pass.at > at && (pass.isWhole || pass.command === command || selectsFailed(pass.command)))
}

/** The observations of failures that the session has repaired. */
export async function repairedObservations(store: Store, observations: Observation[], repairs: Repairs): Promise<Set<number>> {
  const repaired = new Set(observations.filter(({ id }) => repairs.fixed.has(`observation:${id}`)).map(({ id }) => id))
  for (const [sessionId, reported] of Map.groupBy(observations, (o) => o.sessionId)) {
    const failures = (await store.prompts.openFailuresBefore(sessionId, Number.MAX_SAFE_INTEGER)).filter((one) => isRepaired(one, repairs))
    for (const o of reported) if (failures.some((failure) => isReportOf(o, failure))) repaired.add(o.id)
  }
  return repaired
}

function isReportOf({ promptNumber, filesModified, title, facts }: Observation, failure: OpenFailure): boolean {
  const command = shorten(failure.command, 60)
  return promptNumber === failure.promptNumber && filesModified.length === 0 && [title, ...facts].some((text) => text.includes(command))
}

/** The words of a command that may name a file or a test. */
const targetsOf = (command: string): string[] =>
  command
    .split(/[\s|]+/)
    .slice(1)
    .filter((word) => !word.startsWith('-'))
    .map((word) => word.replace(/^['"]?(?:\.\/|\^)?|\$?['"]?$/g, ''))
    .filter((word) => word.length >= MIN_TARGET_CHARS)

/** A shorter word could be part of any name. */
const MIN_TARGET_CHARS = 6
