import { compareSuites } from '../core/check-command.ts'
import type { Observation, OpenFailure, PassedTestRun } from '../core/memory.ts'
import { shorten } from '../core/text.ts'
import type { Store } from '../store/store.ts'

/** The failures that a session has repaired since others reported them. */
export type Repairs = {
  /** Whether the session saw the failing tests pass later: in a run of all tests, of the same command, or of a file or test that failed. */
  include(failure: OpenFailure): boolean
  /** The observations of failures that the session has repaired. */
  among(observations: Observation[]): Promise<Set<number>>
}

export async function repairsOf(store: Store, sessions: Set<number>): Promise<Repairs> {
  const fixed = new Set((await store.links.fixedBy([...sessions])).map(({ kind, ref }) => `${kind}:${ref}`))
  const passes = await store.prompts.passesOf([...sessions])
  const include = (failure: OpenFailure) => passes.some((pass) => isRepairedBy(failure, pass))
  return {
    include,
    among: async (observations) => {
      const repaired = new Set(observations.filter(({ id }) => fixed.has(`observation:${id}`)).map(({ id }) => id))
      for (const [sessionId, reported] of Map.groupBy(observations, (o) => o.sessionId)) {
        const failures = (await store.prompts.openFailuresBefore(sessionId, Number.MAX_SAFE_INTEGER)).filter(include)
        for (const o of reported) if (failures.some((failure) => isReportOf(o, failure))) repaired.add(o.id)
      }
      return repaired
    },
  }
}

function isRepairedBy(failure: OpenFailure, pass: PassedTestRun): boolean {
  const { command, names, at } = failure
  const selectsFailed = () => targetsOf(pass.command).some((target) => names.some((name) => name.includes(target)))
  const coversSuite = () => pass.isWhole && compareSuites(pass, failure) !== 'other'
  return pass.at > at && (pass.command === command || coversSuite() || selectsFailed())
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
