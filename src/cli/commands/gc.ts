import type { CleanUpReport } from '../../wire/contract/upkeep.ts'
import { callLines } from '../call.ts'
import { json } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { CliError, dim, formatBytes, green, plural, print, printJson, printTable, progressBar, yellow } from '../print.ts'

export const command = defineCommand({
  name: 'gc',
  summary: 'delete expired data and free disk space',
  usage: `recollect gc [--dry-run] [--json]

  Deletes expired tool uses, forgotten notes, injections and log rows (retention.* in the settings) at once; the worker otherwise deletes a
  little every hour. Memories stay: only the data they were made from and forgotten memories are deleted.`,
  words: null,
  options: { 'dry-run': { type: 'boolean', about: 'count what would be deleted, by kind, and delete nothing' }, json },
  async run({ values }) {
    const report = await follow(values['dry-run'] ?? false)
    return values.json ? printJson(report) : printReport(report)
  },
})

async function follow(dryRun: boolean): Promise<CleanUpReport> {
  const bar = progressBar('Cleaning up')
  try {
    for await (const line of callLines('POST /api/gc', { dryRun })) {
      if (line.kind === 'progress') bar.at(line.done, line.of, line.what)
      else if (line.kind === 'failed') throw new CliError(line.error)
      else return line.report
    }
  } finally {
    bar.end()
  }
  throw new CliError("the worker stopped before it was done. Run 'recollect gc' again to continue.")
}

function printReport(report: CleanUpReport): undefined {
  const expired = report.kinds.filter(({ rows }) => rows > 0)
  if (expired.length > 0) printTable(expired.map(({ kind, rows, bytes }) => [kind, rows.toLocaleString('en'), formatBytes(bytes)]))
  const rows = expired.reduce((sum, kind) => sum + kind.rows, 0)
  for (const sentence of report.messages) print(yellow(sentence))
  const free = report.freeBytes > 0 ? `, ${formatBytes(report.freeBytes)} of it unused` : ''
  if (report.dryRun) {
    const parts = report.parts.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`).join(', ')
    print(rows === 0 ? 'Nothing has expired.' : `Would delete ${plural(rows, 'row')}. Nothing was deleted.`)
    print(dim(`The database is ${formatBytes(report.bytesBefore)}${free}: ${parts}.`))
  } else {
    print(rows === 0 ? 'Nothing had expired.' : `${green('Deleted')} ${plural(rows, 'row')}.`)
    print(dim(`The database was ${formatBytes(report.bytesBefore)} and is now ${formatBytes(report.bytesAfter)}${free}.`))
  }
}
