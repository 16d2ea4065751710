import { asProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import { shorten } from '../core/text.ts'
import type { ConsolidationLine, ConsolidationReport, PlannedGroup, UndoReport } from '../wire/api.ts'
import { askLines, post } from './ask.ts'
import { currentProject } from './current-project.ts'
import { parse } from './parse.ts'
import { bold, CliError, dim, EXIT, green, plural, progressBar, say, sayJson, yellow } from './print.ts'

export function run(args: string[]): Promise<number> {
  return planOrApply('consolidate', args)
}

/** Shows what would become of the notes; with --apply it does it, with --undo it takes it back. */
export async function planOrApply(kind: ConsolidationReport['kind'], args: string[]): Promise<number> {
  const { values, positionals } = parse(kind, args)
  if (values.apply && values.undo) throw new CliError('--apply and --undo are two different things', EXIT.invalid)
  if (positionals.length > (values.undo ? 1 : 0))
    throw new CliError(`"${positionals.at(-1)}" is too much; 'recollect help ${kind}' shows what it takes`, EXIT.invalid)
  const undo = positionals[0] === undefined ? (values.undo ?? false) : Number(positionals[0])
  if (typeof undo === 'number' && !(Number.isInteger(undo) && undo > 0)) throw new CliError('a plan is named by its number', EXIT.invalid)
  const project = values.all ? null : (values.project ?? currentProject())
  const done = await follow(kind, { apply: values.apply ?? false, undo, project })
  if (values.json) sayJson(done.report)
  else if (done.kind === 'undone') sayUndone(done.report)
  else sayReport(done.report)
  return done.kind === 'done' && done.report.outcome === 'replanned' ? EXIT.error : EXIT.done
}

type ConsolidationEnd = Extract<ConsolidationLine, { kind: 'done' | 'undone' }>

async function follow(kind: ConsolidationReport['kind'], wish: object): Promise<ConsolidationEnd> {
  const bar = progressBar(kind === 'reflect' ? 'Reflecting' : 'Consolidating')
  try {
    for await (const line of askLines<ConsolidationLine>(`/api/${kind}`, post(wish))) {
      if (line.kind === 'progress') bar.at(line.done, line.of, line.what)
      else if (line.kind === 'failed') throw new CliError(line.error)
      else return line
    }
  } finally {
    bar.end()
  }
  throw new CliError('the worker went away meanwhile. Run it again; what was written can be undone.')
}

function sayUndone({ plan, restored, edited }: UndoReport): void {
  say(`${green('Undone')}: plan ${plan}, ${plural(restored, 'note')} as before.`)
  for (const { id, title } of edited) say(yellow(`  N${id} was edited since and stays as it is: ${shorten(title, 80)}`))
}

function sayReport(report: ConsolidationReport): undefined {
  const { groups, outcome, kind, plan } = report
  const [open, refused] = [groups.filter((group) => group.refused === null), groups.filter((group) => group.refused !== null)]
  for (const group of groups) sayGroup(group, report.project === null)
  for (const sentence of report.messages) say(yellow(sentence))
  if (report.usage.input + report.usage.output > 0) {
    say(
      dim(
        `${report.model}: ${report.usage.input.toLocaleString('en')} tokens in (${report.usage.cached.toLocaleString('en')} cached), ${report.usage.output.toLocaleString('en')} out.`,
      ),
    )
  }
  const kept = refused.length > 0 ? `, ${plural(refused.length, 'group')} refused` : ''
  if (open.length === 0) return say(`Nothing to ${kind === 'reflect' ? 'reflect on' : 'consolidate'}${kept}.`)
  switch (outcome) {
    case 'applied':
      return say(
        `${green('Applied')}: plan ${plan}, ${plural(open.length, 'group')}${kept}. 'recollect ${kind} --undo ${plan}' takes it back for 30 days.`,
      )
    case 'replanned':
      return say(
        yellow(`Notes have changed since the plan was shown, so this one was made anew and nothing was written. Run --apply again.`),
      )
    case 'planned':
      return say(dim(`\n${plural(open.length, 'group')}${kept}. Nothing was written: --apply does exactly this.`))
  }
}

const GROUP_LABELS: Record<PlannedGroup['how'], string> = {
  same: 'the same',
  near: 'nearly the same',
  merged: 'merged',
  reflected: 'reflected',
}

function sayGroup(group: PlannedGroup, withProject: boolean): void {
  const where = withProject ? dim(`  ${projectName(asProjectKey(group.project))}`) : ''
  say(`${bold(GROUP_LABELS[group.how])}${where}  ${dim(group.reason)}`)
  if (group.stays) say(`  stays  N${group.stays.id}  ${shorten(group.stays.title, 90)}`)
  for (const made of group.makes) {
    say(`  new    ${bold(shorten(made.title, 90))} ${dim(`(${made.namespace})`)}`)
    for (const line of made.body.split('\n')) say(`         ${line}`)
  }
  for (const { id, title } of group.hides) say(`  hides  N${id}  ${shorten(title, 90)}`)
  for (const { id, title } of group.reflects) say(dim(`  done   N${id}  ${shorten(title, 90)}`))
  if (group.refused) say(yellow(`  refused: ${group.refused}`))
}
