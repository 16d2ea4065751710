import { compareSuites } from '../core/check-command.ts'
import type { ProjectKey } from '../core/ids.ts'
import type { OpenFailure, PassedTestRun, Session } from '../core/memory.ts'
import type { Store } from '../store/store.ts'

/** The failures that no later run on this branch, or on any branch if it is null, has seen pass. */
export async function stillFailing(
  store: Store,
  project: ProjectKey,
  branch: string | null,
  failures: OpenFailure[],
): Promise<OpenFailure[]> {
  if (failures.length === 0) return []
  const passes = await store.prompts.recentPasses(project, branch, MAX_PASSING_TURNS)
  return failures.filter((failure) => !failure.isUnclear && !passes.some((pass) => isFixedBy(failure, pass)))
}

/** How many turns with passing tests are checked for failures that they fixed. */
const MAX_PASSING_TURNS = 50

/** Another session may have continued the work: a later run of the same tests, or of all tests by what may be the same program, that passed. */
function isFixedBy(failure: OpenFailure, pass: PassedTestRun): boolean {
  return pass.at > failure.at && (pass.command === failure.command || (pass.isWhole && compareSuites(pass, failure) !== 'other'))
}

/** How many turns of other sessions are searched for failures. */
const MAX_FAILING_TURNS = 20

/** The checks that failed in other sessions when they were last run, newest first, each with the prompt of its turn. */
export async function failingChecksOf(
  store: Store,
  { id, project }: Pick<Session, 'id' | 'project'>,
  now: number,
  isWanted: (failure: OpenFailure) => boolean = () => true,
): Promise<{ failure: OpenFailure; promptId: number }[]> {
  const turns = await store.links.failuresBefore(project, now, MAX_FAILING_TURNS)
  const open = turns.flatMap((turn) =>
    turn.sessionId === id ? [] : turn.open.filter(isWanted).map((failure) => ({ failure, sessionId: turn.sessionId })),
  )
  const current = await stillFailing(
    store,
    project,
    null,
    open.map(({ failure }) => failure),
  )
  const failing: { failure: OpenFailure; promptId: number }[] = []
  for (const { failure, sessionId } of open.toSorted((a, b) => b.failure.at - a.failure.at)) {
    if (!current.includes(failure) || failing.some((other) => other.failure.command === failure.command)) continue
    const prompt = await store.prompts.byNumber(sessionId, failure.promptNumber)
    if (prompt) failing.push({ failure, promptId: prompt.id })
  }
  return failing
}
