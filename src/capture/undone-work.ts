import type { TurnWork, WorkStep } from '../core/work.ts'

/** The share of a change's lines that must be gone again before it counts as taken back. */
const TAKEN_BACK_RATIO = 0.9
/** The same when the person asked to undo it: the agent may have done so in its own way. */
const ASKED_RATIO = 0.5
/** The share that must come back before it counts as done again. */
const REDONE_RATIO = 0.8
/** A change that only added lines was rewritten, not taken back, if more new lines than this share took their place. */
const REWRITTEN_RATIO = 0.25
/** The share of removed lines that another file received in the same turn: they were moved. */
const MOVED_RATIO = 0.5

/** For each turn whose changes were all or partly undone: which files, and by what (`P12` or `C5`). */
export type UndoneTurn = { files: Map<string, string>; isWhole: boolean; by: string }

/**
 * Replays the work of turns, oldest first, and returns what is undone at the end. `revertedCommits` are commits that later commits of the
 * repository reverted, by their full hash. Work that came back is not undone.
 */
export function undoneWork(turns: TurnWork[], revertedCommits: { hash: string; by: string }[]): Map<number, UndoneTurn> {
  const replay = newReplay()
  for (const turn of turns) {
    replay.begin()
    for (const step of turn.steps) replay.take(turn, step)
  }
  for (const piece of replay.pieces) {
    const hash = piece.commit?.hash
    const reverted = hash && revertedCommits.find((commit) => commit.hash.startsWith(hash))
    if (reverted && piece.undoneBy === null) piece.undoneBy = reverted.by
  }
  return summarize(replay.pieces)
}

/** The changes of one turn to one file. */
type Piece = {
  turn: TurnWork
  path: string
  lines: Map<string, number>
  /** Of `lines`, those that later edits have not reversed. */
  left: Map<string, number>
  isNew: boolean
  isStaged: boolean
  commit: CommitRecord | null
  stash: StashEntry | null
  undoneBy: string | null
}

type CommitRecord = { folder: string; hash: string | null; isUndone: boolean; reverts: CommitRecord | null }
type StashEntry = { folder: string; wasApplied: boolean }

