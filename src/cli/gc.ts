import type { CleanUpLine, CleanUpReport } from '../wire/api.ts'
import { askLines, post } from './ask.ts'
import { parse } from './parse.ts'
import { CliError, dim, formatBytes, green, plural, progressBar, say, sayJson, table, yellow } from './print.ts'

export async function run(args: string[]): Promise<undefined> {
  const { values } = parse('gc', args)
  const report = await follow(values['dry-run'] ?? false)
  if (values.json) return sayJson(report)
  sayReport(report)
}

async function follow(dryRun: boolean): Promise<CleanUpReport> {
  const bar = progressBar('Cleaning up')
  try {
    for await (const line of askLines<CleanUpLine>('/api/gc', post({ dryRun }))) {
      if (line.kind === 'progress') bar.at(line.done, line.of, line.what)
      else if (line.kind === 'failed') throw new CliError(line.error)
      else return line.report
    }
  } finally {
    bar.end()
  }
  throw new CliError('the worker went away meanwhile. Run it again to go on.')
}

function sayReport(report: CleanUpReport): void {
  const past = report.kinds.filter(({ rows }) => rows > 0)
  if (past.length > 0) say(table(past.map(({ kind, rows, bytes }) => [kind, rows.toLocaleString('en'), formatBytes(bytes)])))
  const rows = past.reduce((sum, kind) => sum + kind.rows, 0)
  for (const sentence of report.messages) say(yellow(sentence))
  const free = report.freeBytes > 0 ? `, ${formatBytes(report.freeBytes)} of it free to be filled again` : ''
  if (report.dryRun) {
    say(rows === 0 ? 'Nothing is past its time.' : `Would let go of ${plural(rows, 'row')}. Nothing was removed.`)
    say(
      dim(
        `The database is ${formatBytes(report.bytesBefore)}${free}: ${report.parts.map(({ name, bytes }) => `${name} ${formatBytes(bytes)}`).join(', ')}.`,
      ),
    )
  } else {
    say(rows === 0 ? 'Nothing was past its time.' : `${green('Let go')} of ${plural(rows, 'row')}.`)
    say(dim(`The database was ${formatBytes(report.bytesBefore)} and is ${formatBytes(report.bytesAfter)}${free}.`))
  }
}
