import type { RequestOf } from '../../wire/contract/contract.ts'
import type { RedistillReport } from '../../wire/contract/upkeep.ts'
import { callLines } from '../call.ts'
import { json, project } from '../command.ts'
import { defineCommand } from '../parse.ts'
import { CliError, dim, EXIT, green, invalidInput, plural, print, printJson, progressBar, yellow } from '../print.ts'

export const command = defineCommand({
  name: 'redistill',
  summary: 'distill old turns again, with the text model',
  usage: `recollect redistill --since DATE [--project P] [--apply] [--json]

  For turns that were distilled by rules, without a model. Prints how many turns there are and what they could cost, and changes nothing.
  With --apply each turn's memories are replaced at once and get new ids. Very short turns, and turns whose tool uses are no longer stored,
  are not changed.`,
  words: null,
  options: {
    since: { type: 'string', value: 'DATE', about: 'turns since then: 2026-03-01, 7d, yesterday, "last week"' },
    project,
    apply: { type: 'boolean', about: 'do it; if it is interrupted, run it again to continue' },
    json,
  },
  async run({ values }) {
    if (values.since === undefined) throw invalidInput('since when? recollect redistill --since 7d, or a date such as 2026-03-01')
    const report = await follow({ since: values.since, project: values.project ?? null, apply: values.apply ?? false })
    if (values.json) printJson(report)
    else printReport(report)
    return report.messages.length > 0 ? EXIT.error : EXIT.done
  },
})

async function follow(request: RequestOf<'POST /api/redistill'>): Promise<RedistillReport> {
  const bar = progressBar('Distilling')
  try {
    for await (const line of callLines('POST /api/redistill', request)) {
      if (line.kind === 'progress') bar.at(line.done, line.of, line.what)
      else if (line.kind === 'failed') throw new CliError(line.error)
      else return line.report
    }
  } finally {
    bar.end()
  }
  throw new CliError('the worker stopped before it was done. Run the command again to continue; finished turns are stored.')
}

function printReport(report: RedistillReport): undefined {
  if (!report.applied) return printPlan(report)
  print(`${green('Distilled')} ${plural(report.turns, 'turn')} with ${report.model}.`)
  if (report.replaced > 0) print(dim(`${plural(report.replaced, 'observation')} replaced by ${report.added} new ones.`))
  if (report.failed > 0) print(yellow(`${plural(report.failed, 'turn')} failed and were not changed.`))
  for (const sentence of report.messages) print(yellow(sentence))
}

function printPlan({ turns, skipped, model, usd, inputTokens }: RedistillReport): undefined {
  const remark = skipped > 0 ? ` ${plural(skipped, 'turn')} would be skipped as too short.` : ''
  if (turns === 0) return print(`Nothing to distill again.${remark}`)
  const cost = usd === null ? `; the price of ${model} is unknown` : `, at most $${usd.toFixed(4)}`
  print(`Would distill ${plural(turns, 'turn')} again with ${model}: about ${inputTokens.toLocaleString('en')} tokens${cost}.${remark}`)
  print(dim('Nothing was changed. Pass --apply to do it; the observations of these turns get new ids.'))
}