function newReplay() {
  const pieces: Piece[] = []
  const commits: CommitRecord[] = []
  const stashes: StashEntry[] = []
  let lastReset: { folder: string; commits: CommitRecord[] } | null = null
  /** The turn that the person asked to undo. */
  let askedFor: TurnWork | null = null

  const undo = (wanted: Piece[], turn: TurnWork) => {
    for (const piece of wanted) piece.undoneBy ??= `P${turn.id}`
  }
  const uncommitted = ({ folder }: TurnWork) =>
    pieces.filter((p) => p.turn.folder === folder && p.commit === null && p.stash === null && p.undoneBy === null)
  const ofCommits = (wanted: CommitRecord[]) => pieces.filter((p) => p.commit !== null && wanted.includes(p.commit))
  const lastWork = (turn: TurnWork) =>
    pieces.findLast((p) => p.turn.sessionId === turn.sessionId && p.turn !== turn && p.undoneBy === null)?.turn ?? null
  /** Undoes the files of the turn that the person asked to undo, if at least this share of their changes is gone. */
  const undoAsked = (turn: TurnWork, paths: string[] | null, gone: number) => {
    const asked = pieces.filter((p) => p.turn === askedFor && p.undoneBy === null && isAmong(p.path, paths))
    const meant = asked.filter((p) => weight(p.left.values()) <= (1 - gone) * weight(p.lines.values()))
    undo(meant, turn)
  }
  const revive = (wanted: CommitRecord[]) => {
    for (const commit of wanted) commit.isUndone = false
    for (const piece of ofCommits(wanted)) piece.undoneBy = null
  }
  const undoCommits = (wanted: CommitRecord[], turn: TurnWork) => {
    for (const commit of wanted) commit.isUndone = true
    undo(ofCommits(wanted), turn)
    for (const { reverts } of wanted) if (reverts) revive([reverts])
  }
  /** The living commits of a folder after the one that a reference names; null if it names none of them. */
  const commitsAfter = (folder: string, to: string): CommitRecord[] | null => {
    const living = commits.filter((commit) => commit.folder === folder && !commit.isUndone)
    const back = to === 'HEAD' ? 0 : /^HEAD(?:~(\d*)|(\^+))$/.exec(to)
    if (back === 0) return []
    if (back) return living.slice(-(back[2]?.length ?? Number(back[1] || 1)))
    const at = living.findIndex((commit) => isHash(commit.hash, to))
    return at < 0 ? null : living.slice(at + 1)
  }

  /** Later changes of lines that are undone now cannot bring those lines back. */
  function forgetReplaced({ path, lines }: Piece): void {
    for (const later of pieces.filter((p) => p.path === path && p.undoneBy === null))
      for (const [line, n] of later.left) if (n < 0 && (lines.get(line) ?? 0) > 0) later.left.delete(line)
  }

  function edit(turn: TurnWork, step: Extract<WorkStep, { kind: 'edit' }>): void {
    const lines = new Map(step.lines)
    for (const piece of pieces.filter((p) => p.path === step.path && p.turn !== turn)) {
      if (piece.undoneBy !== null) {
        if (share(piece.lines, (line, n) => Math.sign(lines.get(line) ?? 0) === Math.sign(n)) >= REDONE_RATIO) {
          piece.undoneBy = null
          piece.left = new Map(piece.lines)
        }
        continue
      }
      reverse(piece.left, lines)
      if (!isTakenBack(piece, turn, lines, step.path)) continue
      piece.undoneBy = `P${turn.id}`
      forgetReplaced(piece)
    }
    undoAsked(turn, [step.path], ASKED_RATIO)
    const same = uncommitted(turn).find((p) => p.turn === turn && p.path === step.path)
    if (same) for (const [line, n] of lines) for (const counts of [same.lines, same.left]) counts.set(line, (counts.get(line) ?? 0) + n)
    else
      pieces.push({
        turn,
        path: step.path,
        lines,
        left: new Map(lines),
        isNew: step.isNew === true,
        isStaged: false,
        commit: null,
        stash: null,
        undoneBy: null,
      })
  }

  function commit(turn: TurnWork, step: Extract<WorkStep, { kind: 'commit' }>): void {
    const waiting = uncommitted(turn)
    const staged = waiting.filter((p) => p.isStaged)
    const taken = step.takesAll ? waiting.filter((p) => !p.isNew || p.isStaged) : staged.length > 0 ? staged : waiting
    const before = step.amends ? commits.findLast((c) => c.folder === turn.folder && !c.isUndone) : undefined
    const record = before ?? { folder: turn.folder, hash: null, isUndone: false, reverts: null }
    record.hash = step.hash
    if (!before) commits.push(record)
    for (const piece of taken) piece.commit = record
  }

  function reset(turn: TurnWork, to: string): void {
    undo(uncommitted(turn), turn)
    if (/^(?:ORIG_HEAD|HEAD@\{1\})$/.test(to)) {
      if (lastReset?.folder === turn.folder) revive(lastReset.commits)
      return
    }
    const gone = commitsAfter(turn.folder, to)
    const returned = commits.filter((c) => c.folder === turn.folder && c.isUndone && isHash(c.hash, to))
    if (returned.length > 0) revive(returned)
    if (!gone || gone.length === 0) return
    undoCommits(gone, turn)
    lastReset = { folder: turn.folder, commits: gone }
  }

  function revert(turn: TurnWork, { target, hash }: Extract<WorkStep, { kind: 'revert' }>): void {
    const living = commits.filter((c) => c.folder === turn.folder && !c.isUndone)
    const back = /^HEAD(?:~(\d*)|(\^+))?$/.exec(target)
    const steps = back ? (back[2]?.length ?? (back[0] === 'HEAD' ? 0 : Number(back[1] || 1))) : 0
    const found = back ? living.at(-1 - steps) : living.find((c) => isHash(c.hash, target))
    if (found) undoCommits([found], turn)
    commits.push({ folder: turn.folder, hash, isUndone: false, reverts: found ?? null })
  }

  function unstash(turn: TurnWork, keeps: boolean): void {
    const entry = stashes.findLast((s) => s.folder === turn.folder)
    if (!entry) return
    entry.wasApplied = true
    for (const piece of pieces) if (piece.stash === entry) piece.stash = null
    if (!keeps) stashes.splice(stashes.indexOf(entry), 1)
  }

  function dropStash(turn: TurnWork, all: boolean): void {
    const own = stashes.filter((s) => s.folder === turn.folder)
    for (const entry of all ? own : own.slice(-1)) {
      stashes.splice(stashes.indexOf(entry), 1)
      const kept = pieces.filter((p) => p.stash === entry)
      if (!entry.wasApplied) undo(kept, turn)
      for (const piece of kept) piece.stash = null
    }
  }

  function remove(turn: TurnWork, paths: string[]): void {
    const gone = pieces.filter((p) => p.turn.sessionId === turn.sessionId && p.undoneBy === null && isAmong(p.path, paths))
    const made = new Set(gone.filter((p) => p.isNew).map((p) => p.path))
    undo(
      gone.filter((p) => made.has(p.path) && !wasMoved(p, turn)),
      turn,
    )
  }

  function discard(turn: TurnWork, paths: string[] | null): void {
    const known = uncommitted(turn).filter((p) => paths !== null || !p.isNew || p.isStaged)
    const named = known.filter((p) => isAmong(p.path, paths))
    undo(named, turn)
    undoAsked(turn, paths, 0)
  }

  function clean(turn: TurnWork): void {
    const unknown = uncommitted(turn).filter((p) => p.isNew && !p.isStaged)
    undo(unknown, turn)
  }

  function uncommit(turn: TurnWork, to: string): void {
    const gone = commitsAfter(turn.folder, to) ?? []
    for (const piece of ofCommits(gone)) piece.commit = null
    for (const record of gone) commits.splice(commits.indexOf(record), 1)
  }

  function stash(turn: TurnWork, { paths, takesNew }: Extract<WorkStep, { kind: 'stash' }>): void {
    const entry = { folder: turn.folder, wasApplied: false }
    const taken = uncommitted(turn).filter((p) => isAmong(p.path, paths) && (!p.isNew || p.isStaged || takesNew === true))
    for (const piece of taken) piece.stash = entry
    stashes.push(entry)
  }

  function sayUndone(turn: TurnWork, all: boolean): void {
    const last = lastWork(turn)
    const own = pieces.filter((p) => p.turn.sessionId === turn.sessionId && p.turn !== turn && p.undoneBy === null)
    const meant = own.filter((p) => (all ? p.commit === null : p.turn === last))
    undo(meant, turn)
  }

  function take(turn: TurnWork, step: WorkStep): void {
    if (step.kind === 'edit') edit(turn, step)
    else if (step.kind === 'stage') for (const p of uncommitted(turn)) p.isStaged ||= isAmong(p.path, step.paths)
    else if (step.kind === 'commit') commit(turn, step)
    else if (step.kind === 'discard') discard(turn, step.paths)
    else if (step.kind === 'clean') clean(turn)
    else if (step.kind === 'remove') remove(turn, step.paths)
    else if (step.kind === 'reset') reset(turn, step.to)
    else if (step.kind === 'uncommit') uncommit(turn, step.to)
    else if (step.kind === 'revert') revert(turn, step)
    else if (step.kind === 'stash') stash(turn, step)
    else if (step.kind === 'unstash') unstash(turn, step.keeps === true)
    else if (step.kind === 'drop-stash') dropStash(turn, step.all === true)
    else if (step.kind === 'said-undone') sayUndone(turn, step.all === true)
    else askedFor = lastWork(turn)
  }

  return {
    pieces,
    begin: () => {
      askedFor = null
    },
    take,
  }
}

