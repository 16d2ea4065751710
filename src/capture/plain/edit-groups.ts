import type { Commit } from './commits.ts'
import { changesByFile, type TurnEdit } from './edits.ts'
import type { SolvedFailure } from './failures.ts'
import type { TurnFacts } from './turn-facts.ts'

/** Edits that belong together and make one observation. */
export type EditGroup = {
  edits: TurnEdit[]
  /** The commit that contains them. */
  commit: Commit | null
  /** Failures that these edits fixed. */
  solved: SolvedFailure[]
  /** Whether the group is about fixing them, rather than fixing them along the way. */
  isRepair: boolean
  /** Whether the answer is about this group. With several groups, it is about all of them together. */
  isWholeTurn: boolean
}

type EditGroupInputs = Pick<TurnFacts, 'edits' | 'solved' | 'git'>

/** Groups the edits of a turn: one group for each commit, one for each separate repair, and one for the rest. */
export function groupEdits(inputs: EditGroupInputs): EditGroup[] {
  const { edits, solved, git } = inputs
  const repair = solved.filter((s) => existedBeforeEdits(s, edits) && isRealRepair(s))
  const repairEdits = new Set(repair.flatMap((s) => s.edits))
  const otherEdits = edits.filter((edit) => !repairEdits.has(edit))
  // A repair is only separate if the turn changed other code too. Changed documents and tests belong to the repair.
  const separate =
    repair.length > 0 && hasCode(otherEdits)
      ? [{ edits: edits.filter((edit) => repairEdits.has(edit)), solved: repair }]
      : selfInflictedRepairs(inputs)
  const repaired = new Set(separate.flatMap((group) => group.edits))
  const groups = groupByCommit(
    edits.filter((edit) => !repaired.has(edit)),
    git.commits,
  )
  const main = groups.reduce<EditGroup | null>(
    (largest, group) => (largest === null || group.edits.length > largest.edits.length ? group : largest),
    null,
  )
  if (main) {
    main.solved = solved.filter((s) => !separate.some((group) => group.solved.includes(s)))
    main.isRepair = main.solved.some((s) => repair.includes(s))
    main.isWholeTurn = groups.length === 1 || (git.commits.length <= 1 && main.edits.length >= edits.length * 0.6)
  }
  return [...groups, ...separate.map((group) => ({ ...group, commit: null, isRepair: true, isWholeTurn: false }))]
}

/** The check failed before this turn edited anything. */
function existedBeforeEdits({ failed }: SolvedFailure, edits: TurnEdit[]): boolean {
  return failed === null || !edits.some((edit) => edit.index < failed.index)
}

/** Fixing a complaint of a linter, a commit hook or an install is housekeeping. */
function isRealRepair({ passed }: SolvedFailure): boolean {
  return passed.kind !== 'lint' && passed.kind !== 'git' && passed.kind !== 'install'
}

/**
 * Failures that the turn itself caused and fixed. They count as repairs only if tests failed on code that the turn had written and needed
 * another change of code to pass. A test that was written first, in order to fail, does not count.
 */
function selfInflictedRepairs({ edits, solved }: EditGroupInputs): Pick<EditGroup, 'edits' | 'solved'>[] {
  const taken = new Set<TurnEdit>()
  return solved.flatMap((s) => {
    const own = s.edits.filter((edit) => !taken.has(edit))
    const before = edits.filter((edit) => s.failed !== null && edit.index < s.failed.index)
    const hasTests = s.failure.names.length > 0 || s.passed.kind === 'run'
    if (
      existedBeforeEdits(s, edits) ||
      !isRealRepair(s) ||
      s.passed.kind === 'build' ||
      s.passed.kind === 'typecheck' ||
      !hasTests ||
      !hasCode(before) ||
      !hasCode(own)
    )
      return []
    for (const edit of own) taken.add(edit)
    return [{ edits: own, solved: [s] }]
  })
}

function hasCode(edits: TurnEdit[]): boolean {
  return changesByFile(edits).some((change) => change.kind === 'code')
}

/** Each commit gets the edits that it staged, or all edits before it. Edits without a commit form one group. */
function groupByCommit(edits: TurnEdit[], commits: Commit[]): EditGroup[] {
  let remaining = edits
  const groups = commits.map((commit) => {
    const paths = commit.staged.filter((path) => !/^(\.|:\/|\*)$/.test(path)).map((path) => path.replace(/^\.\/|\/$/g, ''))
    const isStaged = (edit: TurnEdit) =>
      paths.length === 0 || paths.some((path) => edit.path === path || edit.path.startsWith(`${path}/`) || edit.path.endsWith(`/${path}`))
    const own = remaining.filter((edit) => edit.index < commit.index && isStaged(edit))
    remaining = remaining.filter((edit) => !own.includes(edit))
    return newGroup(own, commit)
  })
  return remaining.length > 0 ? [...groups, newGroup(remaining, null)] : groups
}

function newGroup(edits: TurnEdit[], commit: Commit | null): EditGroup {
  return { edits, commit, solved: [], isRepair: false, isWholeTurn: false }
}
