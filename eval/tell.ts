/**
 * `npm run eval -- distill`: scores how turns are told and prints a table for each set of sessions. `--teller plain` (or the name of a model
 * of the settings) scores that one only, `--only PART` the sessions whose name holds it, `--verbose` lists what was missed and what was
 * noise. Models are asked one question at a time; how far they are goes to stderr.
 */
import { given } from '../scripts/given.ts'
import { type DistillResult, distillTable, type SessionSet, scoreDistill, sessionSets, type Teller } from './distill.ts'
import { configuredTellers } from './tellers.ts'

export async function printDistill(args: string[]): Promise<void> {
  const options = {
    teller: { type: 'string' },
    only: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
  } as const
  const { values } = given('npm run eval -- distill [--teller <name>] [--only <part>] [--verbose]', options, { args })
  const { tellers, reasons } = await tellersNamed(values.teller)
  for (const set of sessionSets()) {
    const lists = Object.fromEntries(Object.entries(set.lists).filter(([session]) => session.includes(values.only)))
    if (Object.keys(lists).length > 0) await printSet({ ...set, lists }, tellers, values.verbose)
  }
  for (const reason of reasons) console.log(`Not scored: ${reason}`)
}

/** Rules come first and are `null`. A name that nobody has is an error: an empty table would look like a score. */
async function tellersNamed(name: string | undefined): Promise<{ tellers: (Teller | null)[]; reasons: string[] }> {
  if (name === 'plain') return { tellers: [null], reasons: [] }
  const { tellers, reasons } = await configuredTellers()
  if (name === undefined) return { tellers: [null, ...tellers], reasons }
  const wanted = tellers.filter(({ model }) => model.name === name)
  if (wanted.length === 0) throw new Error(`the settings of this home name no model ${name}. ${reasons.join(' ')}`)
  return { tellers: wanted, reasons: [] }
}

async function printSet(set: SessionSet, tellers: (Teller | null)[], isVerbose: boolean): Promise<void> {
  const results: DistillResult[] = []
  const unscored: string[] = []
  for (const teller of tellers) {
    try {
      results.push(await scoreDistill(teller, set, (line) => console.error(line)))
    } catch (cause) {
      if (!teller) throw cause
      unscored.push(`${teller.model.name} was not scored: ${(cause as Error).message}`)
    }
  }
  console.log(`${set.name} (${Object.keys(set.lists).length})\n\n${distillTable(results)}\n`)
  for (const line of unscored) console.log(`${line}\n`)
  if (!isVerbose) return
  for (const { teller, missed, noisy } of results) {
    console.log([`${teller} missed:`, ...missed.map((line) => `  ${line}`)].join('\n'))
    console.log([`${teller} also told:`, ...noisy.map((line) => `  ${line}`)].join('\n'), '\n')
  }
}
