import type { Commit } from './commits.ts'
import { changesByFile, type TurnEdit } from './edits.ts'
import type { SolvedFailure } from './failures.ts'
import type { TurnFacts } from './turn-facts.ts'

/** Edits that belong together and make one observation. */
export type EditGroup = {
  edits: TurnEdit[]
  /** The commit that holds them. */
  commit: Commit | null
  /** Failures these edits put right. */
  solved: SolvedFailure[]
  /** Whether putting them right is what the group is about, rather than something that happened on the way. */
  isRepair: boolean
  /** Whether the answer speaks about this group; with several groups it speaks about all of them at once. */
  isWholeTurn: boolean
}

/** What of a turn its edits are grouped by. */
type EditGroupInputs = Pick<TurnFacts, 'edits' | 'solved' | 'git'>

/** The turn's edits: one group for each commit, one for each repair that is a story of its own, one for all the rest. */
export function groupEdits(reading: EditGroupInputs): EditGroup[] {
  const { edits, solved, git } = reading
  const repair = solved.filter((s) => existedBeforeEdits(s, edits) && isRealRepair(s))
  const mended = new Set(repair.flatMap((s) => s.edits))
  const beside = edits.filter((edit) => !mended.has(edit))
  // A repair that also touched a document or a test is still the whole of the turn's work.
  const apart =
    repair.length > 0 && hasCode(beside)
      ? [{ edits: edits.filter((edit) => mended.has(edit)), solved: repair }]
      : selfInflictedRepairs(reading)
  const taken = new Set(apart.flatMap((group) => group.edits))
  const groups = groupByCommit(
    edits.filter((edit) => !taken.has(edit)),
    git.commits,
  )
  const main = groups.reduce<EditGroup | null>(
    (most, group) => (most === null || group.edits.length > most.edits.length ? group : most),
    null,
  )
  if (main) {
    main.solved = solved.filter((s) => !apart.some((group) => group.solved.includes(s)))
    main.isRepair = main.solved.some((s) => repair.includes(s))
    main.isWholeTurn = groups.length === 1 || (git.commits.length <= 1 && main.edits.length >= edits.length * 0.6)
  }
  return [...groups, ...apart.map((group) => ({ ...group, commit: null, isRepair: true, isWholeTurn: false }))]
}

/** The failure was there before this turn touched anything. */
function existedBeforeEdits({ failed }: SolvedFailure, edits: TurnEdit[]): boolean {
  return failed === null || !edits.some((edit) => edit.index < failed.index)
}

/** A lint or a commit hook that complained on the way is housekeeping. */
function isRealRepair({ passed }: SolvedFailure): boolean {
  return passed.kind !== 'lint' && passed.kind !== 'git' && passed.kind !== 'install'
}

/**
 * What one breaks and mends while building belongs to the building, with one exception: tests that failed on code of this turn and
 * took another change of code to pass. A test written first, to fail, is how some people build.
 */
function selfInflictedRepairs({ edits, solved }: EditGroupInputs): Pick<EditGroup, 'edits' | 'solved'>[] {
  const taken = new Set<TurnEdit>()
  return solved.flatMap((s) => {
    const own = s.edits.filter((edit) => !taken.has(edit))
    const before = edits.filter((edit) => s.failed !== null && edit.index < s.failed.index)
    const named = s.failure.names.length > 0 || s.passed.kind === 'run'
    if (
      existedBeforeEdits(s, edits) ||
      !isRealRepair(s) ||
      s.passed.kind === 'build' ||
      s.passed.kind === 'typecheck' ||
      !named ||
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

/** Each commit takes the edits it staged, or all that came before it; what no commit took stays together. */
function groupByCommit(edits: TurnEdit[], commits: Commit[]): EditGroup[] {
  let left = edits
  const groups = commits.map((commit) => {
    const paths = commit.staged.filter((path) => !/^(\.|:\/|\*)$/.test(path)).map((path) => path.replace(/^\.\/|\/$/g, ''))
    const isOf = (edit: TurnEdit) =>
      paths.length === 0 || paths.some((path) => edit.path === path || edit.path.startsWith(`${path}/`) || edit.path.endsWith(`/${path}`))
    const own = left.filter((edit) => edit.index < commit.index && isOf(edit))
    left = left.filter((edit) => !own.includes(edit))
    return newGroup(own, commit)
  })
  return left.length > 0 ? [...groups, newGroup(left, null)] : groups
}

function newGroup(edits: TurnEdit[], commit: Commit | null): EditGroup {
  return { edits, commit, solved: [], isRepair: false, isWholeTurn: false }
}
