import type { PerformedAction } from '../core/action.ts'
import { entitiesIn } from '../core/entities.ts'
import type { FixedCheck, OpenFailure, PassedTestRun, Traces } from '../core/memory.ts'
import { knownFixes } from './known-fixes.ts'
import { type CheckRun, checkRunsOf, describeRun } from './plain/check-runs.ts'
import { commandsOf } from './plain/commands.ts'
import { gitWorkOf } from './plain/commits.ts'
import { type EditGroup, groupEdits } from './plain/edit-groups.ts'
import { editsOf, type TurnEdit } from './plain/edits.ts'
import { followFailures } from './plain/failures.ts'
import { unique } from './plain/lists.ts'

/** A turn that changes more files than this is not about any one of them. */
const MAX_TRACED_FILES = 20
const MAX_NAMES_PER_FILE = 16
const MAX_TRACED_ERRORS = 16
const MAX_TRACED_PASSES = 8
/** Longer names are test names or generated ones, which people do not type into a search. */
const MAX_NAME_CHARS = 40

/** Collects the names in changed code, the errors that checks printed, the tests that passed, and what fixed the checks that failed. Reading leaves no trace. */
export function tracesOf(actions: PerformedAction[], folder: string, openBefore: OpenFailure[] = []): Traces {
  const commands = commandsOf(actions)
  const edits = editsOf(actions, commands, folder)
  const byPath = Map.groupBy(edits, (edit) => edit.path)
  const names = [...byPath].map(([path, all]): Traces['names'][number] => [path, namesIn(all)])
  const runs = checkRunsOf(commands, folder)
  const byIndex = Map.groupBy(runs, (run) => run.index)
  const errors = commands.flatMap(({ index, output }) => {
    // If one command line ran several checks, attribute its errors to the last one.
    const run = byIndex.get(index)?.at(-1)
    return run ? errorsIn(output).map((name) => ({ name, command: describeRun(run), passed: run.passed })) : []
  })
  const passes = passesOf(runs)
  const { solved } = followFailures(runs, edits, [], 0)
  const fixed = solved.length === 0 ? [] : groupEdits({ edits, solved, git: gitWorkOf(commands) }).flatMap(fixedChecks)
  const fixes = knownFixes(runs, edits, commands, openBefore)
  return {
    names: names.filter(([, found]) => found.length > 0).slice(0, MAX_TRACED_FILES),
    errors: [...new Map(errors.map((error) => [JSON.stringify(error), error])).values()].slice(0, MAX_TRACED_ERRORS),
    ...(passes.length > 0 ? { passes } : {}),
    ...(fixed.length > 0 ? { mended: fixed } : {}),
    ...(fixes.length > 0 ? { fixes } : {}),
  }
}

/** Names that occur in the most edits come first. */
function namesIn(edits: TurnEdit[]): string[] {
  const counts = new Map<string, number>()
  for (const { patch } of edits) {
    for (const { kind, name } of entitiesIn(patch.map((line) => line.slice(1)).join('\n')))
      if (kind === 'error' || (kind === 'symbol' && !UNSPECIFIC_NAME.test(name) && name.length <= MAX_NAME_CHARS))
        counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([name]) => name)
    .slice(0, MAX_NAMES_PER_FILE)
}

/** Plain words, and member accesses such as `time.Now` or `result.path`, which could belong to any library or variable. */
const UNSPECIFIC_NAME = /^[a-z]+$|^[a-z$_][\w$]*(?:\.|::|->)/

const errorsIn = (output: string) => unique(entitiesIn(output).flatMap(({ kind, name }) => (kind === 'error' ? [name] : [])))

/** A commit or push whose hook ran tests counts as a run over the whole project. */
function passesOf(runs: CheckRun[]): PassedTestRun[] {
  const passes = runs.flatMap((run): PassedTestRun[] => {
    const hasRunTests = run.kind === 'test' || (run.kind === 'git' && (run.report?.passed ?? 0) > 0)
    if (!run.passed || !hasRunTests || (run.report?.failed ?? 0) > 0) return []
    const runner = run.report?.runner ? { runner: run.report.runner } : {}
    return [{ command: describeRun(run), isWhole: run.isWhole || run.kind === 'git', at: run.at, ...runner }]
  })
  return [...new Map(passes.map((pass) => [pass.command, pass])).values()].slice(-MAX_TRACED_PASSES)
}

/** `isApart`: all edits of the group came after the check had failed, so none of them broke it. */
function fixedChecks({ edits, solved }: EditGroup): FixedCheck[] {
  return solved.flatMap(({ failure, failed }) =>
    failed ? [{ command: failure.command, failedAt: failed.at, isApart: edits.every((edit) => edit.index > failed.index) }] : [],
  )
}
