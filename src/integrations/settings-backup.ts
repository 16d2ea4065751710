import { basename, dirname, join } from 'node:path'
import { writeFileAtomically } from '../platform/files.ts'
import { filesIn, removeFile } from '../platform/folder.ts'

const MAX_BACKUPS = 5

/** Saves the text beside its file, with the time in its name, and deletes old backups except the first. */
export function keepBackup(file: string, text: string, now: Date): string {
  const prefix = `${basename(file)}.recollect-backup-`
  const time = now.toISOString().replace(/\.\d+|[-:]/g, '')
  const backups = filesIn(dirname(file), '').filter((entry) => entry.name.startsWith(prefix))
  // A second backup in the same second must not replace the first, which has the older text.
  const ofThisSecond = backups.filter((entry) => entry.name.startsWith(prefix + time)).length
  const backup = join(dirname(file), prefix + time + (ofThisSecond > 0 ? `-${ofThisSecond + 1}` : ''))
  writeFileAtomically(backup, text)
  // The first backup is the person's file before we changed anything, so it always stays.
  for (const old of backups.slice(1, Math.max(1, backups.length + 2 - MAX_BACKUPS))) removeFile(old.path)
  return backup
}
