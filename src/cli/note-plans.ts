import { asProjectKey } from '../core/ids.ts'
import { projectName } from '../core/project.ts'
import { shorten } from '../core/text.ts'
import type { RequestOf } from '../wire/contract/contract.ts'
import type { ConsolidationLine, ConsolidationReport, PlannedGroup, UndoReport } from '../wire/contract/upkeep.ts'
import { callLines } from './call.ts'
import { currentProject } from './current-project.ts'
import { seeHelp } from './parse.ts'
import { bold, CliError, dim, EXIT, green, invalidInput, plural, print, printJson, progressBar, yellow } from './print.ts'

/** Options of `consolidate` and `reflect`. */
export const planOptions = {
  apply: { type: 'boolean', about: 'carry out the plan; if notes have changed since, print a new plan instead' },
  undo: { type: 'boolean', about: 'undo the last applied plan, or the given one, within 30 days' },
  all: { type: 'boolean', about: 'use the notes of all projects' },
} as const

type PlanArguments = {
  values: {
    apply?: boolean | undefined
    undo?: boolean | undefined
    all?: boolean | undefined
    project?: string | undefined
    json?: boolean | undefined
  }
  positionals: string[]
}

/** Prints a plan for the notes; with --apply carries it out, with --undo takes it back. */
export async function planOrApply(kind: ConsolidationReport['kind'], { values, positionals }: PlanArguments): Promise<number> {
  const [plan, ...more] = positionals
  if (values.apply && values.undo) throw invalidInput('pass --apply or --undo, not both')
  const unexpected = values.undo ? more[0] : plan
  if (unexpected !== undefined) throw invalidInput(`unexpected argument "${unexpected}"; ${seeHelp(kind)}`)
  if (plan !== undefined && !/^[1-9]\d{0,14}$/.test(plan))
    throw invalidInput(`--undo needs the number of a plan, not "${plan}": recollect ${kind} --undo 3`)
  const undo = plan === undefined ? (values.undo ?? false) : Number(plan)
  const project = values.all ? null : (values.project ?? currentProject())
  const end = await follow(kind, { apply: values.apply ?? false, undo, project })
  if (values.json) printJson(end.report)
  else if (end.kind === 'undone') printUndone(end.report)
  else printReport(end.report)
  return end.kind === 'done' && end.report.outcome === 'replanned' ? EXIT.error : EXIT.done
}

type ConsolidationEnd = Extract<ConsolidationLine, { kind: 'done' | 'undone' }>

async function follow(kind: ConsolidationReport['kind'], request: RequestOf<'POST /api/consolidate'>): Promise<ConsolidationEnd> {
  const bar = progressBar(kind === 'reflect' ? 'Reflecting' : 'Consolidating')
  try {
    for await (const line of callLines(`POST /api/${kind}`, request)) {
      if (line.kind === 'progress') bar.at(line.done, line.of, line.what)
      else if (line.kind === 'failed') throw new CliError(line.error)
      else return line
    }
  } finally {
    bar.end()
  }
  throw new CliError(`the worker stopped before it was done. Run 'recollect ${kind}' again; --undo takes back what was written.`)
}

function printUndone({ plan, restored, edited }: UndoReport): void {
  print(`${green('Undone')}: plan ${plan}; ${plural(restored, 'note')} restored.`)
  for (const { id, title } of edited) print(yellow(`  N${id} was edited since, so it was not changed: ${shorten(title, 80)}`))
}

function printReport(report: ConsolidationReport): undefined {
  const { groups, outcome, kind, plan } = report
  const accepted = groups.filter((group) => group.refused === null).length
  const rejected = groups.length - accepted
  for (const group of groups) printGroup(group, report.project === null)
  for (const sentence of report.messages) print(yellow(sentence))
  const { input, cached, output } = report.usage
  if (input + output > 0) print(dim(`${report.model}: ${counted(input)} tokens in (${counted(cached)} cached), ${counted(output)} out.`))
  const rejections = rejected > 0 ? `, ${plural(rejected, 'group')} rejected` : ''
  if (accepted === 0) return print(`Nothing to ${kind === 'reflect' ? 'reflect on' : 'consolidate'}${rejections}.`)
  switch (outcome) {
    case 'applied':
      return print(
        `${green('Applied')}: plan ${plan}, ${plural(accepted, 'group')}${rejections}. To undo it within 30 days: recollect ${kind} --undo ${plan}`,
      )
    case 'replanned':
      return print(
        yellow(`Notes have changed since the plan was printed, so this is a new plan and nothing was written. Run --apply again.`),
      )
    case 'planned':
      return print(
        dim(`\n${plural(accepted, 'group')}${rejections}. Nothing was written. To carry out this plan: recollect ${kind} --apply`),
      )
  }
}

const counted = (n: number) => n.toLocaleString('en')

const GROUP_LABELS: Record<PlannedGroup['how'], string> = {
  same: 'duplicates',
  near: 'near duplicates',
  merged: 'merged',
  reflected: 'reflected',
}

function printGroup(group: PlannedGroup, withProject: boolean): void {
  const project = withProject ? dim(`  ${projectName(asProjectKey(group.project))}`) : ''
  print(`${bold(GROUP_LABELS[group.how])}${project}  ${dim(group.reason)}`)
  if (group.stays) print(`  keep   N${group.stays.id}  ${shorten(group.stays.title, 90)}`)
  for (const made of group.makes) {
    print(`  new    ${bold(shorten(made.title, 90))} ${dim(`(${made.namespace})`)}`)
    for (const line of made.body.split('\n')) print(`         ${line}`)
  }
  for (const { id, title } of group.hides) print(`  hide   N${id}  ${shorten(title, 90)}`)
  for (const { id, title } of group.reflects) print(dim(`  done   N${id}  ${shorten(title, 90)}`))
  if (group.refused) print(yellow(`  rejected: ${group.refused}`))
}
