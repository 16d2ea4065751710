import { join } from 'node:path'
import { ensurePrivateFolder, exists, fileKindAt, moveFile } from '../platform/files.ts'
import { fileNamesIn, removeTree } from '../platform/folder.ts'
import { type Home, REPLACED_PREFIX } from '../platform/paths.ts'
import { DATABASE_FILE, NOTE_FOLDERS, SETTINGS_FILES, SETTINGS_FOLDER, SPOOL_FOLDER } from './contents.ts'

/** The entries of a home that a restore replaces. The log of the database goes first: it must not be taken for the log of another database. */
const REPLACED = [...['-wal', '-shm', ''].map((suffix) => DATABASE_FILE + suffix), ...SETTINGS_FILES, SETTINGS_FOLDER, ...NOTE_FOLDERS]

/** The unpacked backup inside the folder that becomes `incoming`. It is renamed to `ready` once everything it replaces has been moved out of its way. */
export const UNPACKED = 'new'
const READY = 'ready'

/**
 * Puts an unpacked backup in place of the home's data, and moves that data to a folder of its own. The caller holds the worker's lock. From the first
 * rename on, the restore will be completed: if the process is killed, the next worker or restore calls `finishRestore`. Returns the folder with
 * the replaced data.
 */
export function putInPlace(home: Home, unpacked: string, now: number): string | null {
  finishRestore(home, now)
  moveFile(unpacked, home.incoming)
  return finishRestore(home, now)
}

/** Completes a restore that was begun. Null when there was none. */
export function finishRestore(home: Home, now: number): string | null {
  const steps = restoreSteps(home, now)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The steps of a restore. Whoever starts again from the beginning after any of them arrives at the same result. */
export function* restoreSteps(home: Home, now: number): Generator<string, string | null> {
  if (!exists(home.incoming)) return null
  const [unpacked, ready] = [join(home.incoming, UNPACKED), join(home.incoming, READY)]
  if (exists(unpacked)) {
    for (const name of REPLACED) if (setAside(home, name)) yield `set ${name} aside`
    moveFile(unpacked, ready)
    yield 'everything is set aside'
  }
  for (const name of REPLACED) {
    if (fileKindAt(join(ready, name)) === null) continue
    setAside(home, name)
    moveFile(join(ready, name), join(home.folder, name))
    yield `restored ${name}`
  }
  // Payloads of sessions that are running now stay where they are.
  ensurePrivateFolder(home.spool)
  for (const name of fileNamesIn(join(ready, SPOOL_FOLDER), '.json')) {
    moveFile(join(ready, SPOOL_FOLDER, name), join(home.spool, name))
    yield `restored ${SPOOL_FOLDER}/${name}`
  }
  removeTree(ready)
  yield 'everything is restored'
  const replaced = join(home.folder, `${REPLACED_PREFIX}${new Date(now).toISOString().replace(/[:.]/g, '-')}`)
  moveFile(home.incoming, replaced)
  return replaced
}

/** Moves an entry of the home into `incoming`. One that someone made after the first was moved gets a name of its own. */
function setAside(home: Home, name: string): boolean {
  const current = join(home.folder, name)
  if (fileKindAt(current) === null) return false
  const aside = join(home.incoming, name)
  moveFile(current, fileKindAt(aside) === null ? aside : `${aside}.${crypto.randomUUID()}`)
  return true
}
