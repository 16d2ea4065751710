import { stat } from 'node:fs'

/**
 * Folders that do not answer, such as those on a network disk whose server is gone. A call that touches one returns when the server does, which may be
 * never, and until then the whole process would wait. So a folder from outside is first looked at here, and then treated as if it were not there.
 */
const silent = new Set<string>()
const lookedAt = new Map<string, number>()
/** Looks that somebody waits for. */
const looks = new Map<string, Promise<void>>()
/** Looks that have not come back. They may stay for as long as the disk is silent. */
const pending = new Set<string>()

/** A slow disk that must start up first answers in this time. */
const MAX_ANSWER_MS = 2000
/** The longest wait on a machine that is slow everywhere. */
const MAX_BUSY_MS = 10_000
const LOOK_AGAIN_AFTER_MS = 5000
const MAX_REMEMBERED_FOLDERS = 1000
/** Even a killed process may wait for a dead disk, so there are never many. */
const MAX_PENDING = 8

/** True for a folder that did not answer when it was last looked at, and for everything below it. */
export function isSilent(path: string): boolean {
  if (silent.size === 0) return false
  for (const folder of silent) if (path === folder || path.startsWith(`${folder}/`)) return true
  return false
}

/** Looks at folders, so that `isSilent` knows about them. Waits a moment for one that does not answer, and only now and then for the same one. */
export async function lookAtFolders(folders: Iterable<string | null | undefined>): Promise<void> {
  for (const folder of new Set(folders)) {
    if (!folder?.startsWith('/')) continue
    if (isDue(folder)) looks.set(folder, lookAt(folder))
    await looks.get(folder)
  }
}

function isDue(folder: string): boolean {
  if (looks.has(folder) || pending.has(folder) || (isSilent(folder) && !silent.has(folder))) return false
  return performance.now() - (lookedAt.get(folder) ?? Number.NEGATIVE_INFINITY) > LOOK_AGAIN_AFTER_MS
}

async function lookAt(folder: string): Promise<void> {
  const isCrowded = pending.size >= MAX_PENDING
  if (isCrowded || !(await answers(folder))) silent.add(folder)
  if (lookedAt.size > MAX_REMEMBERED_FOLDERS) lookedAt.clear()
  lookedAt.set(folder, performance.now())
  looks.delete(folder)
}

/**
 * A thread that waits for a silent folder is lost, and there are few: when one is, other programs do the waiting. None of them is waited for much longer
 * than the time allows, because not even SIGKILL ends every process in such a wait.
 */
async function answers(folder: string): Promise<boolean> {
  const isThreadLost = pending.size > 0
  pending.add(folder)
  const { answered, end } = isThreadLost ? lookWithProgram(folder) : lookWithThread(folder)
  let [isAnswered, isGivenUp] = [false, false]
  const done = answered.then(() => {
    isAnswered = true
    pending.delete(folder)
    if (!isGivenUp || !isThreadLost) silent.delete(folder)
  })
  // A busy machine is slow everywhere: the time counts from when the root folder has answered.
  const root = isThreadLost ? lookWithProgram('/') : lookWithThread('/')
  await within(MAX_BUSY_MS, Promise.race([done, root.answered]))
  if (!isAnswered) await within(MAX_ANSWER_MS, done)
  // If this process was busy, the answer may have come and not been seen.
  if (!isAnswered) await within(100, done)
  isGivenUp = !isAnswered
  if (isGivenUp) end()
  root.end()
  return isAnswered
}

/** Waits for work, but not longer than this. */
async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([work, late])
  clearTimeout(timer)
}

type Look = { answered: Promise<void>; end(): void }

/** That there is nothing is an answer too. */
const lookWithThread = (folder: string): Look => ({ answered: new Promise((resolve) => stat(folder, () => resolve())), end: ignore })

function lookWithProgram(folder: string): Look {
  const child = Bun.spawn(['stat', '--', folder], { stdio: ['ignore', 'ignore', 'ignore'] })
  return { answered: child.exited.then(ignore, ignore), end: () => child.kill('SIGKILL') }
}

function ignore(): void {}
