import type { BackupHeader, HomeContents } from '../backup/backup.ts'
import { formatAgo } from '../core/time-format.ts'
import { homePaths } from '../platform/paths.ts'
import { keepFilesPrivate } from '../platform/processes.ts'
import { reportingFailures, requireFile, stopOnSignal, storedWords } from './backups.ts'
import { startWorkerOrExplain } from './call.ts'
import { stopWorker } from './commands/stop.ts'
import { confirmed } from './confirm.ts'
import { bold, CliError, dim, plural, print, printJson, progressBar, yellow } from './print.ts'

type RestoreFlags = { 'dry-run'?: boolean | undefined; yes?: boolean | undefined; json?: boolean | undefined }

/** Restores a home from a backup: shows what it replaces, asks, and starts the worker again if it was running. */
export async function restoreFromBackup(file: string, flags: RestoreFlags): Promise<undefined> {
  requireFile(file)
  const { homeContents, readHeader, restoreBackup, verifyBackup } = await import('../backup/backup.ts')
  const home = homePaths()
  const header = await reportingFailures(() => readHeader(file))
  const replaced = homeContents(home)
  const preview = previewOf(file, header, home.folder, replaced)
  const bar = progressBar('Restoring')
  if (flags['dry-run']) {
    await reportingFailures(() => verifyBackup(file, bar.at)).finally(bar.end)
    if (flags.json) return printJson({ wouldRestore: { file, ...header }, replaces: replaced })
    return print(`${preview}\nThe backup is complete. Nothing was changed.`)
  }
  if (!flags.json) print(preview)
  if (!replaced.isEmpty && !flags.yes && !(await confirmed('Replace them?'))) return print('Nothing was changed.')
  keepFilesPrivate()
  let wasRunning = false
  const stop = async () => {
    wasRunning = (await stopWorker()) || wasRunning
  }
  const run = { now: Date.now(), progress: bar.at, signal: stopOnSignal(), stopWorker: stop }
  const { setAside, problems } = await reportingFailures(() => restoreBackup(home, file, run)).finally(bar.end)
  const missing = wasRunning ? await startWorkerOrExplain(home) : null
  if (flags.json)
    printJson({ restored: { file, ...header }, setAside, problems, worker: missing ? 'failed' : wasRunning ? 'running' : 'off' })
  else {
    print(`${bold('Restored')} ${storedWords(header.stored)}.`)
    for (const problem of problems) print(yellow(problem))
    if (setAside) print(`The replaced data is in ${setAside}. When you no longer need it, delete it: rm -r ${quoted(setAside)}`)
    if (!wasRunning) print(dim('The worker is off; it starts with the next session or command.'))
  }
  if (missing) throw new CliError(`the backup was restored, but ${missing.advice}`, missing.exit)
}

function previewOf(file: string, { madeAt, version, machine, stored }: BackupHeader, home: string, replaced: HomeContents): string {
  const when = `${new Date(madeAt).toLocaleString('sv')} (${formatAgo(madeAt, Date.now())})`
  const backup = `${file}\n  made ${when} on ${machine} with Recollect ${version}: ${storedWords(stored)}`
  if (replaced.isEmpty) return `${backup}\n${home} is empty, so nothing is replaced.`
  const database = replaced.stored ? storedWords(replaced.stored) : 'a database that cannot be read'
  const settings = replaced.settings.length > 0 ? `, ${replaced.settings.join(', ')}` : ''
  return `${backup}\nReplaces in ${home}\n  ${database}, ${plural(replaced.noteFiles, 'note file')}${settings}\n  They are moved to a folder in it, not deleted.`
}

const quoted = (path: string) => (/^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`)
