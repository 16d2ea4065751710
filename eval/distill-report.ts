/**
 * `npm run eval -- distill`: scores distillation and prints a table for each set of sessions. `--distiller plain` (or the name of a
 * configured model) scores only that one, `--only PART` only sessions whose name contains it, and `--verbose` lists missed facts and
 * noise. Models get one request at a time; progress goes to stderr.
 */
import { parseArguments } from '../scripts/arguments.ts'
import { type DistillResult, distillTable, type ModelDistiller, type SessionSet, scoreDistill, sessionSets } from './distill.ts'
import { configuredDistillers } from './distillers.ts'

export async function printDistill(args: string[]): Promise<void> {
  const options = {
    distiller: { type: 'string' },
    only: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
  } as const
  const { values } = parseArguments('npm run eval -- distill [--distiller <name>] [--only <part>] [--verbose]', options, { args })
  const { distillers, reasons } = await selectDistillers(values.distiller)
  for (const set of sessionSets()) {
    const lists = Object.fromEntries(Object.entries(set.lists).filter(([session]) => session.includes(values.only)))
    if (Object.keys(lists).length > 0) await printSet({ ...set, lists }, distillers, values.verbose)
  }
  for (const reason of reasons) console.log(`Not scored: ${reason}`)
}

/** The rules come first, as `null`. An unknown name is an error, because an empty table would look like a score. */
async function selectDistillers(name: string | undefined): Promise<{ distillers: (ModelDistiller | null)[]; reasons: string[] }> {
  if (name === 'plain') return { distillers: [null], reasons: [] }
  const { distillers, reasons } = await configuredDistillers()
  if (name === undefined) return { distillers: [null, ...distillers], reasons }
  const selected = distillers.filter(({ model }) => model.name === name)
  if (selected.length === 0) throw new Error(`no model named ${name} in the settings of this home. ${reasons.join(' ')}`)
  return { distillers: selected, reasons: [] }
}

async function printSet(set: SessionSet, distillers: (ModelDistiller | null)[], isVerbose: boolean): Promise<void> {
  const results: DistillResult[] = []
  const failures: string[] = []
  for (const distiller of distillers) {
    try {
      results.push(await scoreDistill(distiller, set, (line) => console.error(line)))
    } catch (cause) {
      if (!distiller) throw cause
      failures.push(`${distiller.model.name} was not scored: ${(cause as Error).message}`)
    }
  }
  console.log(`${set.name} (${Object.keys(set.lists).length})\n\n${distillTable(results)}\n`)
  for (const line of failures) console.log(`${line}\n`)
  if (!isVerbose) return
  for (const { distiller, missed, noisy } of results) {
    console.log([`${distiller} missed:`, ...missed.map((line) => `  ${line}`)].join('\n'))
    console.log([`${distiller} noise:`, ...noisy.map((line) => `  ${line}`)].join('\n'), '\n')
  }
}
