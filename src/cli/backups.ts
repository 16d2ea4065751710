import { basename, resolve } from 'node:path'
import type { StoredAmounts } from '../backup/backup.ts'
import { isFolder, statIfThere } from '../platform/files.ts'
import { CliError, EXIT, invalidInput, plural } from './print.ts'

export const BACKUP_EXTENSION = '.tar.gz'

/**
 * The backup that the arguments of `restore` name, or null if they are ids of memories. A path, a name with the extension of a backup, and the
 * name of an existing file are files; a name that could be both is refused.
 */
export function backupFileIn(words: string[]): string | null {
  const files = words.filter(isFile)
  const [file] = files
  if (file === undefined) return null
  const looksLikeId = /^#?\d+$|^[A-Z]?\d+$|^N?[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.test(file)
  if (looksLikeId)
    throw invalidInput(
      `"${file}" is a file here and could be the id of a memory; write ./${file} for the file, or run this in another folder`,
    )
  if (words.length > 1) throw invalidInput(`${file} is a backup; restore one backup alone, or memories by their ids`)
  return resolve(file)
}

const isFile = (word: string) =>
  word.includes('/') || word.toLowerCase().endsWith(BACKUP_EXTENSION) || statIfThere(resolve(word))?.isFile() === true

/** A backup that exists; the error says what is there instead. */
export function requireFile(file: string): void {
  if (isFolder(file)) throw invalidInput(`${file} is a folder; pass the file that 'recollect backup' wrote`)
  if (!statIfThere(file)?.isFile()) throw invalidInput(`${basename(file)} does not exist or is not a regular file (${file})`)
}

/** The amounts in words, without those that are 0. */
export function storedWords({ sessions, prompts, observations, summaries, notes }: StoredAmounts): string {
  const parts = [
    [sessions, 'session'],
    [prompts, 'prompt'],
    [observations, 'observation'],
    [summaries, 'summary', 'summaries'],
    [notes, 'note'],
  ] as [number, string, string?][]
  const words = parts.filter(([count]) => count > 0).map(([count, one, many]) => plural(count, one, many))
  return words.length > 0 ? words.join(', ') : 'no memories'
}

/** Runs a backup or a restore and turns its expected failures into errors for a person. */
export async function reportingFailures<T>(work: () => Promise<T>): Promise<T> {
  const { BackupFailure, CorruptDatabase } = await import('../backup/backup.ts')
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof BackupFailure) throw new CliError(cause.message)
    if (cause instanceof CorruptDatabase) throw new CliError(`${cause.message}; run 'recollect doctor' to repair it`, EXIT.database)
    if ((cause as Error).name === 'AbortError') throw new CliError('stopped. Nothing was changed.')
    throw cause
  }
}

/** Aborts when the person presses Ctrl-C, so that temporary files are removed. */
export function stopOnSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stopping.abort())
  return stopping.signal
}