const isHash = (hash: string | null, named: string) =>
  hash !== null && /^[0-9a-f]{7,40}$/.test(named) && (hash.startsWith(named) || named.startsWith(hash))

/** Whether a path is one of these files or in one of these folders. Null means everything. */
function isAmong(path: string, paths: string[] | null): boolean {
  return paths === null || paths.some((named) => path === named || path.startsWith(`${named}/`))
}

/** Takes the lines that an edit reversed from those that are left of a change. */
function reverse(left: Map<string, number>, lines: Map<string, number>): void {
  for (const [line, n] of left) {
    const now = lines.get(line) ?? 0
    if (Math.sign(now) !== -Math.sign(n)) continue
    const rest = Math.max(0, Math.abs(n) - Math.abs(now)) * Math.sign(n)
    if (rest === 0) left.delete(line)
    else left.set(line, rest)
  }
}

const weight = (lines: Iterable<number>) => [...lines].reduce((sum, n) => sum + Math.abs(n), 0)

/** The share of lines that pass a test. */
function share(lines: Map<string, number>, passes: (line: string, n: number) => boolean): number {
  const passing = [...lines].filter(([line, n]) => passes(line, n)).map(([, n]) => n)
  return weight(passing) / Math.max(1, weight(lines.values()))
}

function isTakenBack(piece: Piece, turn: TurnWork, lines: Map<string, number>, path: string): boolean {
  const total = weight(piece.lines.values())
  if (total === 0 || weight(piece.left.values()) > total * (1 - TAKEN_BACK_RATIO)) return false
  if (![...lines].some(([line, n]) => Math.sign(piece.lines.get(line) ?? 0) === -Math.sign(n))) return false
  const restores = [...piece.lines].some(([, n]) => n < 0)
  const added = [...lines].filter(([line, n]) => n > 0 && (piece.lines.get(line) ?? 0) >= 0).map(([, n]) => n)
  if (!restores && weight(added) > total * REWRITTEN_RATIO) return false
  return !wasMoved({ ...piece, path }, turn)
}

/** Whether the turn added the same lines to another file. */
function wasMoved({ path, lines }: Pick<Piece, 'path' | 'lines'>, turn: TurnWork): boolean {
  const elsewhere = turn.steps.flatMap((step) => (step.kind === 'edit' && step.path !== path ? step.lines : []))
  const received = new Set(elsewhere.filter(([, n]) => n > 0).map(([line]) => line))
  const added = new Map([...lines].filter(([, n]) => n > 0))
  return added.size > 0 && share(added, (line) => received.has(line)) >= MOVED_RATIO
}

function summarize(pieces: Piece[]): Map<number, UndoneTurn> {
  const found = new Map<number, UndoneTurn>()
  for (const [id, own] of Map.groupBy(pieces, (piece) => piece.turn.id)) {
    const byPath = [...Map.groupBy(own, (piece) => piece.path)]
    const undone = byPath.filter(([, parts]) => parts.every((part) => part.undoneBy !== null))
    const files = new Map(undone.map(([path, parts]) => [path, parts.at(-1)?.undoneBy ?? '']))
    const by = [...files.values()].at(-1)
    if (by) found.set(id, { files, isWhole: undone.length === byPath.length, by })
  }
  return found
}
