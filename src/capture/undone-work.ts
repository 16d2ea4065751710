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
  const replay: Replay = { pieces: [], byPath: new Map(), commits: [], stashes: [], lastReset: null, askedFor: null }
  for (const turn of turns) {
    replay.askedFor = null
    for (const step of turn.steps) take(replay, turn, step)
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

/** The state of files, commits and stashes after the steps so far. */
type Replay = {
  pieces: Piece[]
  byPath: Map<string, Piece[]>
  commits: CommitRecord[]
  stashes: StashEntry[]
  lastReset: { folder: string; commits: CommitRecord[] } | null
  /** The turn that the person asked to undo. */
  askedFor: TurnWork | null
}

function take(replay: Replay, turn: TurnWork, step: WorkStep): void {
  if (step.kind === 'edit') edit(replay, turn, step)
  else if (step.kind === 'stage') for (const p of uncommitted(replay, turn)) p.isStaged ||= isAmong(p.path, step.paths)
  else if (step.kind === 'commit') commit(replay, turn, step)
  else if (step.kind === 'discard') discard(replay, turn, step.paths)
  else if (step.kind === 'clean') clean(replay, turn)
  else if (step.kind === 'remove') remove(replay, turn, step.paths)
  else if (step.kind === 'reset') reset(replay, turn, step.to)
  else if (step.kind === 'uncommit') uncommit(replay, turn, step.to)
  else if (step.kind === 'revert') revert(replay, turn, step)
  else if (step.kind === 'stash') stash(replay, turn, step)
  else if (step.kind === 'unstash') unstash(replay, turn, step.keeps === true)
  else if (step.kind === 'drop-stash') dropStash(replay, turn, step.all === true)
  else if (step.kind === 'said-undone') sayUndone(replay, turn, step.all === true)
  else replay.askedFor = lastWork(replay, turn)
}

function undo(wanted: Piece[], turn: TurnWork): void {
  for (const piece of wanted) piece.undoneBy ??= `P${turn.id}`
}

const isUncommitted = (p: Piece) => p.commit === null && p.stash === null && p.undoneBy === null
const uncommitted = ({ pieces }: Replay, { folder }: TurnWork) => pieces.filter((p) => p.turn.folder === folder && isUncommitted(p))

/**
 * The uncommitted changes that a turn's command may take back. The person may have committed the work of another session without telling any
 * agent, so that work counts only in a file that the command names and this session did not change.
 */
function atRisk(replay: Replay, turn: TurnWork, paths: string[] | null): Piece[] {
  const waiting = uncommitted(replay, turn).filter((p) => isAmong(p.path, paths))
  const own = waiting.filter((p) => p.turn.sessionId === turn.sessionId)
  if (paths === null) return own
  const changedHere = new Set(own.map((p) => p.path))
  return waiting.filter((p) => p.turn.sessionId === turn.sessionId || !changedHere.has(p.path))
}

const ofCommits = ({ pieces }: Replay, wanted: CommitRecord[]) => pieces.filter((p) => p.commit !== null && wanted.includes(p.commit))
const livingCommits = ({ commits }: Replay, folder: string) => commits.filter((c) => c.folder === folder && !c.isUndone)
const lastWork = ({ pieces }: Replay, turn: TurnWork) =>
  pieces.findLast((p) => p.turn.sessionId === turn.sessionId && p.turn !== turn && p.undoneBy === null)?.turn ?? null

/** Undoes the files of the turn that the person asked to undo, if at least this share of their changes is gone. */
function undoAsked({ pieces, askedFor }: Replay, turn: TurnWork, paths: string[] | null, gone: number): void {
  if (askedFor === null) return
  const asked = pieces.filter((p) => p.turn === askedFor && p.undoneBy === null && isAmong(p.path, paths))
  const meant = asked.filter((p) => weight(p.left.values()) <= (1 - gone) * weight(p.lines.values()))
  undo(meant, turn)
}

function revive(replay: Replay, wanted: CommitRecord[]): void {
  for (const record of wanted) record.isUndone = false
  for (const piece of ofCommits(replay, wanted)) piece.undoneBy = null
}

function undoCommits(replay: Replay, wanted: CommitRecord[], turn: TurnWork): void {
  for (const record of wanted) record.isUndone = true
  undo(ofCommits(replay, wanted), turn)
  for (const { reverts } of wanted) if (reverts) revive(replay, [reverts])
}

/** How many commits back a reference such as `HEAD~2` or `HEAD^` is; null if it is another kind of reference. */
function stepsBack(ref: string): number | null {
  const back = /^HEAD(?:~(\d*)|(\^+))?$/.exec(ref)
  if (!back) return null
  if (ref === 'HEAD') return 0
  return back[2]?.length ?? Number(back[1] || 1)
}

/** The living commits of a folder after the one that a reference names; none if it names none of them. */
function commitsAfter(replay: Replay, folder: string, to: string): CommitRecord[] {
  const living = livingCommits(replay, folder)
  const back = stepsBack(to)
  if (back !== null) return back === 0 ? [] : living.slice(-back)
  const at = living.findIndex((record) => isHash(record.hash, to))
  return at < 0 ? [] : living.slice(at + 1)
}

function edit(replay: Replay, turn: TurnWork, step: Extract<WorkStep, { kind: 'edit' }>): void {
  const lines = new Map(step.lines)
  const ofFile = replay.byPath.get(step.path) ?? []
  for (const piece of ofFile) {
    if (piece.turn === turn) continue
    if (piece.undoneBy !== null) redo(piece, lines)
    else if (takeBack(piece, turn, lines)) forgetReplaced(replay, piece)
  }
  undoAsked(replay, turn, [step.path], ASKED_RATIO)
  const same = ofFile.find((p) => p.turn === turn && isUncommitted(p))
  if (same) for (const counts of [same.lines, same.left]) for (const [line, n] of lines) counts.set(line, (counts.get(line) ?? 0) + n)
  else {
    const { path, isNew = false } = step
    const piece = { turn, path, lines, left: new Map(lines), isNew, isStaged: false, commit: null, stash: null, undoneBy: null }
    replay.pieces.push(piece)
    replay.byPath.set(path, [...ofFile, piece])
  }
}

function redo(piece: Piece, lines: Map<string, number>): void {
  if (share(piece.lines, (line, n) => Math.sign(lines.get(line) ?? 0) === Math.sign(n)) < REDONE_RATIO) return
  piece.undoneBy = null
  piece.left = new Map(piece.lines)
}

function takeBack(piece: Piece, turn: TurnWork, lines: Map<string, number>): boolean {
  reverse(piece.left, lines)
  if (!isTakenBack(piece, turn, lines)) return false
  piece.undoneBy = `P${turn.id}`
  return true
}

/** Later changes of lines that are undone now cannot bring those lines back. */
function forgetReplaced({ byPath }: Replay, { path, lines }: Piece): void {
  for (const later of byPath.get(path)?.filter((p) => p.undoneBy === null) ?? [])
    for (const [line, n] of later.left) if (n < 0 && (lines.get(line) ?? 0) > 0) later.left.delete(line)
}

function commit(replay: Replay, turn: TurnWork, step: Extract<WorkStep, { kind: 'commit' }>): void {
  const waiting = uncommitted(replay, turn)
  const staged = waiting.filter((p) => p.isStaged)
  const taken = step.takesAll ? waiting.filter((p) => !p.isNew || p.isStaged) : staged.length > 0 ? staged : waiting
  const before = step.amends ? livingCommits(replay, turn.folder).at(-1) : undefined
  const record = before ?? { folder: turn.folder, hash: null, isUndone: false, reverts: null }
  record.hash = step.hash
  if (!before) replay.commits.push(record)
  for (const piece of taken) piece.commit = record
}

function discard(replay: Replay, turn: TurnWork, paths: string[] | null): void {
  const known = atRisk(replay, turn, paths).filter((p) => paths !== null || !p.isNew || p.isStaged)
  undo(known, turn)
  undoAsked(replay, turn, paths, 0)
}

function clean(replay: Replay, turn: TurnWork): void {
  const unknown = atRisk(replay, turn, null).filter((p) => p.isNew && !p.isStaged)
  undo(unknown, turn)
}

function remove({ pieces }: Replay, turn: TurnWork, paths: string[]): void {
  const gone = pieces.filter((p) => p.turn.sessionId === turn.sessionId && p.undoneBy === null && isAmong(p.path, paths))
  const made = new Set(gone.filter((p) => p.isNew).map((p) => p.path))
  const lost = gone.filter((p) => made.has(p.path) && !wasMoved(p, turn))
  undo(lost, turn)
}

function reset(replay: Replay, turn: TurnWork, to: string): void {
  const { folder } = turn
  undo(atRisk(replay, turn, null), turn)
  if (/^(?:ORIG_HEAD|HEAD@\{1\})$/.test(to)) {
    if (replay.lastReset?.folder === folder) revive(replay, replay.lastReset.commits)
    return
  }
  const gone = commitsAfter(replay, folder, to)
  const returned = replay.commits.filter((c) => c.folder === folder && c.isUndone && isHash(c.hash, to))
  revive(replay, returned)
  if (gone.length === 0) return
  undoCommits(replay, gone, turn)
  replay.lastReset = { folder, commits: gone }
}

function uncommit(replay: Replay, turn: TurnWork, to: string): void {
  const gone = commitsAfter(replay, turn.folder, to)
  for (const piece of ofCommits(replay, gone)) piece.commit = null
  replay.commits = replay.commits.filter((record) => !gone.includes(record))
}

function revert(replay: Replay, turn: TurnWork, { target, hash }: Extract<WorkStep, { kind: 'revert' }>): void {
  const living = livingCommits(replay, turn.folder)
  const back = stepsBack(target)
  const found = back === null ? living.find((c) => isHash(c.hash, target)) : living.at(-1 - back)
  if (found) undoCommits(replay, [found], turn)
  replay.commits.push({ folder: turn.folder, hash, isUndone: false, reverts: found ?? null })
}

function stash(replay: Replay, turn: TurnWork, { paths, takesNew }: Extract<WorkStep, { kind: 'stash' }>): void {
  const entry = { folder: turn.folder, wasApplied: false }
  const taken = atRisk(replay, turn, paths).filter((p) => !p.isNew || p.isStaged || takesNew === true)
  for (const piece of taken) piece.stash = entry
  replay.stashes.push(entry)
}

function unstash(replay: Replay, turn: TurnWork, keeps: boolean): void {
  const entry = replay.stashes.findLast((s) => s.folder === turn.folder)
  if (!entry) return
  entry.wasApplied = true
  for (const piece of replay.pieces) if (piece.stash === entry) piece.stash = null
  if (!keeps) replay.stashes = replay.stashes.filter((other) => other !== entry)
}

function dropStash(replay: Replay, turn: TurnWork, all: boolean): void {
  const own = replay.stashes.filter((s) => s.folder === turn.folder)
  for (const entry of all ? own : own.slice(-1)) {
    const kept = replay.pieces.filter((p) => p.stash === entry)
    if (!entry.wasApplied) undo(kept, turn)
    for (const piece of kept) piece.stash = null
    replay.stashes = replay.stashes.filter((other) => other !== entry)
  }
}

function sayUndone(replay: Replay, turn: TurnWork, all: boolean): void {
  const last = lastWork(replay, turn)
  const own = replay.pieces.filter((p) => p.turn.sessionId === turn.sessionId && p.turn !== turn && p.undoneBy === null)
  const meant = own.filter((p) => (all ? p.commit === null : p.turn === last))
  undo(meant, turn)
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

function isTakenBack(piece: Piece, turn: TurnWork, lines: Map<string, number>): boolean {
  const total = weight(piece.lines.values())
  if (total === 0 || weight(piece.left.values()) > total * (1 - TAKEN_BACK_RATIO)) return false
  if (![...lines].some(([line, n]) => Math.sign(piece.lines.get(line) ?? 0) === -Math.sign(n))) return false
  const restores = [...piece.lines].some(([, n]) => n < 0)
  const added = [...lines].filter(([line, n]) => n > 0 && (piece.lines.get(line) ?? 0) >= 0).map(([, n]) => n)
  if (!restores && weight(added) > total * REWRITTEN_RATIO) return false
  return !wasMoved(piece, turn)
}

/** Whether the turn added the same lines to another file. */
function wasMoved({ path, lines }: Pick<Piece, 'path' | 'lines'>, turn: TurnWork): boolean {
  const elsewhere = turn.steps.flatMap((step) => (step.kind === 'edit' && step.path !== path ? step.lines : []))
  const received = new Set(elsewhere.filter(([, n]) => n > 0).map(([line]) => line))
  const added = new Map([...lines].filter(([, n]) => n > 0))
  return added.size > 0 && share(added, (line) => received.has(line)) >= MOVED_RATIO
}

/** Whether the code among changed files is undone, or all of them if none is code: text about undone work often stays, in other words. */
export function areUndone(undone: Map<string, string>, changed: string[]): boolean {
  const code = changed.filter((path) => !/\.(?:md|mdx|rst|adoc|txt)$/i.test(path))
  return (code.length > 0 ? code : changed).every((path) => undone.has(path))
}

function summarize(pieces: Piece[]): Map<number, UndoneTurn> {
  const found = new Map<number, UndoneTurn>()
  for (const [id, own] of Map.groupBy(pieces, (piece) => piece.turn.id)) {
    const byPath = [...Map.groupBy(own, (piece) => piece.path)]
    const undone = byPath.filter(([, parts]) => parts.every((part) => part.undoneBy !== null))
    const files = new Map(undone.map(([path, parts]) => [path, parts.at(-1)?.undoneBy ?? '']))
    const by = [...files.values()].at(-1)
    if (by)
      found.set(id, {
        files,
        isWhole: areUndone(
          files,
          byPath.map(([path]) => path),
        ),
        by,
      })
  }
  return found
}
