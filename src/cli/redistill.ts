import type { RedistillLine, RedistillReport } from '../wire/api.ts'
import { askLines, post } from './ask.ts'
import { parse } from './parse.ts'
import { CliError, dim, EXIT, green, plural, progressBar, say, sayJson, yellow } from './print.ts'

export async function run(args: string[]): Promise<number> {
  const { values } = parse('redistill', args)
  if (values.since === undefined) throw new CliError('say since when: recollect redistill --since 7d (or a date)', EXIT.invalid)
  const report = await follow({ since: values.since, project: values.project ?? null, apply: values.apply ?? false })
  if (values.json) sayJson(report)
  else sayReport(report)
  return report.messages.length > 0 ? EXIT.error : EXIT.done
}

async function follow(wish: object): Promise<RedistillReport> {
  const bar = progressBar('Telling again')
  try {
    for await (const line of askLines<RedistillLine>('/api/redistill', post(wish))) {
      if (line.kind === 'progress') bar.at(line.done, line.of, line.what)
      else if (line.kind === 'failed') throw new CliError(line.error)
      else return line.report
    }
  } finally {
    bar.end()
  }
  throw new CliError('the worker went away meanwhile. Run it again to go on; what was told stays.')
}

function sayReport(report: RedistillReport): void {
  const left = report.skipped > 0 ? ` ${plural(report.skipped, 'other')} would stay: too short to be worth the question.` : ''
  if (!report.applied) {
    if (report.turns === 0) {
      say(`Nothing to tell again.${left}`)
      return
    }
    const money = report.usd === null ? `, at a price that is not known (${report.model})` : `, at most $${report.usd.toFixed(4)}`
    say(
      `Would have ${report.model} tell ${plural(report.turns, 'turn')} again: about ${report.inputTokens.toLocaleString('en')} tokens${money}.${left}`,
    )
    say(dim('Nothing was changed. --apply does it; the observations of these turns get new ids.'))
    return
  }
  say(`${green('Told again')}: ${plural(report.turns, 'turn')} by ${report.model}.`)
  if (report.replaced > 0) say(dim(`${plural(report.replaced, 'observation')} with their ids went, ${report.added} came in their place.`))
  if (report.failed > 0) say(yellow(`${plural(report.failed, 'turn')} could not be told and stay as they were.`))
  for (const sentence of report.messages) say(yellow(sentence))
}
