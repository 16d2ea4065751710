import { join, resolve } from 'node:path'
import { fileKindAt, isFolder } from '../../platform/files.ts'
import { type Home, homePaths } from '../../platform/paths.ts'
import { keepFilesPrivate } from '../../platform/processes.ts'
import { BACKUP_EXTENSION, reportingFailures, stopOnSignal, storedWords } from '../backups.ts'
import { json } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { dim, formatBytes, invalidInput, plural, print, printJson, progressBar, yellow } from '../print.ts'

export const command = defineCommand({
  name: 'backup',
  summary: 'save all memories, notes and settings in one file',
  usage: `recollect backup <file> [--force] [--json]

  The worker can keep running. The file is readable only by you and is verified after it was written. If <file> is a folder, the backup gets
  a name with the date. To bring it back: recollect restore <file>`,
  words: '<file>',
  options: { force: { type: 'boolean', about: 'replace the file if it exists' }, json },
  async run({ values, positionals }) {
    const [given, ...others] = positionals
    if (given === undefined || others.length > 0)
      throw invalidInput(`one file, please: recollect backup <file>, for example recollect backup memories${BACKUP_EXTENSION}`)
    const home = homePaths()
    const now = Date.now()
    const file = chooseFile(home, given, now, values.force ?? false)
    keepFilesPrivate()
    const { backUp } = await import('../../backup/backup.ts')
    const bar = progressBar('Backing up')
    const report = await reportingFailures(() => backUp(home, file, { now, progress: bar.at, signal: stopOnSignal() })).finally(bar.end)
    if (values.json) {
      const { header, ...rest } = report
      return printJson({ ...rest, ...header })
    }
    print(`Saved ${storedWords(report.header.stored)} and your settings in ${file} (${formatBytes(report.bytes)}).`)
    for (const problem of report.problems) print(yellow(problem))
    const [skipped] = report.skipped
    if (skipped)
      print(
        dim(`Not in the backup: ${plural(report.skipped.length, 'link or special file', 'links and special files')} such as ${skipped}.`),
      )
    print(dim(`To bring it back, also on another machine: recollect restore ${file}`))
  },
})

function chooseFile(home: Home, given: string, now: number, force: boolean): string {
  const date = new Date(now).toISOString().slice(0, 19).replaceAll(':', '')
  const named = resolve(given)
  const file = isFolder(named) ? join(named, `recollect-${date}${BACKUP_EXTENSION}`) : named
  if (`${file}/`.startsWith(`${home.folder}/`)) throw invalidInput(`${file} is inside the home; choose a file outside ${home.folder}`)
  if (!isFolder(join(file, '..'))) throw invalidInput(`the folder of ${file} does not exist; create it first`)
  const kind = fileKindAt(file)
  if (kind !== null && kind !== 'file') throw invalidInput(`${file} is not a regular file; choose another name`)
  if (kind === 'file' && !force) throw invalidInput(`${file} exists; choose another name, or pass --force to replace it`)
  return file
}
